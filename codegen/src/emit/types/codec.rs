//! The codec that generated types name: the runtime's or, for types alone, a copy of it beside them.
//!
//! The copy, `apis/codec.rs`, is `runtime/src/codec` with its submodules inline.

use crate::{
    emit::Emit,
    output::format::{Code, Items},
};

const ROOT: &str = include_str!("../../../../runtime/src/codec/mod.rs");

const SUBMODULES: [(&str, &str); 16] = [
    (
        "base64",
        include_str!("../../../../runtime/src/codec/base64.rs"),
    ),
    (
        "condition",
        include_str!("../../../../runtime/src/codec/condition.rs"),
    ),
    (
        "exact_reader",
        include_str!("../../../../runtime/src/codec/exact_reader.rs"),
    ),
    (
        "exact_writer",
        include_str!("../../../../runtime/src/codec/exact_writer.rs"),
    ),
    (
        "int_or_string",
        include_str!("../../../../runtime/src/codec/int_or_string.rs"),
    ),
    (
        "integers",
        include_str!("../../../../runtime/src/codec/integers.rs"),
    ),
    (
        "kubernetes",
        include_str!("../../../../runtime/src/codec/kubernetes.rs"),
    ),
    (
        "number",
        include_str!("../../../../runtime/src/codec/number.rs"),
    ),
    (
        "object",
        include_str!("../../../../runtime/src/codec/object.rs"),
    ),
    (
        "object_writer",
        include_str!("../../../../runtime/src/codec/object_writer.rs"),
    ),
    (
        "optional_text",
        include_str!("../../../../runtime/src/codec/optional_text.rs"),
    ),
    (
        "quantity",
        include_str!("../../../../runtime/src/codec/quantity.rs"),
    ),
    (
        "sparse",
        include_str!("../../../../runtime/src/codec/sparse.rs"),
    ),
    (
        "texts",
        include_str!("../../../../runtime/src/codec/texts.rs"),
    ),
    (
        "time",
        include_str!("../../../../runtime/src/codec/time.rs"),
    ),
    (
        "union",
        include_str!("../../../../runtime/src/codec/union.rs"),
    ),
];

/// The lints that code which uses only a part of the module does not pass.
const ALLOW: &str = "#![allow(dead_code, unreachable_pub, unused_imports, unused_macros)]";

/// The module's file for types alone. It is text already, in a layout that its authors chose, and so is not parsed.
pub(super) fn emit(cx: &Emit<'_>) -> Code {
    let replacements = replacements(cx);
    let root = replaced(&replacements, ROOT);
    let docs_end = root.find("\n\n").unwrap_or(root.len());
    let (docs, content) = root.split_at(docs_end);
    let mut text = format!("{docs}\n\n{ALLOW}");
    let mut lines = content.lines().peekable();
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            lines.next();
            continue;
        }
        match submodule(line) {
            Some((declared, source)) => {
                // The modules stand close together; their contents do not.
                text.push_str(&format!("\n{declared} {{\n"));
                push_indented(&mut text, &replaced(&replacements, source));
                text.push_str("}\n");
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    let mut items = Items::default();
    items.push_text(&text);
    Code {
        items,
        ..Code::default()
    }
}

/// A submodule that a line declares: the line without its semicolon, and the source.
fn submodule(line: &str) -> Option<(&str, &'static str)> {
    let declared = line.strip_suffix(';')?;
    let private = declared.strip_prefix("pub ").unwrap_or(declared);
    let name = private.strip_prefix("mod ")?;
    let (_, source) = SUBMODULES.iter().find(|(known, _)| *known == name)?;
    Some((declared, source))
}

fn push_indented(text: &mut String, source: &str) {
    for line in source.lines() {
        if !line.is_empty() {
            text.push_str("    ");
            text.push_str(line);
        }
        text.push('\n');
    }
}

/// Texts of the runtime's sources, and their replacements in the copy: the runtime's macro is for every crate, the
/// copy's for its own.
fn replacements(cx: &Emit<'_>) -> [(&'static str, String); 8] {
    [
        (
            "use k8s_openapi::",
            format!("use {}::", cx.k8s_openapi_path()),
        ),
        ("#[macro_export]\n", String::new()),
        (
            "pub use crate::__codec_object",
            "pub(crate) use __codec_object".to_owned(),
        ),
        (
            "pub use crate::__codec_integers",
            "pub(crate) use __codec_integers".to_owned(),
        ),
        (
            "pub use crate::__codec_texts",
            "pub(crate) use __codec_texts".to_owned(),
        ),
        (
            "pub use crate::__codec_union",
            "pub(crate) use __codec_union".to_owned(),
        ),
        (
            "pub use self::{integers::integers, object::object, texts::texts, union::union};",
            "pub(crate) use self::{integers::integers, object::object, texts::texts, union::union};"
                .to_owned(),
        ),
        ("$crate::codec", cx.codec()),
    ]
}

fn replaced(replacements: &[(&str, String)], text: &str) -> String {
    let replace = |text: String, (from, to): &(&str, String)| text.replace(from, to);
    replacements.iter().fold(text.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use crate::{Generator, Options, model::ApiSet, output::format::module_file};

    use super::*;

    #[test]
    fn the_copy_has_every_module_of_the_runtime_and_no_tests() {
        let options = Options {
            emit: [Generator::Types].into(),
            k8s_openapi_path: Some("::kube::k8s_openapi".to_owned()),
            ..Options::default()
        };
        let api = ApiSet::default();
        let cx = Emit {
            api: &api,
            options: &options,
        };
        let sources: String = SUBMODULES.iter().map(|(_, text)| *text).collect();
        for (from, _) in replacements(&cx) {
            assert!(ROOT.contains(from) || sources.contains(from), "{from}");
        }
        let text = module_file(None, emit(&cx)).unwrap();
        let file = syn::parse_file(&text).unwrap();
        let modules: Vec<String> = file
            .items
            .iter()
            .filter_map(|item| match item {
                syn::Item::Mod(module) => Some((module.content.is_some(), &module.ident)),
                _ => None,
            })
            .map(|(inline, name)| format!("{name} {inline}"))
            .collect();
        assert_eq!(
            modules,
            [
                "base64 true",
                "condition true",
                "exact_reader true",
                "exact_writer true",
                "int_or_string true",
                "integers true",
                "kubernetes true",
                "number true",
                "object true",
                "object_writer true",
                "optional_text true",
                "quantity true",
                "sparse true",
                "texts true",
                "time true",
                "union true",
                "present true",
                "filled true",
                "nullable true"
            ]
        );
        assert!(
            text.contains("use ::kube::k8s_openapi::ByteString;"),
            "{text}"
        );
        assert!(!text.contains("]\n\n    macro_rules!"), "{text}");
        for runtimes in ["use k8s_openapi", "$crate", "macro_export", "crate::__"] {
            assert!(!text.contains(runtimes), "{runtimes} in {text}");
        }
    }
}
