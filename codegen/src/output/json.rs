//! JSON files. JSON has no comments, so they carry no marker: a file counts as generated if the
//! printer could have written it.

use serde_json::Value;

/// Prints a value, indented.
pub(crate) fn print(value: &Value) -> String {
    format!("{value:#}\n")
}

/// Whether the file contents are a generated CRD. Line ends may be those of a checkout.
pub(crate) fn is_generated_crd(text: &str) -> bool {
    let Ok(value) = serde_json::from_str::<Value>(text) else {
        return false;
    };
    let is_crd = value
        .get("kind")
        .is_some_and(|kind| kind == "CustomResourceDefinition");
    is_crd && print(&value).lines().eq(text.lines())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_printed_crd_counts_as_generated() {
        let crd = serde_json::json!({"kind": "CustomResourceDefinition", "spec": {"group": "a"}});
        let text = print(&crd);
        assert!(is_generated_crd(&text));
        assert!(is_generated_crd(&text.replace('\n', "\r\n")));
        for other in [
            text.replace("  ", ""),
            text.replace("Definition", "s"),
            String::new(),
        ] {
            assert!(!is_generated_crd(&other), "{other}");
        }
    }
}
