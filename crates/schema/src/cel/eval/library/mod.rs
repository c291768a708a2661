//! The functions of CEL's extensions and of Kubernetes' libraries.

mod format;
mod lists;
mod net;
mod quantity;
mod semver;
mod strings;
mod url;

use super::{Library, Outcome, Val, functions, operators};

/// Calls a function of the library that the registry specifies; `None` if it does not accept these
/// arguments.
pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    let mut last = Library::Unknown;
    for overload in functions::overloads(name)? {
        let library = overload.library;
        if library == last {
            continue;
        }
        last = library;
        let outcome = match library {
            Library::Lazy | Library::Unknown => None,
            Library::Core => operators::call(name, args),
            Library::Format => format::call(name, args),
            Library::Strings => strings::call(name, args),
            Library::Lists => lists::call(name, args),
            Library::Net => net::call(name, args),
            Library::Url => url::call(name, args),
            Library::Quantity => quantity::call(name, args),
            Library::Semver => semver::call(name, args),
        };
        if outcome.is_some() {
            return outcome;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::cel::{
        eval::Stop,
        functions::Style,
        types::{Scalar, Type},
    };

    /// Returns a value of a type; for strings, one that the function accepts.
    fn sample(ty: &Type<'_>, function: &str) -> Val<'static> {
        let text = match function {
            "duration" => "1s",
            "timestamp" => "2026-01-31T15:04:05Z",
            "ip" | "isIP" | "ip.isCanonical" | "containsIP" => "10.0.0.1",
            "cidr" | "isCIDR" | "containsCIDR" => "10.0.0.0/8",
            "url" | "isURL" => "https://example.com/",
            "semver" | "isSemver" => "1.2.3",
            "bool" => "true",
            name if name.starts_with("get") => "UTC",
            _ => "1",
        };
        let read = |function: &str, text: &str| {
            let found = call(function, &[Val::text(text)]).unwrap();
            found.unwrap()
        };
        match ty {
            Type::Scalar(Scalar::Null) => Val::Null,
            Type::Scalar(Scalar::Bool) => Val::Bool(true),
            Type::Scalar(Scalar::Int) => Val::Int(1),
            Type::Scalar(Scalar::Uint) => Val::Uint(1),
            Type::Scalar(Scalar::Double) => Val::Double(1.0),
            Type::Scalar(Scalar::String) => Val::text(text),
            Type::Scalar(Scalar::Bytes) => Val::Bytes(text.as_bytes().into()),
            Type::Scalar(Scalar::Duration) => read("duration", "1s"),
            Type::Scalar(Scalar::Timestamp) => read("timestamp", "2026-01-31T15:04:05Z"),
            Type::Scalar(Scalar::Type) => Val::Type("int"),
            Type::List(items) => Val::list(vec![sample(items, function), sample(items, function)]),
            Type::Map(key, value) => {
                let entry = (sample(key, function), sample(value, function));
                Val::Map(Rc::new(vec![entry]))
            }
            Type::Optional(value) => Val::some(sample(value, function)),
            Type::Library("quantity") => read("quantity", "1"),
            Type::Library("ip") => read("ip", "10.0.0.1"),
            Type::Library("cidr") => read("cidr", "10.0.0.0/8"),
            Type::Library("url") => read("url", "https://example.com/"),
            Type::Library("semver") => read("semver", "1.2.3"),
            Type::Library(_) => Val::Format("uuid"),
            Type::Dyn | Type::Param(_) | Type::Object(_) => Val::Int(0),
        }
    }

    /// Each row's library accepts the types of its signatures.
    #[test]
    fn every_signature_of_the_registry_is_evaluated() {
        let mut missing = Vec::new();
        for name in functions::all() {
            for overload in functions::overloads(name).unwrap() {
                if matches!(overload.library, Library::Lazy | Library::Unknown) {
                    continue;
                }
                let args: Vec<_> = overload.args.iter().map(|ty| sample(ty, name)).collect();
                let outcome = call(name, &args);
                if matches!(outcome, None | Some(Err(Stop::Unsupported(_))))
                    || matches!(&outcome, Some(Err(stop)) if *stop == Stop::no_overload())
                {
                    let style = match overload.style {
                        Style::Global => "",
                        Style::Member => "member ",
                    };
                    missing.push(format!("{style}{name}{overload}"));
                }
            }
        }
        assert!(missing.is_empty(), "{missing:#?}");
    }
}
