//! What holds a block of code: a file that is compiled or read elsewhere, a script, a sandbox, or
//! else a reason.

use std::fs;

use super::commands::{FIXTURES, THEN};
use super::page::{Block, Page};
use super::{pages, root};

/// Pages that are written by the program, which a test compares.
const GENERATED: [&str; 2] = ["docs/markers.md", "docs/codegen-toml.md"];

/// Returns the lines of code without indentation, marks of documentation and blank lines.
fn lines(code: &str) -> String {
    let lines = code.lines().map(|line| {
        let line = line.trim();
        let text = line.strip_prefix("///").or(line.strip_prefix("//!"));
        text.unwrap_or(line).trim()
    });
    let lines = lines.filter(|line| !line.is_empty());
    lines.map(|line| format!("\n{line}\n")).collect()
}

/// Whether a file has the code; a line `…` stands for any other lines.
fn has(file: &str, code: &str) -> bool {
    let mut rest = file;
    code.split("\n…\n").all(|piece| {
        let found = rest.find(piece);
        rest = &rest[found.map_or(0, |start| start + piece.len())..];
        found.is_some()
    })
}

/// Whether `hack/package.sh` follows the section of the page, and so this block.
fn is_followed(page: &Page, block: &Block) -> bool {
    let script = fs::read_to_string(root().join("hack/package.sh")).unwrap();
    let reads = format!("readme.py {} ", page.path);
    let follows = format!("readme \"{}\"", block.section);
    let first = block.code.lines().next().unwrap_or_default();
    let name = first.strip_prefix("# ").or(first.strip_prefix("// "));
    let is_file = name.is_some_and(|name| name.contains('.') && !name.contains(' '));
    script.contains(&reads) && script.contains(&follows) && (is_file || block.language == "sh")
}

/// Returns what is wrong with a block, if anything.
fn fault(page: &Page, block: &Block) -> Option<String> {
    // Plain text: diagrams, output.
    if block.language.is_empty() {
        return None;
    }
    let default = || (block.language == "rust").then(|| page.default_of("code"))?;
    let Some(comment) = block.comment.as_deref() else {
        return match default() {
            Some(file) => contained(file, block),
            None if is_followed(page, block) => None,
            None => Some("say above it what holds it (docs/book.md)".to_owned()),
        };
    };
    match comment.split_once(": ") {
        Some(("code", file)) => contained(file, block),
        Some(("read by", file)) => {
            let name = page.path.rsplit('/').next().unwrap_or_default();
            let reads = fs::read_to_string(root().join(file)).is_ok_and(|it| it.contains(name));
            (!reads).then(|| format!("{file} does not read {name}"))
        }
        Some(("untested", reason)) if reason.len() > 15 => None,
        Some(("untested", _)) => Some("say why in a sentence".to_owned()),
        Some(("run", name)) if block.language != "sh" => Some(format!("{name} runs `sh`")),
        Some(("run", name)) if name == THEN || FIXTURES.contains(&name) => None,
        Some(("run", name)) => Some(format!("no fixture {name}: {FIXTURES:?}")),
        _ => Some(format!("`{comment}` is none of docs/book.md")),
    }
}

fn contained(file: &str, block: &Block) -> Option<String> {
    let Ok(text) = fs::read_to_string(root().join(file)) else {
        return Some(format!("{file} does not exist"));
    };
    let is_there = has(&lines(&text), &lines(&block.code));
    (!is_there).then(|| format!("{file} does not have\n{}", block.code))
}

#[test]
fn every_block_is_compiled_or_run_or_says_why_not() {
    let mut faults = Vec::new();
    let mut count = 0;
    for page in pages() {
        if GENERATED.contains(&&*page.path) {
            continue;
        }
        for block in page.blocks() {
            count += 1;
            if let Some(fault) = fault(&page, &block) {
                faults.push(format!("{}:{}: {fault}", page.path, block.line));
            }
        }
    }
    assert!(count > 80, "{count} blocks");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn toml_of_the_pages_is_valid_and_codegen_toml_has_known_keys() {
    let known = crate::cli::schema::sections();
    for page in pages() {
        for block in page.blocks().iter().filter(|it| it.language == "toml") {
            let place = format!("{}:{}", page.path, block.line);
            let parsed = block.code.parse::<toml::Table>();
            let table = parsed.unwrap_or_else(|error| panic!("{place}: {error}"));
            // A fragment starts within a crate.
            let crates = table.get("crate").and_then(toml::Value::as_array);
            for (section, keys) in &known {
                for table in crates.into_iter().flatten() {
                    let table = match *section {
                        "" => Some(table),
                        section => table.get(section),
                    };
                    let tables = match table {
                        Some(toml::Value::Array(tables)) => tables.iter().collect(),
                        table => Vec::from_iter(table),
                    };
                    for key in tables.into_iter().filter_map(toml::Value::as_table) {
                        for name in key.keys() {
                            assert!(keys.contains(name), "{place}: [crate.{section}] {name}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_block_has_to_be_the_code_of_the_file() {
    let file = lines("fn a() {\n    one();\n    two();\n    three();\n}\n/// doc();\n");
    for (code, expected) in [
        ("one();\n\ntwo();", true),
        ("doc();", true),
        ("one();\n…\nthree();", true),
        ("…\ntwo();\n…", true),
        ("three();\n…\none();", false),
        ("one();\nthree();", false),
        ("on", false),
    ] {
        assert_eq!(has(&file, &lines(code)), expected, "{code}");
    }
}
