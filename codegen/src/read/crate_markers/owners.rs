//! Finds code that writes owner references with `blockOwnerDeletion`.

use std::sync::Arc;

use crate::{diag::Place, source::Source};

/// Calls of the runtime, of controller-runtime and of apimachinery that write such references.
const CALLS: [&str; 4] = [
    "set_controller_reference(",
    "ControllerRefManager::",
    "SetControllerReference(",
    "NewControllerRef(",
];

/// Whether a file may contain such a call.
pub(super) fn may_hold(text: &str) -> bool {
    CALLS.iter().any(|call| text.contains(call))
}

/// Returns the first call in the files, outside of comments and unit tests.
pub(crate) fn first_call(files: &[Source]) -> Option<Place> {
    files.iter().find_map(|file| {
        let code = file.text.split("#[cfg(test)]").next().unwrap_or_default();
        let found = CALLS.iter().filter_map(|call| {
            let at = code.match_indices(call).map(|(at, _)| at);
            let mut at = at.filter(|at| is_code(code, *at));
            at.next().map(|at| at..at + call.len() - 1)
        });
        let range = found.min_by_key(|range| range.start)?;
        Some(Place {
            file: Arc::from(file.name.as_str()),
            text: Arc::clone(&file.text),
            range,
        })
    })
}

/// Whether the line before a position has no comment and no declaration.
fn is_code(code: &str, at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let declares =
        line.ends_with("fn ") || line.trim_start().starts_with("func ") && !line.contains('{');
    !line.contains("//") && !declares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_found_in_code_alone() {
        let check = |text: &str, expected: Option<usize>| {
            let file = Source::new("a.rs", text);
            let found = first_call(&[file]).map(|place| place.range.start);
            assert_eq!(found, expected, "{text}");
        };
        check(
            "fn a() {\n    owner::set_controller_reference(a, b);\n}",
            Some(20),
        );
        check("// set_controller_reference(a, b)\nfn a() {}", None);
        check("fn set_controller_reference(a: A) {}", None);
        check(
            "fn a() {}\n#[cfg(test)]\nmod tests { set_controller_reference(a, b) }",
            None,
        );
        check("\tctrl.SetControllerReference(a, b, scheme)", Some(6));
        check("let a = 1;", None);
    }
}
