//! The words of faults about types.

use super::{
    functions::{Call, Overload, Style},
    types::{Scalar, Type},
};
use crate::cel::Fault;

/// A call that no signature of the function fits.
pub(super) fn mismatch(
    function: &str,
    style: Style,
    types: &[Type<'_>],
    overloads: &'static [Overload],
) -> Fault {
    let shown = operator(function).unwrap_or(function);
    let has_null = types.iter().any(|ty| ty.is(Scalar::Null));
    let help = match (shown, types) {
        ("==" | "!=", [..]) if has_null => {
            "only objects, times and durations can be null: ask `has(…)` whether a field is there"
                .to_owned()
        }
        ("==" | "!=", [..]) => {
            "compare values of one type: `int(…)`, `double(…)` and `string(…)` convert".to_owned()
        }
        _ => {
            let known: Vec<String> = overloads.iter().map(Overload::to_string).collect();
            match known.as_slice() {
                [one] => format!("it takes {one}"),
                [first, second] => format!("it takes {first} or {second}"),
                many => {
                    let first: Vec<&str> = many.iter().take(4).map(String::as_str).collect();
                    format!("among others it takes {}", first.join(", "))
                }
            }
        }
    };
    let found = Call(style, types);
    Fault {
        message: format!("`{shown}` does not take {found}"),
        help,
    }
}

/// A type in a sentence.
pub(super) fn article(ty: &Type<'_>) -> String {
    match ty {
        Type::List(_) => "a list".to_owned(),
        Type::Map(..) => "a map".to_owned(),
        Type::Object(_) => "an object".to_owned(),
        Type::Optional(_) => "an optional".to_owned(),
        Type::Scalar(Scalar::Int) => "an integer".to_owned(),
        Type::Scalar(Scalar::Double) => "a number".to_owned(),
        Type::Scalar(Scalar::Null) => "null".to_owned(),
        Type::Scalar(Scalar::Bool) => "a boolean".to_owned(),
        other => {
            let name = other.to_string();
            let article = if name.starts_with(['a', 'e', 'i', 'o', 'u']) {
                "an"
            } else {
                "a"
            };
            format!("{article} {name}")
        }
    }
}

/// How an operator is written.
fn operator(function: &str) -> Option<&str> {
    match function {
        "@in" => Some("in"),
        "_?_:_" => Some("? :"),
        "_[_]" => Some("[…]"),
        "_[?_]" => Some("[?…]"),
        "@not_strictly_false" => Some("all"),
        other => {
            let symbol = other.trim_matches('_');
            let is_symbol = symbol.len() < other.len()
                && !symbol.is_empty()
                && symbol.chars().all(|c| c.is_ascii_punctuation());
            is_symbol.then_some(symbol)
        }
    }
}
