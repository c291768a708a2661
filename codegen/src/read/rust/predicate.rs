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
    /// All of these hold.
    All(Vec<Self>),
    /// It holds for a field of the value, by the name in Rust.
    Field(String, Box<Self>),
}

/// What a predicate is about: the parameter of its function, or a field of it.
#[derive(Clone, Copy)]
struct Subject<'n> {
    name: &'n str,
    field: Option<&'n str>,
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
        let subject = Subject {
            name: &name,
            field: None,
        };
        of_expr(body, subject)
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
    /// returns that of its type, `field` the value of a field by its name in Rust, `constant` that
    /// of a constant, and `other` what another function decides.
    pub(crate) fn holds(
        &self,
        value: &Value,
        default: &dyn Fn() -> Option<Value>,
        field: &dyn Fn(&str) -> Option<Value>,
        constant: &dyn Fn(&Literal) -> Option<Value>,
        other: &dyn Fn(&[String]) -> Option<bool>,
    ) -> Option<bool> {
        match self {
            Self::Empty => match value {
                Value::String(text) => Some(text.is_empty()),
                Value::Array(items) => Some(items.is_empty()),
                Value::Object(entries) => Some(entries.is_empty()),
                // A field that serde left out.
                Value::Null => Some(true),
                _ => None,
            },
            Self::None => Some(value.is_null()),
            Self::Is(flag) => value.as_bool().map(|value| value == *flag),
            Self::Default => default().map(|default| default == *value),
            Self::Equal(literal) => constant(literal).map(|known| is_equal(&known, value)),
            Self::Other(path) => other(path),
            Self::Not(inner) => inner
                .holds(value, default, field, constant, other)
                .map(|holds| !holds),
            Self::All(parts) => {
                let mut all = true;
                for part in parts {
                    all &= part.holds(value, default, field, constant, other)?;
                }
                Some(all)
            }
            Self::Field(name, inner) => {
                inner.holds(&field(name)?, &|| None, &|_| None, constant, &|_| None)
            }
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
fn matched(call: &syn::Macro, subject: Subject<'_>) -> Option<Predicate> {
    let parse = |input: syn::parse::ParseStream<'_>| {
        let value: Expr = input.parse()?;
        input.parse::<syn::Token![,]>()?;
        let variant: syn::ExprPath = input.parse()?;
        input.parse::<Option<syn::Token![,]>>()?;
        Ok((value, variant))
    };
    let (value, variant) = call.parse_body_with(parse).ok()?;
    let is_variant = variant.path.segments.len() > 1;
    (is_variant && is_value(&value, subject))
        .then(|| Predicate::Equal(Literal::of(&Expr::Path(variant))))
}

fn of_expr(expr: &Expr, subject: Subject<'_>) -> Option<Predicate> {
    match expr {
        Expr::Paren(inner) => of_expr(&inner.expr, subject),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
            if is_value(&unary.expr, subject) {
                return Some(Predicate::Is(false));
            }
            Some(Predicate::Not(Box::new(of_expr(&unary.expr, subject)?)))
        }
        expr if is_value(expr, subject) => Some(Predicate::Is(true)),
        Expr::MethodCall(call) if call.args.is_empty() && is_value(&call.receiver, subject) => {
            match call.method.to_string().as_str() {
                "is_empty" => Some(Predicate::Empty),
                "is_none" => Some(Predicate::None),
                "is_some" => Some(Predicate::Not(Box::new(Predicate::None))),
                "not" => Some(Predicate::Is(false)),
                _ => None,
            }
        }
        Expr::Macro(call) if call.mac.path.is_ident("matches") => matched(&call.mac, subject),
        Expr::MethodCall(call) if call.method == "eq" && is_value(&call.receiver, subject) => {
            equal(call.args.first()?)
        }
        Expr::Call(call) if call.args.len() == 1 && is_value(call.args.first()?, subject) => {
            match Literal::of(&call.func) {
                Literal::Named(path) => {
                    Some(Predicate::of_standard(&path).unwrap_or(Predicate::Other(path)))
                }
                _ => None,
            }
        }
        Expr::Binary(binary) if matches!(binary.op, BinOp::And(_)) => {
            let parts = [&binary.left, &binary.right];
            let parts = parts.into_iter().map(|part| of_expr(part, subject));
            Some(Predicate::All(parts.collect::<Option<_>>()?))
        }
        Expr::Binary(binary) if about(&binary.left, &binary.right, subject) => {
            let other = match (
                is_value(&binary.left, subject),
                is_value(&binary.right, subject),
            ) {
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
        _ if subject.field.is_none() => {
            let field = field_in(expr, subject)?;
            let part = Subject {
                field: Some(&field),
                ..subject
            };
            let predicate = of_expr(expr, part)?;
            Some(Predicate::Field(field, Box::new(predicate)))
        }
        _ => None,
    }
}

/// Whether one of two expressions is what the predicate is about.
fn about(left: &Expr, right: &Expr, subject: Subject<'_>) -> bool {
    is_value(left, subject) || is_value(right, subject)
}

/// The field of the parameter that an expression is about.
fn field_in(expr: &Expr, subject: Subject<'_>) -> Option<String> {
    match expr {
        Expr::Field(access) if is_value(&access.base, subject) => match &access.member {
            syn::Member::Named(name) => Some(ident_text(name)),
            syn::Member::Unnamed(_) => None,
        },
        Expr::Paren(inner) => field_in(&inner.expr, subject),
        Expr::Reference(inner) => field_in(&inner.expr, subject),
        Expr::Unary(inner) => field_in(&inner.expr, subject),
        Expr::MethodCall(call) => field_in(&call.receiver, subject),
        Expr::Binary(binary) => {
            field_in(&binary.left, subject).or_else(|| field_in(&binary.right, subject))
        }
        _ => None,
    }
}

/// Whether an expression is what the predicate is about, dereferenced or not.
fn is_value(expr: &Expr, subject: Subject<'_>) -> bool {
    match (expr, subject.field) {
        (Expr::Path(path), None) => path
            .path
            .get_ident()
            .is_some_and(|it| ident_text(it) == subject.name),
        (Expr::Field(access), Some(field)) => {
            let whole = Subject {
                field: None,
                ..subject
            };
            let is_field =
                matches!(&access.member, syn::Member::Named(name) if ident_text(name) == field);
            is_field && is_value(&access.base, whole)
        }
        (Expr::Paren(inner), _) => is_value(&inner.expr, subject),
        (Expr::Reference(inner), _) => is_value(&inner.expr, subject),
        (Expr::Unary(unary), _) if matches!(unary.op, UnOp::Deref(_)) => {
            is_value(&unary.expr, subject)
        }
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
            ("fn f(it: &A) -> bool { it.name.is_empty() && !it.is_set }", Some(Predicate::All(vec![
                Predicate::Field("name".to_owned(), Box::new(Predicate::Empty)),
                Predicate::Not(Box::new(Predicate::Field("is_set".to_owned(), Box::new(Predicate::Is(true))))),
            ]))),
            ("fn f(it: &A) -> bool { it.a == it.b }", None),
            ("fn f(it: &A) -> bool { it.size > 3 }", None),
            ("fn f(it: &A) -> bool { log(); true }", None),
        ];
    }
}
