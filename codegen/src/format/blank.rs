//! Blank lines between items.

use super::fit::indent;

/// Puts a blank line between items: after the module's docs, around imports, and between functions, types and impls.
pub(super) fn part_items(lines: &[String]) -> Vec<&str> {
    let mut parted: Vec<&str> = Vec::with_capacity(lines.len() + lines.len() / 8);
    for line in lines {
        if parted.last().is_some_and(|last| parts(last, line)) {
            parted.push("");
        }
        parted.push(line);
    }
    parted
}

/// What a line at the outermost level or in an `impl` starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    ModuleDocs,
    Import,
    Module,
    Other,
}

fn start(line: &str) -> Start {
    let code = line.strip_prefix("pub ").unwrap_or(line);
    if line.starts_with("//!") {
        Start::ModuleDocs
    } else if code.starts_with("use ") {
        Start::Import
    } else if code.starts_with("mod ") {
        Start::Module
    } else {
        Start::Other
    }
}

fn parts(last: &str, line: &str) -> bool {
    let deep = indent(line);
    if line.is_empty() || last.is_empty() {
        return false;
    }
    if deep == 0 && indent(last) == 0 {
        let (before, after) = (start(last), start(line));
        return match (before, after) {
            (Start::Other, _) => last == "}" || (last.ends_with(';') && !line.starts_with('}')),
            _ => before != after,
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
