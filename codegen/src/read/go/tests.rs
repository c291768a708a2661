//! Tests of the reader on source snippets.

use super::*;
use crate::{diag::Severity, source::Source};

mod attach;
mod cycles;
mod decls;

/// Creates a package of the main module with the specified files.
fn package(path: &str, files: &[(&str, &str)]) -> GoPackage {
    let files = files.iter().map(|(name, text)| {
        let name = format!("{path}/{name}");
        Source::new(name, *text)
    });
    GoPackage::requested(path, "example.com", path, files.collect())
}

/// Reads packages; also returns the findings, including those in rules, one per line.
fn read_all(packages: Vec<GoPackage>) -> (Vec<Package>, Vec<String>) {
    let sources = GoSources {
        packages,
        ..GoSources::default()
    };
    let mut found = Diagnostics::new();
    let module = read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found);
    found.extend(module.rules);
    found.sort();
    let lines = found.to_string();
    (module.packages, lines.lines().map(str::to_owned).collect())
}

/// Reads one file.
fn read_one(text: &str) -> (Package, Vec<String>) {
    let (mut packages, found) = read_all(vec![package("a", &[("a.go", text)])]);
    assert_eq!(packages.len(), 1, "{found:?}");
    (packages.remove(0), found)
}

/// Reads one file and expects no findings.
fn read_clean(text: &str) -> Package {
    let (package, found) = read_one(text);
    assert_eq!(found, [""; 0]);
    package
}

/// Formats a type in short form: `map[string]*a/b.T`.
fn short(ty: &Type) -> String {
    match ty {
        Type::Basic(name) => (*name).to_owned(),
        Type::Local(name, _) => name.clone(),
        Type::Imported(path, name, _) => format!("{path}.{name}"),
        Type::Pointer(inner) => format!("*{}", short(inner)),
        Type::Slice(inner) => format!("[]{}", short(inner)),
        Type::Array(Some(length), inner) => format!("[{length}]{}", short(inner)),
        Type::Array(None, inner) => format!("[?]{}", short(inner)),
        Type::Map(key, value) => format!("map[{}]{}", short(key), short(value)),
        Type::Struct(fields) => {
            let field = |field: &Field| {
                let embedded = if field.embedded { "^" } else { "" };
                format!("{embedded}{} {}", field.name, short(&field.ty))
            };
            let fields: Vec<String> = fields.iter().map(field).collect();
            format!("{{{}}}", fields.join("; "))
        }
        Type::Interface(_) => "interface".to_owned(),
        Type::Other(_) => "other".to_owned(),
    }
}
