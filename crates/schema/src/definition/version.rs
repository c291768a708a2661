//! Checks a version of a definition, apart from its schema.

use serde_json::{Value, json};

use super::text;
use crate::field::{FieldError, FieldErrorKind};
use crate::json_path::{self, Brackets};
use crate::keywords::{KEYWORDS, Keyword};

pub(super) fn check_scale(path: &str, version: &Value, errors: &mut Vec<FieldError>) {
    let Some(scale) = version["subresources"]
        .get("scale")
        .filter(|s| s.is_object())
    else {
        return;
    };
    for (field, roots) in [
        ("specReplicasPath", &[".spec."][..]),
        ("statusReplicasPath", &[".status."]),
        ("labelSelectorPath", &[".spec.", ".status."]),
    ] {
        let given = text(scale, &[field]);
        let here = format!("{path}.subresources.scale.{field}");
        if given.is_empty() {
            if field != "labelSelectorPath" {
                errors.push(FieldError::required(here, ""));
            }
        } else if !given.starts_with('.') || given.contains(['[', ']', '*']) {
            errors.push(FieldError::invalid(
                here,
                given,
                "must be a simple json path starting with .",
            ));
        } else if !roots.iter().any(|root| given.starts_with(root)) {
            let roots: Vec<&str> = roots
                .iter()
                .map(|root| root.trim_end_matches('.'))
                .collect();
            errors.push(FieldError::invalid(
                here,
                given,
                format!("should be a json path under {}", roots.join(" or ")),
            ));
        }
    }
}

pub(super) fn check_columns(path: &str, version: &Value, errors: &mut Vec<FieldError>) {
    const TYPES: &str = "must be one of boolean,date,integer,number,string";
    const FORMATS: &str = "must be one of byte,date,date-time,double,float,int32,int64,password";
    let is_listed = |list: &str, word: &str| {
        list.rsplit(' ')
            .next()
            .is_some_and(|l| l.split(',').any(|w| w == word))
    };
    let columns = version["additionalPrinterColumns"].as_array();
    for (index, column) in columns.into_iter().flatten().enumerate() {
        let here = format!("{path}.additionalPrinterColumns[{index}]");
        if text(column, &["name"]).is_empty() {
            errors.push(FieldError::required(format!("{here}.name"), ""));
        }
        match text(column, &["type"]) {
            "" => errors.push(FieldError::required(format!("{here}.type"), TYPES)),
            kind if is_listed(TYPES, kind) => {}
            kind => errors.push(FieldError::invalid(format!("{here}.type"), kind, TYPES)),
        }
        let format = text(column, &["format"]);
        if !(format.is_empty() || is_listed(FORMATS, format)) {
            let path = format!("{here}.format");
            errors.push(FieldError::invalid(path, format, FORMATS));
        }
        match text(column, &["jsonPath"]) {
            "" => errors.push(FieldError::required(format!("{here}.JSONPath"), "")),
            path if path.starts_with('.') => {}
            path => errors.push(FieldError::invalid(
                format!("{here}.JSONPath"),
                path,
                "must be a simple json path starting with .",
            )),
        }
    }
}

/// Checks selectable fields: each must be a string, boolean or integer that the schema declares.
pub(super) fn check_selectable(path: &str, version: &Value, errors: &mut Vec<FieldError>) {
    const MOST: usize = 8;
    let schema = &version["schema"]["openAPIV3Schema"];
    let mut seen: Vec<&str> = Vec::new();
    let fields = version["selectableFields"].as_array();
    for (index, field) in fields.into_iter().flatten().enumerate() {
        let here = format!("{path}.selectableFields[{index}].jsonPath");
        let given = text(field, &["jsonPath"]);
        if given.is_empty() {
            errors.push(FieldError::required(here, ""));
            continue;
        }
        match json_path::find(schema, given, Brackets::Refused) {
            Err(why) => {
                let detail = format!("is an invalid path: {why}");
                errors.push(FieldError::invalid(here, given, detail));
                continue;
            }
            Ok(found) if matches!(text(found, &["type"]), "string" | "boolean" | "integer") => {}
            Ok(_) => errors.push(FieldError::invalid(
                here.clone(),
                given,
                "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.",
            )),
        }
        if seen.contains(&given) {
            errors.push(FieldError::duplicate(here, given));
        } else {
            seen.push(given);
        }
    }
    if seen.len() > MOST {
        errors.push(FieldError::with_value(
            format!("{path}.selectableFields"),
            FieldErrorKind::TooMany,
            json!(seen.len()),
            format!("must have at most {MOST} items"),
        ));
    }
}

/// Checks the root of the schema of a version with a status subresource.
pub(super) fn check_root(path: &str, schema: &Value) -> Vec<FieldError> {
    let says = |value: &Value| match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => true,
    };
    let is_allowed = |word: &str| Keyword::find(word).is_some_and(|keyword| keyword.at_root);
    let mut words = schema.as_object().into_iter().flatten();
    if words.any(|(word, value)| says(value) && !is_allowed(word)) {
        let allowed = KEYWORDS.iter().filter(|keyword| keyword.at_root);
        let names: Vec<String> = allowed.map(Keyword::go_name).collect();
        let names = names.join(" ");
        let detail = format!(
            "only [{names}] fields are allowed at the root of the schema if the status subresource is enabled"
        );
        return vec![FieldError::invalid(path, schema.clone(), detail)];
    }
    Vec::new()
}

pub(super) fn check_deprecation(index: usize, version: &Value, errors: &mut Vec<FieldError>) {
    let Some(warning) = version["deprecationWarning"].as_str() else {
        return;
    };
    let path = format!("spec.versions[{index}].deprecationWarning");
    let mut invalid = |detail: &str| {
        errors.push(FieldError::invalid(path.clone(), warning, detail));
    };
    if version["deprecated"] != json!(true) {
        return invalid("can only be set for deprecated versions");
    }
    if warning.len() > 256 {
        invalid("must be <= 256 characters long");
    }
    if warning.is_empty() {
        invalid("must not be an empty string");
    }
    if let Some((at, _)) = warning.char_indices().find(|(_, c)| c.is_control()) {
        invalid(&format!(
            "must only contain printable UTF-8 characters; non-printable character found at index {at}"
        ));
    }
}
