//! Messages for errors in rules, with suggestions.

use crate::{
    cel::{
        Fault, MOST_CHARACTERS, MOST_DEEP, Unparsed,
        functions::{self, Call, Overload, Style},
        types::{Scalar, Type},
    },
    suggest::closest,
};

/// The message and the help, which may be empty.
pub(super) fn worded(fault: &Fault<'_>) -> (String, String) {
    match fault {
        Fault::Syntax { message, .. } => (format!("it does not parse: {message}"), String::new()),
        Fault::TooDeep => (
            format!("it nests deeper than {MOST_DEEP} levels"),
            "the API server refuses it: write several rules; chains of operators and calls nest, too, save those of `&&` and `||`"
                .to_owned(),
        ),
        Fault::TooLong { characters } => (
            format!("it has {characters} characters, of {MOST_CHARACTERS} that a rule can have"),
            "the API server refuses it: write several rules".to_owned(),
        ),
        Fault::MacroArguments { name } | Fault::MacroVariable { name } => (
            format!("it does not parse: `{name}` takes a variable first"),
            format!("write `{name}(x, …)`, with an expression about `x`"),
        ),
        Fault::UnknownVariable {
            name,
            known,
            is_field,
        } => {
            let near = closest(name, known.iter().map(String::as_str)).filter(|_| !is_field);
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the value is `self`: write `self.{name}`"),
            };
            (format!("there is no variable `{name}`"), help)
        }
        Fault::UnknownFunction { name } => {
            // All names produced by the parser and by macros are known.
            let help = match closest(name, functions::names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "the API server of Kubernetes 1.36 has no function of that name".to_owned(),
            };
            (format!("there is no function `{name}`"), help)
        }
        Fault::UndefinedField {
            field,
            known,
            is_hidden,
        } => undefined(field, known, *is_hidden),
        Fault::NoFields { field, ty } => (
            format!("`{field}` is a field of {}", article(ty)),
            "only objects and maps have fields".to_owned(),
        ),
        Fault::NoOverload {
            function,
            style,
            types,
            overloads,
        } => mismatch(function, *style, types, overloads),
        Fault::NotOptional { ty } => (
            format!("`?` is before {}", article(ty)),
            "only optional values can be left out, such as `self.?field`".to_owned(),
        ),
        Fault::Mixed { parts, before, ty } => (
            format!("{parts} are of type {before} and {ty}"),
            "use values of one type, or wrap the first in `dyn(…)`, which permits any".to_owned(),
        ),
        Fault::NoItems { ty } => (
            format!("{} has no items", article(ty)),
            "only lists and maps have items: `all`, `exists`, `map` and `filter` go through them"
                .to_owned(),
        ),
        Fault::Mismatch { expected, found } => (
            format!("expected a value of type {expected}, found {found}"),
            String::new(),
        ),
        Fault::Literal(literal) => unparsed(literal),
        Fault::Outcome { expected, found } => outcome(expected, found),
    }
}

fn undefined(field: &str, known: &[String], is_hidden: bool) -> (String, String) {
    if is_hidden {
        return (
            format!("rules cannot read the field `{field}`"),
            "its schema has no type: rules only see values whose type the schema specifies"
                .to_owned(),
        );
    }
    let near = closest(field, known.iter().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => {
            "rules only see fields that the schema specifies, and it specifies none".to_owned()
        }
        None => format!("the fields are {}", known.join(", ")),
    };
    (format!("there is no field `{field}`"), help)
}

fn unparsed(literal: &Unparsed) -> (String, String) {
    match literal {
        Unparsed::Duration(text) => (
            format!("invalid duration `{text}`"),
            "write numbers with units, such as `90s`, `1.5h` or `1h30m`".to_owned(),
        ),
        Unparsed::Time(text) => (
            format!("invalid time `{text}`"),
            "write a time of RFC 3339, such as `2026-01-31T15:04:05Z`".to_owned(),
        ),
        Unparsed::Pattern { error, .. } => (
            format!("invalid pattern: {error}"),
            "patterns have the syntax of RE2: https://golang.org/s/re2syntax".to_owned(),
        ),
    }
}

fn outcome(expected: &Type<'_>, found: &Type<'_>) -> (String, String) {
    let (what, help) = if expected.is(Scalar::Bool) {
        (
            "a rule",
            "write a condition, such as `self.min <= self.max`",
        )
    } else {
        (
            "a message",
            "write a string expression, such as `'must be at most ' + self.limit`; use `message` for a constant string",
        )
    };
    (
        format!("{what} must be of type {expected}, found type {found}"),
        help.to_owned(),
    )
}

/// A call that matches no overload of the function.
fn mismatch(
    function: &str,
    style: Style,
    types: &[Type<'_>],
    overloads: &[Overload],
) -> (String, String) {
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
    (format!("`{shown}` does not take {found}"), help)
}

/// A type with its article.
fn article(ty: &Type<'_>) -> String {
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

/// An operator as written in source; `None` for functions.
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
