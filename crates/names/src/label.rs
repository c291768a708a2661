//! Label keys and values, with the API server's messages (`apimachinery/pkg/api/validate/content`).

use crate::subdomain_fault;

const KEY: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const KEY_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LIMIT: usize = 63;

/// The problems of a label key, an annotation key in lower case, or a finalizer; empty when it is
/// valid.
#[must_use]
pub fn label_key_faults(key: &str) -> Vec<String> {
    let key_rule = format!(
        "{KEY_RULE} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{KEY}')"
    );
    let mut faults = Vec::new();
    let name = match *key.split('/').collect::<Vec<_>>() {
        [name] => name,
        [prefix, name] => {
            if prefix.is_empty() {
                faults.push("prefix part must be non-empty".to_owned());
            } else {
                faults.extend(subdomain_fault(prefix).map(|fault| format!("prefix part {fault}")));
            }
            name
        }
        _ => {
            return vec![format!(
                "a valid label key {key_rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            )];
        }
    };
    if name.is_empty() {
        faults.push("name part must be non-empty".to_owned());
    } else if name.len() > LIMIT {
        faults.push(format!("name part must be no more than {LIMIT} bytes"));
    }
    if name.is_empty() || !is_label_text(name) {
        faults.push(format!("name part {key_rule}"));
    }
    faults
}

/// The problems of a label value; empty when it is valid.
#[must_use]
pub fn label_value_faults(value: &str) -> Vec<String> {
    let mut faults = Vec::new();
    if value.len() > LIMIT {
        faults.push(format!("must be no more than {LIMIT} bytes"));
    }
    if !value.is_empty() && !is_label_text(value) {
        faults.push(format!(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must \
             start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for \
             validation is '({KEY})?')"
        ));
    }
    faults
}

fn is_label_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        && bytes.first().is_some_and(u8::is_ascii_alphanumeric)
        && bytes.last().is_some_and(u8::is_ascii_alphanumeric)
}
