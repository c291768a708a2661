//! YAML without a fence in a description.

use super::marks::indent;

/// The number of leading lines that are YAML: keys with values, at least one of which is nested.
pub(super) fn yaml(lines: &[&str]) -> usize {
    let count = lines.iter().take_while(|line| is_yaml(line.trim())).count();
    let all = lines.get(..count).unwrap_or_default();
    let is_nested = |pair: &[&str]| match pair {
        [key, value] => {
            let is_item = value.trim_start().starts_with("- ");
            key.trim_end().ends_with(':') && (indent(value) > indent(key) || is_item)
        }
        _ => false,
    };
    if all.windows(2).any(is_nested) {
        count
    } else {
        0
    }
}

/// Whether a line is a key, with or without a value, or an item that is one word.
fn is_yaml(line: &str) -> bool {
    let text = line.trim_start_matches("- ");
    let key = text.split_once(": ").map(|(key, _)| key);
    match key.or_else(|| text.strip_suffix(':')) {
        Some(key) => !key.is_empty() && !key.contains(char::is_whitespace),
        None => text.len() < line.len() && !text.trim().contains(char::is_whitespace),
    }
}
