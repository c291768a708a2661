//! What functions of `skip_serializing_if` decide, as far as their bodies say so.

use serde_json::Value;
use syn::{BinOp, Expr, UnOp};

use super::{literal::Literal, syntax::ident_text};

/// A condition on a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// It is empty: a text, a list or a map.
    Empty,
    /// It is `None`.
    None,
    /// It is this flag.
    Is(bool),
    /// It is the default of its type.
    Default,
    /// It equals a value, or a constant.
    Equal(Literal),
    /// Another function decides.
    Other(Vec<String>),
    /// Another predicate does not hold.
    Not(Box<Self>),
}

impl Predicate {
    /// Reads the predicate of a function with one parameter.
    pub(super) fn of(function: &syn::Signature, body: &syn::Block) -> Option<Self> {
        let mut inputs = function.inputs.iter();
        let (Some(input), None) = (inputs.next(), inputs.next()) else {
            return None;
        };
        let name = match input {
            syn::FnArg::Receiver(_) => "self".to_owned(),
            syn::FnArg::Typed(input) => match &*input.pat {
                syn::Pat::Ident(name) => ident_text(&name.ident),
                // `&flag: &bool`
                syn::Pat::Reference(inner) => match &*inner.pat {
                    syn::Pat::Ident(name) => ident_text(&name.ident),
                    _ => return None,
                },
                _ => return None,
            },
        };
        let [syn::Stmt::Expr(body, None)] = body.stmts.as_slice() else {
            return None;
        };
        of_expr(body, &name)
    }

    /// Returns the predicate of a function of the standard library, by its path.
    pub(crate) fn of_standard(path: &[String]) -> Option<Self> {
        #[rustfmt::skip]
        const COLLECTIONS: [&str; 12] = [
            "BTreeMap", "BTreeSet", "HashMap", "HashSet", "IndexMap", "IndexSet", "LinkedList", "Map", "String",
            "Vec", "VecDeque", "str",
        ];
        let mut names = path.iter().rev().map(String::as_str);
        let last = names.next()?;
        // Skips the arguments in `Vec::<T>::is_empty`.
        let owner = names.find(|name| !name.starts_with('<'))?;
        let owner = owner.split('<').next().unwrap_or(owner);
        Some(match (owner, last) {
            ("Option", "is_none") => Self::None,
            ("Option", "is_some") => Self::Not(Box::new(Self::None)),
            ("Not", "not") => Self::Is(false),
            ("Clone" | "bool", "clone") => Self::Is(true),
            (owner, "is_empty") if COLLECTIONS.contains(&owner) => Self::Empty,
            _ => return None,
        })
    }

    /// Whether the predicate holds for a value in JSON; `None` if that is not known. `default`
    /// returns that of its type, `constant` the value of a constant, and `other` what another
    /// function decides.
    pub(crate) fn holds(
        &self,
        value: &Value,
        default: &dyn Fn() -> Option<Value>,
        constant: &dyn Fn(&Literal) -> Option<Value>,
        other: &dyn Fn(&[String]) -> Option<bool>,
    ) -> Option<bool> {
        match self {
            Self::Empty => match value {
                Value::String(text) => Some(text.is_empty()),
                Value::Array(items) => Some(items.is_empty()),
                Value::Object(entries) => Some(entries.is_empty()),
                _ => None,
            },
            Self::None => Some(value.is_null()),
            Self::Is(flag) => value.as_bool().map(|value| value == *flag),
            Self::Default => default().map(|default| default == *value),
            Self::Equal(literal) => constant(literal).map(|known| is_equal(&known, value)),
            Self::Other(path) => other(path),
            Self::Not(inner) => inner
                .holds(value, default, constant, other)
                .map(|holds| !holds),
        }
    }
}

