//! Lines of a file: adds blank lines between items and inserts the comments that are stored beside
//! the tokens.

use super::Comments;

/// Appends `body` to `text`, with a blank line between items (after the module's docs and
/// attributes, around imports, and between functions, types and impls), and replaces comment
/// markers by their comments.
pub(super) fn lay_out(text: &mut String, body: &str, comments: &Comments) {
    let mut last = "";
    let mut item = Start::Other;
    for line in body.lines() {
        if parts(item, last, line) {
            text.push('\n');
        }
        if indent(line) == 0 && !line.starts_with(['}', ')', ']']) {
            item = start(line);
        }
        push_line(text, line, comments);
        last = line;
    }
}

/// Writes a line, or the comment that it is a marker for.
fn push_line(text: &mut String, line: &str, comments: &Comments) {
    let Some(comment) = comments.of_line(line) else {
        text.push_str(line);
        text.push('\n');
        return;
    };
    let marker = line.get(..indent(line) + "///".len()).unwrap_or_default();
    // Comments are not parsed as Rust, so characters that end a comment must start a new comment
    // line.
    for line in comment.iter().flat_map(|line| line.split(['\n', '\r'])) {
        text.push_str(marker);
        let line = line.trim_end_matches(' ');
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
        text.push('\n');
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The kind of item that starts on a line, at the top level or in an `impl`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    ModuleDocs,
    ModuleAttribute,
    Import,
    Module,
    /// A macro call that lists the fields or values of the preceding type.
    List,
    Other,
}

fn start(line: &str) -> Start {
    let private = ["pub ", "pub(crate) "].into_iter();
    let code = private
        .filter_map(|public| line.strip_prefix(public))
        .next();
    let code = code.unwrap_or(line);
    if line.starts_with("//!") {
        Start::ModuleDocs
    } else if line.starts_with("#![") {
        Start::ModuleAttribute
    } else if code.starts_with("use ") {
        Start::Import
    } else if code.starts_with("mod ") {
        Start::Module
    } else if is_list(line) {
        Start::List
    } else {
        Start::Other
    }
}

/// Whether a blank line separates `line` from `last`, a line of `item`.
fn parts(item: Start, last: &str, line: &str) -> bool {
    let deep = indent(line);
    if line.is_empty() || last.is_empty() {
        return false;
    }
    // The last line of a list may be indented. The lists of a struct and its unions stay together.
    if deep == 0 && item == Start::List {
        return !is_list(line);
    }
    if deep == 0 && indent(last) == 0 {
        return match item {
            // The list of a struct's fields follows the struct directly.
            Start::Other if is_list(line) => false,
            // Impls without a body stay together.
            Start::Other if last.ends_with("{}") => !line.starts_with("impl "),
            Start::Other => last == "}" || (last.ends_with(';') && !line.starts_with('}')),
            _ => item != start(line) && !line.starts_with('}'),
        };
    }
    deep == 4
        && indent(last) == 4
        && (last == "    }" || last.ends_with(';'))
        && ["    ///", "    #[", "    pub ", "    pub(", "    fn "]
            .iter()
            .any(|start| line.starts_with(start))
        && !line.starts_with("    pub const")
}

/// Whether a line starts a list of the preceding type's fields or values.
fn is_list(line: &str) -> bool {
    let lists = ["::object! {", "::union! {", "::integers! {", "::texts! {"];
    let is_call = lists.iter().any(|list| line.contains(list));
    is_call && !line.trim_start().starts_with("//")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_part_items_and_not_their_lines() {
        let body = "//! Docs.\n#![allow(\n    a,\n)]\n#![allow(b)]\nuse a::b;\nuse c::{\n    d, e,\n};\nuse f;\nmod g;\n#[derive(\n    H,\n)]\n\
                    struct I {\n    j: u8,\n}\nimpl I {\n    fn k() {}\n    fn l() {\n        m();\n    }\n    fn n() {}\n}\n\
                    impl O for I {}\nimpl P for I {}\nstruct Q;\n\
                    struct R {\n    s: u8,\n}\nt::object! { R, u }\nstruct V {}\nt::object! { V,\n    w }\nstruct X;\n// t::object! {\nstruct Y;\nstruct Z {}\nt::object! { Z }\nt::union! { pub enum C of Z }\nenum A {}\nt::texts! { A }\nenum B {}\n";
        let parted = "//! Docs.\n\n#![allow(\n    a,\n)]\n#![allow(b)]\n\nuse a::b;\nuse c::{\n    d, e,\n};\nuse f;\n\nmod g;\n\n#[derive(\n    H,\n)]\n\
                      struct I {\n    j: u8,\n}\n\nimpl I {\n    fn k() {}\n    fn l() {\n        m();\n    }\n\n    fn n() {}\n}\n\n\
                      impl O for I {}\nimpl P for I {}\n\nstruct Q;\n\n\
                      struct R {\n    s: u8,\n}\nt::object! { R, u }\n\nstruct V {}\nt::object! { V,\n    w }\n\nstruct X;\n\n// t::object! {\nstruct Y;\n\nstruct Z {}\nt::object! { Z }\nt::union! { pub enum C of Z }\n\nenum A {}\nt::texts! { A }\n\nenum B {}\n";
        let mut text = String::new();
        lay_out(&mut text, body, &Comments::default());
        assert_eq!(text, parted);
    }
}
