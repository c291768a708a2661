//! Named formats.

use super::super::{Outcome, Val};
use crate::field::go_quote;
use crate::formats::matches;

/// Returns what is wrong with a string in a format.
type Faults = fn(&str) -> Vec<String>;

/// The formats by name.
#[rustfmt::skip]
const FORMATS: [(&str, Faults); 13] = [
    ("dns1123Label", |text| one(kube_names::label_fault(text))),
    ("dns1123Subdomain", |text| one(kube_names::subdomain_fault(text))),
    ("dns1035Label", |text| one(kube_names::label_1035_fault(text))),
    ("qualifiedName", kube_names::label_key_faults),
    ("dns1123LabelPrefix", |text| prefix(kube_names::label_fault, text)),
    ("dns1123SubdomainPrefix", |text| prefix(kube_names::subdomain_fault, text)),
    ("dns1035LabelPrefix", |text| prefix(kube_names::label_1035_fault, text)),
    ("labelValue", kube_names::label_value_faults),
    ("uri", |text| of("uri", text, &format!("parse {}: invalid URI for request", go_quote(text)))),
    ("uuid", |text| of("uuid", text, "does not match the UUID format")),
    ("byte", |text| of("byte", text, "invalid base64")),
    ("date", |text| of("date", text, "invalid date")),
    ("datetime", |text| of("datetime", text, "invalid datetime")),
];

pub(super) fn call<'v>(name: &str, args: &[Val<'v>]) -> Option<Outcome<'v>> {
    Some(Ok(match (name, args) {
        ("format.named", [Val::String(name)]) => find(name)
            .map_or(Val::Optional(None), |(name, _)| {
                Val::some(Val::Format(name))
            }),
        ("validate", [Val::Format(format), Val::String(text)]) => {
            let (_, faults) = find(format)?;
            match faults(text) {
                none if none.is_empty() => Val::Optional(None),
                found => Val::some(Val::list(found.into_iter().map(Val::text).collect())),
            }
        }
        (_, []) => Val::Format(find(name.strip_prefix("format.")?)?.0),
        _ => return None,
    }))
}

fn find(name: &str) -> Option<(&'static str, Faults)> {
    FORMATS.into_iter().find(|(known, _)| *known == name)
}

fn one(fault: Option<String>) -> Vec<String> {
    fault.into_iter().collect()
}

/// Validates a name prefix: a name that may end with a dash.
fn prefix(fault: fn(&str) -> Option<String>, text: &str) -> Vec<String> {
    one(match text.strip_suffix('-') {
        Some(head) => fault(&format!("{head}a")),
        None => fault(text),
    })
}

/// Returns the fault of a string that does not match a format of schemas.
fn of(format: &str, text: &str, fault: &str) -> Vec<String> {
    one((matches(format, text) == Some(false)).then(|| fault.to_owned()))
}
