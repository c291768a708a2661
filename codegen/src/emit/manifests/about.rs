//! Subjects of findings in schemas, and the formatting of paths in messages.

use std::ops::Range;

/// The suffix of the marker of a validation rule.
pub(super) const RULE: &str = "XValidation";

/// The subject of a finding: a field and its marker.
#[derive(Clone, Copy)]
pub(super) struct About<'s> {
    pub(super) path: &'s [String],
    /// The suffix of the marker's name.
    pub(super) marker: &'s str,
    /// A string that occurs in the marker.
    pub(super) text: &'s str,
    /// The byte range in that string to point at, if not at the whole marker.
    pub(super) part: Option<&'s Range<usize>>,
}

impl<'s> About<'s> {
    /// A marker of a field or of its type, identified by the suffix of its name and a string in it.
    pub(super) fn marker(path: &'s [String], marker: &'s str, text: &'s str) -> Self {
        Self {
            path,
            marker,
            text,
            part: None,
        }
    }

    /// Narrows the subject to a byte range of the string.
    pub(super) fn part(self, part: Option<&'s Range<usize>>) -> Self {
        Self { part, ..self }
    }
}

/// Formats a path of property names for messages.
pub(super) fn shown(path: &[String]) -> String {
    if path.is_empty() {
        "the kind".to_owned()
    } else {
        format!("`.{}`", path.join("."))
    }
}

/// The property names at the start of a JSON path, up to the first bracket.
pub(super) fn path_of(path: &str) -> Vec<String> {
    let plain = path.split('[').next().unwrap_or_default();
    let plain = plain.trim_start_matches('{').trim_end_matches('}');
    let plain = plain.trim_start_matches('$').replace("\\.", "\u{0}");
    let names = plain.split('.').filter(|name| !name.is_empty());
    names.map(|name| name.replace('\u{0}', ".")).collect()
}

/// The property names in a path such as `.properties[spec].properties[count].maximum`.
pub(super) fn properties(field: &str) -> Vec<String> {
    let names = field.split("properties[").skip(1);
    names
        .filter_map(|name| Some(name.split_once(']')?.0.to_owned()))
        .collect()
}
