//! Validation shared by several kinds.

use serde_json::{Map, Value};

use crate::field::FieldError;
use crate::metadata::object::text;
use crate::selector::LabelSelector;
use crate::store::stored::Labels;
use kube_names::{label_fault, label_key_faults, label_value_faults};

const NEGATIVE: &str = "must be greater than or equal to 0";

/// Checks that a number, if present, is not negative.
pub(super) fn non_negative(path: String, value: &Value, errors: &mut Vec<FieldError>) {
    if let Some(number) = value.as_i64().filter(|n| *n < 0) {
        errors.push(FieldError::invalid(path, number, NEGATIVE));
    }
}

/// Checks that a string, if present, is one of the supported values.
pub(super) fn one_of(
    path: String,
    value: &Value,
    supported: &[&str],
    errors: &mut Vec<FieldError>,
) {
    if let Some(text) = value.as_str().filter(|text| !supported.contains(text)) {
        errors.push(FieldError::unsupported(path, text, supported));
    }
}

/// Checks that a value, if present, is a non-negative number or a percentage.
pub(super) fn number_or_percent(path: &str, value: &Value, errors: &mut Vec<FieldError>) {
    const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', \
regex used for validation is '[0-9]+%')";
    match value {
        Value::String(text) if percent(text).is_none() => {
            errors.push(FieldError::invalid(path, text.as_str(), PERCENT));
        }
        other => non_negative(path.to_owned(), other, errors),
    }
}

/// Checks that a percentage is at most 100%.
pub(super) fn at_most_all(path: &str, value: &Value, errors: &mut Vec<FieldError>) {
    if value.as_str().and_then(percent).is_some_and(|p| p > 100) {
        let detail = "must not be greater than 100%";
        errors.push(FieldError::invalid(path, value.clone(), detail));
    }
}

/// Whether a number or percentage is zero or absent.
pub(super) fn is_nothing(value: &Value) -> bool {
    match value {
        Value::String(text) => percent(text).unwrap_or_default() == 0,
        other => other.as_i64().unwrap_or_default() == 0,
    }
}

fn percent(text: &str) -> Option<u64> {
    let digits = text.strip_suffix('%')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| digits.parse().unwrap_or(u64::MAX))
}

/// Validates keys and values of labels, if present.
pub(super) fn labels(
    path: &str,
    labels: Option<&Map<String, Value>>,
    errors: &mut Vec<FieldError>,
) {
    for (key, value) in labels.into_iter().flatten() {
        for fault in label_key_faults(key) {
            errors.push(FieldError::invalid(path, key.as_str(), fault));
        }
        for fault in label_value_faults(value.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid(path, value.clone(), fault));
        }
    }
}

/// Validates a label selector, if present.
pub(super) fn label_selector(path: &str, selector: &Value, errors: &mut Vec<FieldError>) {
    let equal = selector["matchLabels"].as_object();
    labels(&format!("{path}.matchLabels"), equal, errors);
    let expressions = selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten();
    for (index, expression) in expressions.enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        let is_empty = expression["values"].as_array().is_none_or(Vec::is_empty);
        match text(expression, &["operator"]) {
            "In" | "NotIn" if is_empty => errors.push(FieldError::required(
                format!("{path}.values"),
                "must be specified when `operator` is 'In' or 'NotIn'",
            )),
            "Exists" | "DoesNotExist" if !is_empty => errors.push(FieldError::forbidden(
                format!("{path}.values"),
                "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            )),
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            other => errors.push(FieldError::invalid(
                format!("{path}.operator"),
                other,
                "not a valid selector operator",
            )),
        }
        let key = text(expression, &["key"]);
        for fault in label_key_faults(key) {
            errors.push(FieldError::invalid(format!("{path}.key"), key, fault));
        }
    }
}

/// Whether a label selector is valid.
pub(super) fn is_selector(selector: &Value) -> bool {
    let mut errors = Vec::new();
    label_selector("", selector, &mut errors);
    errors.is_empty()
}

/// Checks that a text, unless empty, is a label of a DNS name.
pub(super) fn dns_label(path: String, text: &str, errors: &mut Vec<FieldError>) {
    if let Some(fault) = label_fault(text).filter(|_| !text.is_empty()) {
        errors.push(FieldError::invalid(path, text, fault));
    }
}

/// Whether a valid label selector selects an object.
pub(super) fn selects(selector: &Value, object: &Value) -> bool {
    LabelSelector::of(selector).matches(&Labels::of(object))
}

/// Checks that the selector of a workload, if valid, selects the pods of its template. Without a
/// selector, none are.
pub(super) fn matches_template(spec: &Value, errors: &mut Vec<FieldError>) {
    let (selector, template) = (&spec["selector"], &spec["template"]);
    if is_selector(selector) && (selector.is_null() || !selects(selector, template)) {
        errors.push(FieldError::invalid(
            "spec.template.metadata.labels",
            template["metadata"]["labels"].clone(),
            "`selector` does not match template `labels`",
        ));
    }
}

/// Checks that an update keeps a field; `old` and `new` are the objects that contain it, `path`
/// ends with its name.
pub(super) fn immutable(path: &str, old: &Value, new: &Value, errors: &mut Vec<FieldError>) {
    let field = path.rsplit('.').next().unwrap_or_default();
    if old[field] != new[field] {
        let detail = "field is immutable";
        errors.push(FieldError::invalid(path, new[field].clone(), detail));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn percentages_are_digits_and_a_sign() {
        let faults = |value: Value| {
            let mut errors = Vec::new();
            number_or_percent("p", &value, &mut errors);
            at_most_all("p", &value, &mut errors);
            errors.len()
        };
        for good in [json!(0), json!("0%"), json!("100%"), json!(3)] {
            assert_eq!(faults(good.clone()), 0, "{good}");
        }
        for bad in [json!(-1), json!("%"), json!("x"), json!("5"), json!("101%")] {
            assert_eq!(faults(bad.clone()), 1, "{bad}");
        }
    }
}
