//! Evaluates expressions, as far as that is possible without compiling.

use proc_macro2::TokenStream;
use serde_json::{Map, Number, Value};
use syn::{
    BinOp, Expr, ExprCall, ExprLit, ExprMethodCall, Lit, LitStr, Token, UnOp,
    parse::{Parse, ParseStream, Parser as _},
    punctuated::Punctuated,
};

use super::syntax::ident_text;

/// The value of an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A known value, as JSON.
    Known(Value),
    /// The path of a constant, of a variant, or of a function without arguments.
    Named(Vec<String>),
    /// A list of values of which some are named.
    List(Vec<Self>),
    /// A map of values of which some are named.
    Map(Vec<(String, Self)>),
    /// A struct with the values of fields, and what the others are taken from.
    Struct(Vec<(String, Self)>, Option<Box<Self>>),
    /// A value in a struct or variant of one field, by the path of its constructor.
    Wrapped(Vec<String>, Box<Self>),
    /// Only the compiler can evaluate it.
    Unknown,
}

impl Literal {
    /// Evaluates an expression.
    pub(super) fn of(expr: &Expr) -> Self {
        match expr {
            Expr::Lit(ExprLit { lit, .. }) => of_literal(lit).map_or(Self::Unknown, Self::Known),
            Expr::Paren(inner) => Self::of(&inner.expr),
            Expr::Group(inner) => Self::of(&inner.expr),
            Expr::Reference(inner) => Self::of(&inner.expr),
            Expr::Cast(inner) => Self::of(&inner.expr),
            Expr::Unary(unary) => match unary.op {
                UnOp::Neg(_) => Self::of(&unary.expr).negated(),
                UnOp::Deref(_) => Self::of(&unary.expr),
                _ => Self::Unknown,
            },
            Expr::Binary(binary) => computed(
                &Self::of(&binary.left),
                &binary.op,
                &Self::of(&binary.right),
            ),
            Expr::Array(array) => Self::list(array.elems.iter().map(Self::of)),
            Expr::Tuple(tuple) => Self::list(tuple.elems.iter().map(Self::of)),
            Expr::Struct(body) => of_struct(body),
            Expr::MethodCall(call) => of_method(call),
            Expr::Call(call) => of_call(call),
            Expr::Macro(call) => of_macro(&call.mac),
            Expr::Block(block) => Self::of_block(&block.block),
            Expr::Path(path) if path.qself.is_none() => of_path(&path.path),
            _ => Self::Unknown,
        }
    }

