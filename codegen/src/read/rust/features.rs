//! Conditions on features and platforms: `cfg` and `cfg_attr` as cargo's features decide them, in a
//! debug build for Linux, on which operators run, whatever the machine.
//!
//! Conditions on anything else, such as the processor, are not decided, and what they guard is
//! read.

use std::collections::BTreeSet;

use syn::{Attribute, Fields, Item, Meta, Token, punctuated::Punctuated};

/// The features that are on; `None` if conditions are not decided.
pub(super) type Features<'a> = Option<&'a BTreeSet<String>>;

/// Whether a `cfg` attribute requires a feature that is off, or one to be off that is on.
pub(super) fn is_off(attributes: &[Attribute], features: Features<'_>) -> bool {
    let Some(features) = features else {
        return false;
    };
    let mut conditions = attributes.iter().filter(|it| it.path().is_ident("cfg"));
    conditions.any(|attribute| {
        let predicate = attribute.parse_args::<Meta>();
        predicate.is_ok_and(|predicate| holds(&predicate, features) == Some(false))
    })
}

/// Replaces the `cfg_attr` attributes of types and their parts by the attributes that they add.
pub(super) fn settle(items: &mut [Item], features: Features<'_>) {
    let Some(features) = features else {
        return;
    };
    for item in items {
        match item {
            Item::Struct(item) => {
                settle_all(&mut item.attrs, features);
                settle_fields(&mut item.fields, features);
            }
            Item::Enum(item) => {
                settle_all(&mut item.attrs, features);
                for variant in &mut item.variants {
                    settle_all(&mut variant.attrs, features);
                    settle_fields(&mut variant.fields, features);
                }
            }
            Item::Type(item) => settle_all(&mut item.attrs, features),
            Item::Mod(item) => {
                settle_all(&mut item.attrs, features);
                if let Some((_, items)) = &mut item.content {
                    settle(items, Some(features));
                }
            }
            _ => {}
        }
    }
}

fn settle_fields(fields: &mut Fields, features: &BTreeSet<String>) {
    for field in fields {
        settle_all(&mut field.attrs, features);
    }
}

fn settle_all(attributes: &mut Vec<Attribute>, features: &BTreeSet<String>) {
    let is_conditional = |attribute: &Attribute| attribute.path().is_ident("cfg_attr");
    if !attributes.iter().any(is_conditional) {
        return;
    }
    let mut settled = Vec::with_capacity(attributes.len());
    for attribute in std::mem::take(attributes) {
        add(attribute, features, &mut settled);
    }
    *attributes = settled;
}

fn add(attribute: Attribute, features: &BTreeSet<String>, settled: &mut Vec<Attribute>) {
    let list = Punctuated::<Meta, Token![,]>::parse_terminated;
    let parsed = attribute
        .path()
        .is_ident("cfg_attr")
        .then(|| attribute.parse_args_with(list));
    let Some(Ok(metas)) = parsed else {
        return settled.push(attribute);
    };
    let mut metas = metas.into_iter();
    match metas
        .next()
        .and_then(|predicate| holds(&predicate, features))
    {
        Some(true) => {
            for meta in metas {
                let added = Attribute {
                    meta,
                    ..attribute.clone()
                };
                add(added, features, settled);
            }
        }
        Some(false) => {}
        None => settled.push(attribute),
    }
}

/// Conditions without a value that are decided for all crates.
const PLATFORM: [(&str, bool); 4] = [
    ("debug_assertions", true),
    ("test", false),
    ("unix", true),
    ("windows", false),
];

/// Whether a predicate holds; `None` if the features do not decide it.
fn holds(predicate: &Meta, features: &BTreeSet<String>) -> Option<bool> {
    match predicate {
        Meta::Path(path) => {
            let mut known = PLATFORM.iter();
            known
                .find(|(name, _)| path.is_ident(name))
                .map(|(_, it)| *it)
        }
        Meta::NameValue(pair) => {
            let syn::Expr::Lit(syn::ExprLit {
                lit: syn::Lit::Str(value),
                ..
            }) = &pair.value
            else {
                return None;
            };
            match pair.path.get_ident()?.to_string().as_str() {
                "feature" => Some(features.contains(&value.value())),
                "target_os" => Some(value.value() == "linux"),
                "target_family" => Some(value.value() == "unix"),
                _ => None,
            }
        }
        Meta::List(list) => {
            let parts = list
                .parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
                .ok()?;
            let mut parts = parts.iter().map(|part| holds(part, features));
            if list.path.is_ident("all") {
                decided(parts, false)
            } else if list.path.is_ident("any") {
                decided(parts, true)
            } else if list.path.is_ident("not") {
                parts.next()?.map(|part| !part)
            } else {
                None
            }
        }
    }
}

/// Whether a list holds, given the value of a part that decides it.
fn decided(parts: impl Iterator<Item = Option<bool>>, by: bool) -> Option<bool> {
    let mut all = Some(!by);
    for part in parts {
        match part {
            Some(part) if part == by => return Some(by),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_and_the_platform_decide_conditions() {
        let check = |predicate: &str, expected: Option<bool>| {
            let features = BTreeSet::from(["on".to_owned()]);
            let meta: Meta = syn::parse_str(predicate).unwrap();
            assert_eq!(holds(&meta, &features), expected, "{predicate}");
        };
        rows![check:
            ("feature = \"on\"", Some(true)),
            ("feature = \"off\"", Some(false)),
            ("not(feature = \"off\")", Some(true)),
            ("unix", Some(true)),
            ("not(unix)", Some(false)),
            ("all(unix, feature = \"off\")", Some(false)),
            ("all(unix, feature = \"on\")", Some(true)),
            ("any(unix, feature = \"on\")", Some(true)),
            ("any(unix, feature = \"off\")", Some(true)),
            ("all()", Some(true)),
            ("any()", Some(false)),
            ("all(not(any(feature = \"off\")), feature = \"on\")", Some(true)),
            ("target_os = \"linux\"", Some(true)),
            ("target_os = \"macos\"", Some(false)),
            ("target_family = \"unix\"", Some(true)),
            ("any(windows, not(debug_assertions))", Some(false)),
            ("any(test, feature = \"off\")", Some(false)),
            ("target_arch = \"x86_64\"", None),
            ("all(unix, tokio_unstable)", None),
        ];
    }
}
