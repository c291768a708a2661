//! Markers of the user's types: comments, which the syntax tree does not contain.

use std::ops::Range;

use syn::Item;

use super::{
    edit::{EditError, insert_before, parse, range, spliced},
    lines::line_start,
};

/// Adds a marker to a type, as the last comment line before it and its documentation.
///
/// # Errors
///
/// [`EditError`].
pub(super) fn add(text: &str, type_name: &str, marker: &str) -> Result<String, EditError> {
    let start = start(text, type_name)?;
    if lines_above(text, start).any(|line| line.trim() == marker) {
        return Ok(text.to_owned());
    }
    Ok(insert_before(
        text,
        start..start,
        &format!("{marker}\n"),
        false,
    ))
}

/// Removes a marker of a type.
///
/// # Errors
///
/// [`EditError::Syntax`].
pub(super) fn remove(text: &str, type_name: &str, marker: &str) -> Result<String, EditError> {
    let start = match start(text, type_name) {
        Ok(start) => start,
        Err(EditError::NoType(_)) => return Ok(text.to_owned()),
        Err(error) => return Err(error),
    };
    let mut end = line_start(text, start).unwrap_or(start);
    for line in lines_above(text, start) {
        let begin = end - line.len();
        if line.trim() == marker {
            return Ok(spliced(text, begin..end, ""));
        }
        end = begin;
    }
    Ok(text.to_owned())
}

/// Removes the markers with these names, whatever their arguments, from a type.
///
/// # Errors
///
/// [`EditError`].
pub(super) fn without(text: &str, type_name: &str, names: &[&str]) -> Result<String, EditError> {
    let item = whole(text, type_name)?;
    let above: usize = lines_above(text, item.start).map(str::len).sum();
    let start = line_start(text, item.start).unwrap_or(item.start) - above;
    let is_one = |line: &str| {
        let comment = line.trim().strip_prefix("//").map(str::trim_start);
        let marker = comment.and_then(|comment| comment.strip_prefix('+'));
        marker.is_some_and(|marker| {
            let rests = names.iter().filter_map(|name| marker.strip_prefix(name));
            let mut rests = rests.map(str::trim_end);
            rests.any(|rest| rest.is_empty() || rest.starts_with([':', '=']))
        })
    };
    let lines = text[start..item.end].split_inclusive('\n');
    let kept: String = lines.filter(|line| !is_one(line)).collect();
    Ok(spliced(text, start..item.end, &kept))
}

/// The position of a type, including its attributes and documentation.
fn start(text: &str, type_name: &str) -> Result<usize, EditError> {
    whole(text, type_name).map(|item| item.start)
}

/// The range of a type, including its attributes and documentation.
fn whole(text: &str, type_name: &str) -> Result<Range<usize>, EditError> {
    let file = parse(text)?;
    let mut types = file.items.iter().filter(|item| match item {
        Item::Struct(item) => item.ident == type_name,
        _ => false,
    });
    let found = types.next().map(range);
    found.ok_or_else(|| EditError::NoType(type_name.to_owned()))
}

/// The comment lines directly above a position, bottom up, with their line endings.
fn lines_above(text: &str, at: usize) -> impl Iterator<Item = &str> {
    let above = line_start(text, at).map_or("", |start| &text[..start]);
    let lines = above.split_inclusive('\n').rev();
    lines.take_while(|line| line.trim_start().starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARKER: &str = "// +kubebuilder:conversion:webhook";

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let added = add(text, "Widget", MARKER).unwrap();
        assert_eq!(added, expected);
        assert_eq!(add(&added, "Widget", MARKER).unwrap(), added);
        assert_eq!(remove(&added, "Widget", MARKER).unwrap(), text);
    }

    #[test]
    fn a_marker_goes_between_others_and_the_documentation() {
        rows![check:
            ("// +genclient\n/// A Widget.\n#[derive(Debug)]\npub struct Widget {}\n",
                "// +genclient\n// +kubebuilder:conversion:webhook\n/// A Widget.\n#[derive(Debug)]\npub struct Widget {}\n"),
            ("use a::b;\r\n\r\nstruct Widget;\r\n",
                "use a::b;\r\n\r\n// +kubebuilder:conversion:webhook\r\nstruct Widget;\r\n"),
            ("struct Widget;", "// +kubebuilder:conversion:webhook\nstruct Widget;"),
            ("//! Größe\n\n// +genclient\nstruct Widget; struct Other;\n",
                "//! Größe\n\n// +genclient\n// +kubebuilder:conversion:webhook\nstruct Widget; struct Other;\n"),
        ];
    }

    #[test]
    fn a_marker_that_was_moved_is_found() {
        let moved = format!("{MARKER}\n// +genclient\nstruct Widget;\n");
        assert_eq!(add(&moved, "Widget", MARKER).unwrap(), moved);
        let without = "// +genclient\nstruct Widget;\n";
        assert_eq!(remove(&moved, "Widget", MARKER).unwrap(), without);
    }

    #[test]
    fn a_file_without_the_type_has_no_place() {
        let none = Err(EditError::NoType("Widget".to_owned()));
        assert_eq!(add("struct Gadget;", "Widget", MARKER), none);
        assert_eq!(
            remove("struct Gadget;", "Widget", MARKER).as_deref(),
            Ok("struct Gadget;")
        );
        assert!(add("struct {", "Widget", MARKER).is_err());
    }
}