    /// Evaluates the tokens of `serde_json::json!`.
    pub(super) fn of_json(tokens: TokenStream) -> Self {
        let parsed = (|input: ParseStream<'_>| Json::parse(input)).parse2(tokens);
        parsed.map_or(Self::Unknown, |json| json.0)
    }

    /// Returns the value if it is a string.
    pub(super) fn text(self) -> Option<String> {
        match self {
            Self::Known(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// A list of values.
    pub(super) fn list(items: impl Iterator<Item = Self>) -> Self {
        let items: Vec<Self> = items.collect();
        let known = items.iter().map(Self::known);
        match known.collect() {
            Some(known) => Self::Known(Value::Array(known)),
            None if items.contains(&Self::Unknown) => Self::Unknown,
            None => Self::List(items),
        }
    }

    /// A map of values.
    pub(super) fn map(entries: Vec<(String, Self)>) -> Self {
        let known = entries
            .iter()
            .map(|(key, value)| Some((key.clone(), value.known()?)));
        match known.collect() {
            Some(known) => Self::Known(Value::Object(known)),
            None if entries.iter().any(|(_, value)| *value == Self::Unknown) => Self::Unknown,
            None => Self::Map(entries),
        }
    }

    fn known(&self) -> Option<Value> {
        match self {
            Self::Known(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// The values of a list.
    pub(super) fn items(&self) -> Option<Vec<Self>> {
        match self {
            Self::List(items) => Some(items.clone()),
            Self::Known(Value::Array(items)) => {
                Some(items.iter().cloned().map(Self::Known).collect())
            }
            _ => None,
        }
    }

    /// The entries of a list of pairs, of which a map is made.
    pub(crate) fn pairs(&self) -> Option<Vec<(String, Self)>> {
        let pairs = self.items()?.into_iter();
        let pairs = pairs.map(|pair| match pair.items()?.as_slice() {
            [key, value] => Some((key.clone().text()?, value.clone())),
            _ => None,
        });
        pairs.collect()
    }

    fn negated(self) -> Self {
        let Self::Known(Value::Number(number)) = self else {
            return Self::Unknown;
        };
        let whole = number.as_i128().and_then(|number| number.checked_neg());
        let negated = match whole.map(Number::from_i128) {
            Some(whole) => whole,
            None => number.as_f64().and_then(|number| Number::from_f64(-number)),
        };
        negated.map_or(Self::Unknown, |number| Self::Known(Value::Number(number)))
    }
}

/// Evaluates `Type { field: value, ..rest }`.
fn of_struct(body: &syn::ExprStruct) -> Literal {
    let fields = body.fields.iter().map(|field| match &field.member {
        syn::Member::Named(name) => Some((ident_text(name), Literal::of(&field.expr))),
        syn::Member::Unnamed(_) => None,
    });
    let rest = body.rest.as_ref();
    let rest = rest.map(|rest| Box::new(Literal::of(rest)));
    match fields.collect() {
        Some(fields) => Literal::Struct(fields, rest),
        None => Literal::Unknown,
    }
}

/// Evaluates arithmetic of whole numbers.
fn computed(left: &Literal, operator: &BinOp, right: &Literal) -> Literal {
    let whole = |side: &Literal| match side {
        Literal::Known(Value::Number(number)) => number.as_i128(),
        _ => None,
    };
    let (Some(left), Some(right)) = (whole(left), whole(right)) else {
        return Literal::Unknown;
    };
    let result = match operator {
        BinOp::Add(_) => left.checked_add(right),
        BinOp::Sub(_) => left.checked_sub(right),
        BinOp::Mul(_) => left.checked_mul(right),
        BinOp::Div(_) => left.checked_div(right),
        BinOp::Shl(_) => u32::try_from(right)
            .ok()
            .and_then(|bits| 1_i128.checked_shl(bits))
            .and_then(|factor| left.checked_mul(factor)),
        _ => None,
    };
    let result = result.and_then(Number::from_i128);
    result.map_or(Literal::Unknown, |number| Literal::Known(number.into()))
}

fn of_literal(lit: &Lit) -> Option<Value> {
    Some(match lit {
        Lit::Str(text) => Value::String(text.value()),
        Lit::Char(one) => Value::String(one.value().to_string()),
        Lit::Bool(flag) => Value::Bool(flag.value),
        Lit::Int(number) => Value::Number(Number::from_i128(number.base10_parse().ok()?)?),
        Lit::Float(number) => Value::Number(Number::from_f64(number.base10_parse().ok()?)?),
        _ => return None,
    })
}

/// Evaluates `"text".to_owned()` and similar calls.
fn of_method(call: &ExprMethodCall) -> Literal {
    #[rustfmt::skip]
    const SAME: [&str; 11] = [
        "as_str",
        "clone",
        "cloned",
        "collect",
        "into",
        "into_iter",
        "iter",
        "to_owned",
        "to_string",
        "to_vec",
        "unwrap",
    ];
    let value = Literal::of(&call.receiver);
    let is_same = call.args.is_empty() && SAME.iter().any(|name| call.method == name)
        || call.method == "expect";
    match value {
        Literal::Known(Value::Number(number)) if call.method == "to_string" => {
            Literal::Known(Value::String(number.to_string()))
        }
        Literal::Known(Value::String(text)) if call.method == "len" && call.args.is_empty() => {
            Literal::Known(text.len().into())
        }
        value if is_same => value,
        _ => Literal::Unknown,
    }
}

/// Types that serialize like the value they are created from. Other types may not, such as
/// addresses from four numbers.
const SAME_FROM: [&str; 14] = [
    "Arc", "BTreeSet", "Box", "Cow", "HashSet", "IndexSet", "Option", "Rc", "String", "Value",
    "Vec", "VecDeque", "i64", "u64",
];

/// Evaluates `Some(value)`, `String::from("text")` and similar calls.
fn of_call(call: &ExprCall) -> Literal {
    let Expr::Path(function) = &*call.func else {
        return Literal::Unknown;
    };
    let path = segments(&function.path);
    let mut names = path.iter().rev().map(String::as_str);
    let (last, owner) = (names.next(), names.next());
    let first = call.args.first();
    match (owner, last, first) {
        (_, Some("Some"), Some(value)) => match Literal::of(value) {
            // Without `Some`, it would be none.
            Literal::Named(default) => Literal::Wrapped(path, Box::new(Literal::Named(default))),
            value => value,
        },
        (Some(owner), Some("from"), Some(value)) if SAME_FROM.contains(&owner) => {
            Literal::of(value)
        }
        // A regular expression is known by its text.
        (Some("Box" | "Arc" | "Rc" | "Regex"), Some("new"), Some(value)) => Literal::of(value),
        (Some("Lazy" | "LazyCell" | "LazyLock"), Some("new"), Some(Expr::Closure(closure))) => {
            Literal::of(&closure.body)
        }
        // Kubernetes' own types: both serialize the value they hold.
        (_, Some("Quantity"), Some(value)) => Literal::of(value),
        (Some("IntOrString"), Some("Int" | "String"), Some(value)) => Literal::of(value),
        (Some("BTreeMap" | "HashMap" | "IndexMap"), Some("from" | "from_iter"), Some(value)) => {
            let entries = Literal::of(value).pairs();
            entries.map_or(Literal::Unknown, Literal::map)
        }
        (Some("String"), Some("new"), None) => Literal::Known(Value::String(String::new())),
        (Some("Vec" | "BTreeSet" | "HashSet"), Some("new"), None) => {
            Literal::Known(Value::Array(Vec::new()))
        }
        (Some("BTreeMap" | "HashMap"), Some("new"), None) => {
            Literal::Known(Value::Object(Map::new()))
        }
        (_, Some(_), None) => Literal::Named(path),
        (_, Some(name), Some(value)) if call.args.len() == 1 && is_constructor(name) => {
            match Literal::of(value) {
                Literal::Unknown => Literal::Unknown,
                value => Literal::Wrapped(path, Box::new(value)),
            }
        }
        _ => Literal::Unknown,
    }
}

fn is_constructor(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Evaluates `vec![…]` and `json!(…)`.
fn of_macro(call: &syn::Macro) -> Literal {
    let name = call
        .path
        .segments
        .last()
        .map(|last| ident_text(&last.ident));
    match name.as_deref() {
        Some("vec") => {
            let items = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
            items.map_or(Literal::Unknown, |items| {
                Literal::list(items.iter().map(Literal::of))
            })
        }
        Some("concat") => {
            let parts = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated);
            let parts =
                parts.map(|parts| parts.iter().map(|part| Literal::of(part).text()).collect());
            match parts {
                Ok(Some(text)) => Literal::Known(Value::String(text)),
                _ => Literal::Unknown,
            }
        }
        Some("json") => Literal::of_json(call.tokens.clone()),
        _ => Literal::Unknown,
    }
}

fn of_path(path: &syn::Path) -> Literal {
    let path = segments(path);
    let mut names = path.iter().rev().map(String::as_str);
    match (names.next(), names.next()) {
        (Some("None"), _) => Literal::Known(Value::Null),
        (Some(end @ ("MAX" | "MIN")), Some(ty)) => match limit(ty, end == "MAX") {
            Some(number) => Literal::Known(Value::Number(number)),
            None => Literal::Named(path),
        },
        _ => Literal::Named(path),
    }
}

fn segments(path: &syn::Path) -> Vec<String> {
    let segments = path.segments.iter();
    segments.map(|one| ident_text(&one.ident)).collect()
}

/// Returns the value of `i32::MAX` and similar constants.
fn limit(ty: &str, greatest: bool) -> Option<Number> {
    macro_rules! limits {
        ($($name:ident)+) => {
            match ty {
                $(stringify!($name) => i128::from(if greatest { $name::MAX } else { $name::MIN }),)+
                _ => return None,
            }
        };
    }
    Number::from_i128(limits!(i8 i16 i32 i64 u8 u16 u32 u64))
}

struct Json(Literal);

impl Parse for Json {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(syn::token::Brace) {
            let content;
            syn::braced!(content in input);
            let entries = Punctuated::<Entry, Token![,]>::parse_terminated(&content)?;
            let entries = entries.into_iter().map(|Entry(key, value)| match value {
                Literal::Known(value) => Some((key, value)),
                _ => None,
            });
            let entries: Option<Map<String, Value>> = entries.collect();
            return Ok(Self(entries.map_or(Literal::Unknown, |entries| {
                Literal::Known(Value::Object(entries))
            })));
        }
        if input.peek(syn::token::Bracket) {
            let content;
            syn::bracketed!(content in input);
            let items = Punctuated::<Self, Token![,]>::parse_terminated(&content)?;
            let items = items.into_iter().map(|item| match item.0 {
                Literal::Known(value) => Some(value),
                _ => None,
            });
            let items: Option<Vec<Value>> = items.collect();
            return Ok(Self(items.map_or(Literal::Unknown, |items| {
                Literal::Known(Value::Array(items))
            })));
        }
        match Literal::of(&input.parse()?) {
            Literal::Named(path) if path == ["null"] => Ok(Self(Literal::Known(Value::Null))),
            literal => Ok(Self(literal)),
        }
    }
}

/// `"key": value`
struct Entry(String, Literal);

impl Parse for Entry {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let key: LitStr = input.parse()?;
        input.parse::<Token![:]>()?;
        Ok(Self(key.value(), Json::parse(input)?.0))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: impl Into<Option<Value>>) {
        let found = match Literal::of(&syn::parse_str(text).unwrap()) {
            Literal::Known(value) => Some(value),
            _ => None,
        };
        assert_eq!(found, expected.into(), "{text}");
    }

    #[test]
    fn literals_are_known_in_the_forms_in_which_they_are_written() {
        check("3", json!(3));
        check("-1_000i64", json!(-1000));
        check("-0.5", json!(-0.5));
        check("u64::MAX", json!(u64::MAX));
        check("std::i8::MIN", json!(-128));
        check("1 as u32", json!(1));
        check("\"a\".to_owned()", json!("a"));
        check("String::from(\"a\")", json!("a"));
        check("Some(vec![1, 2])", json!([1, 2]));
        check("Vec::new()", json!([]));
        check(
            "BTreeMap::from([(\"a\".to_owned(), Quantity(\"1\".into()))])",
            json!({"a": "1"}),
        );
        check("None", Value::Null);
        check(
            "json!({\"a\": [1, null, true]})",
            json!({"a": [1, null, true]}),
        );
        check("5.to_string()", json!("5"));
        check("concat!(\"a\", \"b\")", json!("ab"));
        check("7 * 24 * 60 - 1", json!(10079));
        check("63 - \"env-\".len()", json!(59));
        check(
            "LazyLock::new(|| Regex::new(r\"^a$\").expect(\"valid\"))",
            json!("^a$"),
        );
    }

    #[test]
    fn what_a_compiler_alone_knows_is_not_guessed() {
        check("f(1) + 1", None);
        check("*RE", None);
        check("IpAddr::from([127, 0, 0, 1])", None);
        check("vec![LIMIT]", None);
        check("format!(\"{LIMIT}\")", None);
        check("text.trim()", None);
        assert_eq!(
            Literal::of(&syn::parse_str("limits::MOST").unwrap()),
            Literal::Named(vec!["limits".to_owned(), "MOST".to_owned()]),
        );
    }
}
