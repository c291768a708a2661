//! Paths in generated code, as options name them.

use crate::model::names;

/// Validates a crate or module path for use in generated code, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
pub fn crate_path(text: &str) -> Result<String, String> {
    let expected = || {
        format!("expected a path such as `::codegen_runtime` or `crate::runtime`, found `{text}`")
    };
    let segments = segments(text).ok_or_else(expected)?;
    if segments
        .iter()
        .any(|segment| ["self", "super"].contains(segment))
    {
        let message =
            "`self` and `super` mean another module in each file: start with `crate` or `::`";
        return Err(message.to_owned());
    }
    Ok(text.to_owned())
}

/// Validates the Rust path or name that replaces a Go type, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
pub fn type_path(text: &str) -> Result<String, String> {
    if segments(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected a path such as `my_crate::Type`, or a name, found `{text}`"
    ))
}

/// Validates the namespace and the name of a service account, and returns them unchanged.
pub(super) fn service_account(text: &str) -> Result<String, String> {
    let is_valid = text.split_once('/').is_some_and(|(namespace, name)| {
        kube_names::is_label(namespace) && kube_names::subdomain_fault(name).is_none()
    });
    match is_valid {
        true => Ok(text.to_owned()),
        false => Err(format!(
            "expected a service account as NAMESPACE/NAME, found `{text}`"
        )),
    }
}

/// Validates the import path and name of a Go type, and returns it unchanged.
pub(super) fn go_type(text: &str) -> Result<String, String> {
    match text.rsplit_once('.') {
        Some((path, name)) if !path.is_empty() && !name.is_empty() => Ok(text.to_owned()),
        _ => Err(format!(
            "`{text}` is not a Go type: write its import path and name, such as github.com/x/y/pkg.Z"
        )),
    }
}

/// Validates the path of the module that code is generated into, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
pub fn base_path(text: &str) -> Result<String, String> {
    let expected =
        || format!("expected a module of the crate, such as `crate::kubernetes`, found `{text}`");
    let segments = segments(text).ok_or_else(expected)?;
    if segments.first() == Some(&"crate") {
        Ok(text.to_owned())
    } else {
        Err(expected())
    }
}

/// The segments of a path without generic arguments.
fn segments(text: &str) -> Option<Vec<&str>> {
    let global = text.strip_prefix("::");
    let segments: Vec<&str> = global.unwrap_or(text).split("::").collect();
    let is_name = |(index, segment): (usize, &&str)| {
        let may_lead = index == 0 && global.is_none();
        let raw = segment.strip_prefix("r#");
        let plain = raw.unwrap_or(segment);
        let is_leading = may_lead && ["crate", "self", "super"].contains(segment);
        is_leading
            || (names::plain_ident(plain) == plain
                && (raw.is_some() || names::ident(plain) == plain))
    };
    segments.iter().enumerate().all(is_name).then_some(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_that_code_can_have_anywhere() {
        for path in [
            "::a",
            "a",
            "a::b_c",
            "crate",
            "crate::r#type",
            "::codegen_runtime::x",
        ] {
            assert!(crate_path(path).is_ok(), "{path}");
        }
        for path in [
            "",
            "::",
            "a b",
            "foo--bar",
            "a::",
            "a<b>",
            "crate::crate",
            "::crate",
            "super::a",
            "self",
            "crate::type",
            "1a",
            "a::*",
            "_",
        ] {
            assert!(crate_path(path).is_err(), "{path}");
        }
        for path in ["crate", "crate::a::r#gen"] {
            assert!(base_path(path).is_ok(), "{path}");
        }
        for path in ["crate::a b", "a", "::a", "super", ""] {
            assert!(base_path(path).is_err(), "{path}");
        }
    }
}