/// Whether two values are equal, with whole floating-point numbers equal to integers.
fn is_equal(one: &Value, other: &Value) -> bool {
    match (one.as_f64(), other.as_f64()) {
        (Some(one), Some(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}

/// Reads `matches!(value, Variant)`.
fn matched(call: &syn::Macro, name: &str) -> Option<Predicate> {
    let parse = |input: syn::parse::ParseStream<'_>| {
        let value: Expr = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let variant: syn::ExprPath = input.parse()?;
        input.parse::<Option<syn::Token![,]>>()?;
        Ok((value, variant))
    };
    let (value, variant) = call.parse_body_with(parse).ok()?;
    let is_variant = variant.path.segments.len() > 1;
    (is_variant && is_value(&value, name))
        .then(|| Predicate::Equal(Literal::of(&Expr::Path(variant))))
}

fn of_expr(expr: &Expr, name: &str) -> Option<Predicate> {
    match expr {
        Expr::Paren(inner) => of_expr(&inner.expr, name),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
            if is_value(&unary.expr, name) {
                return Some(Predicate::Is(false));
            }
            Some(Predicate::Not(Box::new(of_expr(&unary.expr, name)?)))
        }
        expr if is_value(expr, name) => Some(Predicate::Is(true)),
        Expr::MethodCall(call) if call.args.is_empty() && is_value(&call.receiver, name) => {
            match call.method.to_string().as_str() {
                "is_empty" => Some(Predicate::Empty),
                "is_none" => Some(Predicate::None),
                "is_some" => Some(Predicate::Not(Box::new(Predicate::None))),
                "not" => Some(Predicate::Is(false)),
                _ => None,
            }
        }
        Expr::Macro(call) if call.mac.path.is_ident("matches") => matched(&call.mac, name),
        Expr::MethodCall(call) if call.method == "eq" && is_value(&call.receiver, name) => {
            equal(call.args.first()?)
        }
        Expr::Call(call) if call.args.len() == 1 && is_value(call.args.first()?, name) => {
            match Literal::of(&call.func) {
                Literal::Named(path) => {
                    Some(Predicate::of_standard(&path).unwrap_or(Predicate::Other(path)))
                }
                _ => None,
            }
        }
        Expr::Binary(binary) => {
            let other = match (is_value(&binary.left, name), is_value(&binary.right, name)) {
                (true, false) => &binary.right,
                (false, true) => &binary.left,
                _ => return None,
            };
            let equal = equal(other)?;
            match binary.op {
                BinOp::Eq(_) => Some(equal),
                BinOp::Ne(_) => Some(Predicate::Not(Box::new(equal))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether an expression is the parameter, dereferenced or not.
fn is_value(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Path(path) => path
            .path
            .get_ident()
            .is_some_and(|it| ident_text(it) == name),
        Expr::Paren(inner) => is_value(&inner.expr, name),
        Expr::Reference(inner) => is_value(&inner.expr, name),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => is_value(&unary.expr, name),
        _ => false,
    }
}

fn equal(other: &Expr) -> Option<Predicate> {
    let mut plain = other;
    while let Expr::Reference(syn::ExprReference { expr, .. })
    | Expr::Paren(syn::ExprParen { expr, .. })
    | Expr::Unary(syn::ExprUnary {
        op: UnOp::Deref(_),
        expr,
        ..
    }) = plain
    {
        plain = expr;
    }
    if let Expr::Call(call) = plain
        && let Expr::Path(function) = &*call.func
        && function
            .path
            .segments
            .last()
            .is_some_and(|it| it.ident == "default")
        && call.args.is_empty()
    {
        return Some(Predicate::Default);
    }
    match Literal::of(plain) {
        Literal::Unknown => None,
        literal => Some(Predicate::Equal(literal)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_decide_by_their_bodies() {
        let check = |text: &str, expected: Option<Predicate>| {
            let function: syn::ItemFn = syn::parse_str(text).unwrap();
            assert_eq!(
                Predicate::of(&function.sig, &function.block),
                expected,
                "{text}"
            );
        };
        let not = |inner| Some(Predicate::Not(Box::new(inner)));
        rows![check:
            ("fn f(flag: &bool) -> bool { !*flag }", Some(Predicate::Is(false))),
            ("fn f(flag: &bool) -> bool { !flag }", Some(Predicate::Is(false))),
            ("fn f(&flag: &bool) -> bool { flag }", Some(Predicate::Is(true))),
            ("fn f(n: &u32) -> bool { *n == 0 }", Some(Predicate::Equal(Literal::Known(0.into())))),
            ("fn f(n: &u32) -> bool { n != &MOST }", not(Predicate::Equal(Literal::Named(vec!["MOST".to_owned()])))),
            ("fn f<T: Default + PartialEq>(t: &T) -> bool { *t == T::default() }", Some(Predicate::Default)),
            ("fn f<T: Default + PartialEq>(t: &T) -> bool { t == &Default::default() }", Some(Predicate::Default)),
            ("fn f(text: &str) -> bool { text.is_empty() }", Some(Predicate::Empty)),
            ("fn f(it: &Option<u8>) -> bool { it.is_some() }", not(Predicate::None)),
            ("fn f(it: &Vec<u8>) -> bool { Vec::is_empty(it) }", Some(Predicate::Empty)),
            ("fn f(it: &A) -> bool { it.size > 3 }", None),
            ("fn f(it: &A) -> bool { log(); true }", None),
        ];
    }
}
