//! `#[serde_as(as = "…")]` of the crate `serde_with`: the type that a field has on the wire.

use quote::ToTokens as _;
use syn::{Attribute, GenericArgument, LitStr, PathArguments, Type, parse_quote_spanned};

/// The adapters whose values are strings.
#[rustfmt::skip]
const STRINGS: [&str; 9] = [
    "Base64", "CommaSeparator", "DisplayFromStr", "Hex", "JsonString", "NoneAsEmptyString", "SpaceSeparator",
    "StringWithSeparator", "Base58",
];

/// Returns the text of a field's `as`, and its type on the wire unless it is not known.
pub(super) fn adapted(attributes: &[Attribute], ty: &Type) -> Option<(LitStr, Option<Type>)> {
    let attribute = attributes.iter().find(|it| {
        let last = it.path().segments.last();
        last.is_some_and(|last| last.ident == "serde_as")
    })?;
    let mut texts = Vec::new();
    let mut is_as = false;
    // serde_with reports what cannot be parsed.
    let _ = attribute.parse_nested_meta(|meta| {
        let text: LitStr = meta.value()?.parse()?;
        is_as |= meta.path.is_ident("as");
        texts.push(text);
        Ok(())
    });
    let text = texts.into_iter().next()?;
    let adapter = text.parse::<Type>().ok().filter(|_| is_as);
    let wire = adapter.and_then(|adapter| wire(ty, &adapter));
    Some((text, wire))
}

/// Returns the type on the wire of a type with an adapter.
fn wire(ty: &Type, adapter: &Type) -> Option<Type> {
    let path = match adapter {
        Type::Infer(_) => return Some(ty.clone()),
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let last = path.segments.last()?;
    let (name, span) = (last.ident.to_string(), last.ident.span());
    let adapters = arguments(adapter);
    let types = arguments(ty);
    let of_types = |name: &str| {
        let is_same = matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|it| it.ident == *name));
        is_same.then_some(&types)
    };
    let first = |default: &str| match adapters.first() {
        Some(first) => Some(first.clone()),
        None => {
            let default = syn::Ident::new(default, span);
            Some(parse_quote_spanned!(span=> #default))
        }
    };
    match name.as_str() {
        "Same" => Some(ty.clone()),
        name if STRINGS.contains(&name) => Some(parse_quote_spanned!(span=> ::std::string::String)),
        "Option" | "Vec" | "Box" | "VecDeque" | "BTreeSet" | "HashSet" | "BTreeMap" | "HashMap" => {
            let types = of_types(&name)?;
            let pairs = types.iter().zip(&adapters);
            let inner: Option<Vec<Type>> = pairs.map(|(ty, adapter)| wire(ty, adapter)).collect();
            let inner = inner.filter(|inner| inner.len() == adapters.len() && !inner.is_empty())?;
            let container = syn::Ident::new(&name, span);
            Some(parse_quote_spanned!(span=> #container<#(#inner),*>))
        }
        "BoolFromInt" => Some(parse_quote_spanned!(span=> u8)),
        "FromInto" | "TryFromInto" | "FromIntoRef" | "TryFromIntoRef" => adapters.first().cloned(),
        "IfIsHumanReadable" => wire(ty, adapters.first()?),
        "DefaultOnError" => match adapters.first() {
            Some(adapter) => wire(ty, adapter),
            None => Some(ty.clone()),
        },
        _ => {
            let unit = name.strip_prefix("Duration").map(|unit| (unit, "u64"));
            let unit = unit.or_else(|| Some((name.strip_prefix("Timestamp")?, "i64")));
            let (unit, whole) = unit?;
            match unit.strip_suffix("WithFrac") {
                Some(unit) if is_unit(unit) => first("f64"),
                None if is_unit(unit) => first(whole),
                _ => None,
            }
        }
    }
}

fn is_unit(name: &str) -> bool {
    ["Seconds", "MilliSeconds", "MicroSeconds", "NanoSeconds"].contains(&name)
}

/// The type arguments of the last segment of a path.
fn arguments(ty: &Type) -> Vec<Type> {
    let Type::Path(path) = ty else {
        return Vec::new();
    };
    let last = path.path.segments.last();
    let Some(PathArguments::AngleBracketed(list)) = last.map(|last| &last.arguments) else {
        return Vec::new();
    };
    let types = list.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    types.collect()
}

/// The attribute as shown in messages.
pub(super) fn shown(text: &LitStr) -> String {
    format!("#[serde_as(as = {})]", text.to_token_stream())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adapters_have_types_on_the_wire() {
        let check = |ty: &str, adapter: &str, expected: Option<&str>| {
            let parse = |text: &str| syn::parse_str::<Type>(text).unwrap();
            let found = wire(&parse(ty), &parse(adapter));
            let shown = |ty: Type| ty.to_token_stream().to_string();
            assert_eq!(
                found.map(shown),
                expected.map(|it| shown(parse(it))),
                "{ty}, {adapter}"
            );
        };
        let string = "::std::string::String";
        rows![check:
            ("u32", "DisplayFromStr", Some(string)),
            ("u32", "serde_with::DisplayFromStr", Some(string)),
            ("u32", "_", Some("u32")),
            ("Option<u32>", "Option<DisplayFromStr>", Some("Option<::std::string::String>")),
            ("BTreeMap<u8, Vec<A>>", "BTreeMap<DisplayFromStr, Vec<_>>", Some("BTreeMap<::std::string::String, Vec<A>>")),
            ("Duration", "DurationSeconds", Some("u64")),
            ("Duration", "DurationMilliSeconds<i32>", Some("i32")),
            ("Duration", "DurationSecondsWithFrac", Some("f64")),
            ("Time", "TimestampSeconds<String>", Some("String")),
            ("A", "FromInto<B>", Some("B")),
            ("A", "PickFirst<(_, B)>", None),
            ("Vec<(A, B)>", "BTreeMap<_, _>", None),
            ("A", "DurationOfMine", None),
        ];
    }
}
