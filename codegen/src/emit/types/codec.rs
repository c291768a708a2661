//! The codec that generated types use: the runtime's or, if only types are generated, a copy of it beside them.
//!
//! The copy, `apis/codec.rs`, is the codec of `kube-codec` with the submodules that the types need inlined, and without comments and
//! blank lines: it is private, and the original is there to be read.

use std::collections::{BTreeMap, BTreeSet};

use kube_codec::sources::{PARTS, Part, ROOT, VERSION};

use super::{Unit, imports::fill, union, units, values};
use crate::{
    builtin::is_exact_by_codec,
    emit::{
        Emit,
        serde_attributes::{Presence, may_be_null},
    },
    model::{EnumValues, Field, KnownType, TypeDef, TypeKind, TypeRef, UnknownFields},
    output::format::{Code, Items},
};

/// The submodule whose source ends with a list of Kubernetes types. A copy only lists the types in use.
const KUBERNETES: &str = "kubernetes";

/// Macros that generated types call, after the submodules that define them.
const MACROS: [(&str, &str); 6] = [
    ("integers", "integers"),
    ("kinds", "kinds"),
    ("object", "name"),
    ("object", "object"),
    ("texts", "texts"),
    ("union", "union"),
];

/// The lints that fail if only a part of the module is used.
const ALLOW: &str = "#![allow(dead_code, unreachable_pub, unused_imports, unused_macros)]";

/// The module's file, for output without the runtime. Its source is already formatted, so it is not parsed.
pub(super) fn emit(cx: &Emit<'_>) -> Code {
    let mut items = Items::default();
    items.push_text(&copy(cx, &needed(cx), &exact(cx)));
    Code {
        items,
        ..Code::default()
    }
}

/// The names of the submodules that the types need, including transitive ones.
fn needed(cx: &Emit<'_>) -> BTreeSet<&'static str> {
    let mut needed = BTreeSet::from(["object"]);
    for unit in units(cx) {
        if !unit.resources.is_empty() {
            needed.insert("kinds");
        }
        for def in unit.types {
            needed.extend(needed_by(cx, unit, def));
        }
    }
    loop {
        let found = needed.len();
        let more = PARTS.iter().filter(|part| needed.contains(part.name));
        let more: Vec<&str> = more.flat_map(|part| part.needs).copied().collect();
        needed.extend(more);
        if needed.len() == found {
            return needed;
        }
    }
}

/// The submodules that a type's code calls or whose types it contains.
fn needed_by(cx: &Emit<'_>, unit: Unit<'_>, def: &TypeDef) -> Vec<&'static str> {
    let mut needed: Vec<&'static str> = contained(def).into_iter().filter_map(coded_by).collect();
    match &def.kind {
        TypeKind::Struct(body) => {
            let has = |test: fn(&Field) -> bool| body.fields.iter().any(test);
            let is_omittable =
                |field: &Field| Presence::of(field) == Presence::Omittable || may_be_null(field);
            let parts = [
                ("derived", !unit.is_listed(cx, def)),
                ("hashed", has(|field| field.hashed)),
                ("omittable", has(is_omittable)),
                ("sparse", has(|field| field.sparse)),
                ("union", union::has_view(def)),
            ];
            needed.extend(parts.iter().filter(|part| part.1).map(|part| part.0));
        }
        TypeKind::Enum(body) if values::is_listed(cx, def) => needed.push(match body.values {
            EnumValues::Texts => "texts",
            EnumValues::Integers => "integers",
        }),
        _ => {}
    }
    needed
}

/// The types that a type contains.
fn contained(def: &TypeDef) -> Vec<&TypeRef> {
    match &def.kind {
        TypeKind::Struct(body) => {
            let unknown = match &body.unknown_fields {
                UnknownFields::Kept(ty) => Some(ty),
                UnknownFields::Pruned => None,
            };
            let fields = body.fields.iter().map(|field| &field.ty);
            fields.chain(unknown).collect()
        }
        TypeKind::Alias(alias) => vec![&alias.target],
        _ => Vec::new(),
    }
}

/// The Kubernetes types that are encoded by [`KUBERNETES`], by module.
fn exact(cx: &Emit<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut modules: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let defs = units(cx).flat_map(|unit| unit.types);
    let held = defs.flat_map(contained).map(TypeRef::element);
    for path in held
        .filter(|ty| coded_by(ty) == Some(KUBERNETES))
        .filter_map(TypeRef::path)
    {
        if let Some((module, name)) = path.rsplit_once("::") {
            let module = module.trim_start_matches("k8s_openapi::api::").to_owned();
            modules.entry(module).or_default().insert(name.to_owned());
        }
    }
    modules
}

/// The submodule that encodes a type.
fn coded_by(ty: &TypeRef) -> Option<&'static str> {
    match ty.element() {
        TypeRef::Float => Some("number"),
        TypeRef::Known(KnownType::ByteString) => Some("base64"),
        TypeRef::Known(KnownType::Condition) => Some("condition"),
        TypeRef::Known(KnownType::IntOrString) => Some("int_or_string"),
        TypeRef::Known(KnownType::Quantity) => Some("quantity"),
        TypeRef::Known(KnownType::Time) => Some("time"),
        element => is_exact_by_codec(element).then_some(KUBERNETES),
    }
}

/// The codec with the specified submodules and Kubernetes types.
fn copy(
    cx: &Emit<'_>,
    needed: &BTreeSet<&str>,
    exact: &BTreeMap<String, BTreeSet<String>>,
) -> String {
    let replacements = replacements(cx);
    let root = replaced(&replacements, ROOT);
    let summary = root.lines().next().unwrap_or_default();
    let about = format!(
        "//! This is a copy of `codegen_runtime::codec` {VERSION}, without its comments and what these types do not need."
    );
    let mut text = format!("{summary}\n//!\n{about}\n\n{ALLOW}\n\n");
    let mut lines = code_lines(&root);
    while let Some(line) = lines.next() {
        if line == "#[cfg(test)]" {
            lines.next();
            continue;
        }
        if exports(line).is_some_and(|name| !needed.contains(name)) {
            continue;
        }
        match submodule(line) {
            Some((_, part)) if !needed.contains(part.name) => {}
            Some((declared, part)) => {
                // No blank lines between the modules, but inside of them.
                text.push_str(&format!("{declared} {{\n"));
                let source = if part.name == KUBERNETES {
                    &with_types(part.source, exact)
                } else {
                    part.source
                };
                push_indented(&mut text, &replaced(&replacements, source));
                text.push_str("}\n");
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// The source of [`KUBERNETES`] with its list of types replaced.
fn with_types(source: &str, exact: &BTreeMap<String, BTreeSet<String>>) -> String {
    let (code, _) = source.split_once("\nexact! {").unwrap_or((source, ""));
    let mut text = format!("{code}\nexact! {{\n");
    for (module, names) in exact {
        let names: Vec<String> = names.iter().cloned().collect();
        fill(&mut text, &format!("    {module} {{"), &names, " }");
    }
    text.push_str("}\n");
    text
}

/// The lines of a source without comments and blank lines.
fn code_lines(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter(|line| {
        let line = line.trim_start();
        !line.is_empty() && !line.starts_with("//") && line != "#[doc(hidden)]"
    })
}

/// The submodule that a line re-exports from.
fn exports(line: &str) -> Option<&str> {
    let (visibility, path) = line.split_once("use self::")?;
    visibility.starts_with("pub").then_some(())?;
    path.split_once("::").map(|(name, _)| name)
}

/// The submodule that a line declares, and the line without its semicolon.
fn submodule(line: &str) -> Option<(&str, &'static Part)> {
    let declared = line.strip_suffix(';')?;
    let private = declared.strip_prefix("pub ").unwrap_or(declared);
    let name = private.strip_prefix("mod ")?;
    Some((declared, Part::named(name)?))
}

fn push_indented(text: &mut String, source: &str) {
    for line in code_lines(source) {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
}

/// Replacements in the original's source for the copy: the original's macros are exported for other crates, the copy's are not.
fn replacements(cx: &Emit<'_>) -> Vec<(String, String)> {
    let k8s_openapi = format!("use {}::", cx.k8s_openapi_path());
    let mut replacements = vec![
        ("use k8s_openapi::".to_owned(), k8s_openapi),
        ("#[macro_export]\n".to_owned(), String::new()),
        ("$crate::codec".to_owned(), cx.codec()),
        ("$crate::k8s_openapi".to_owned(), cx.k8s_openapi_path()),
    ];
    for (module, name) in MACROS {
        let exported = [
            format!("use crate::__codec_{name}"),
            format!("use self::{module}::{name};"),
        ];
        for path in exported {
            let copied = path.replace("crate::", "");
            replacements.push((format!("pub {path}"), format!("pub(crate) {copied}")));
        }
    }
    replacements
}

fn replaced(replacements: &[(String, String)], text: &str) -> String {
    let replace = |text: String, (from, to): &(String, String)| text.replace(from, to);
    replacements.iter().fold(text.to_owned(), replace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Generator, Options, model::ApiSet, output::format::module_file};

    fn check(test: impl FnOnce(&Emit<'_>)) {
        let options = Options {
            emit: [Generator::Types].into(),
            k8s_openapi_path: Some("::kube::k8s_openapi".to_owned()),
            ..Options::default()
        };
        let api = ApiSet::default();
        test(&Emit {
            api: &api,
            options: &options,
        });
    }

    /// The inline modules of the file.
    fn modules(text: String) -> Vec<String> {
        let mut items = Items::default();
        items.push_text(&text);
        let code = Code {
            items,
            ..Code::default()
        };
        let file = syn::parse_file(&module_file(None, code).unwrap()).unwrap();
        let modules = file.items.iter().filter_map(|item| match item {
            syn::Item::Mod(module) => Some((module.content.is_some(), &module.ident)),
            _ => None,
        });
        modules
            .map(|(inline, name)| format!("{name} {inline}"))
            .collect()
    }

    #[test]
    fn the_copy_has_every_module_of_the_original_that_is_needed_and_no_tests_or_comments() {
        check(|cx| {
            let all: BTreeSet<&str> = PARTS.iter().map(|part| part.name).collect();
            let exact = BTreeMap::from([("core::v1".to_owned(), ["PodSpec".to_owned()].into())]);
            let sources: String = PARTS.iter().map(|part| part.source).collect();
            for (from, _) in replacements(cx) {
                assert!(ROOT.contains(&from) || sources.contains(&from), "{from}");
            }
            let text = copy(cx, &all, &exact);
            assert!(
                text.contains("use ::kube::k8s_openapi::ByteString;"),
                "{text}"
            );
            let (head, code) = text.split_once(ALLOW).expect("lints");
            assert!(head.contains(VERSION), "{head}");
            for absent in [
                "use k8s_openapi",
                "$crate",
                "macro_export",
                "crate::__",
                "//",
                "\n\n\n",
            ] {
                assert!(!code.contains(absent), "{absent} in {text}");
            }
            let expected = PARTS.iter().map(|part| format!("{} true", part.name));
            assert_eq!(modules(text), expected.collect::<Vec<_>>());
        });
    }

    #[test]
    fn a_part_that_no_type_needs_is_left_out_with_its_export() {
        check(|cx| {
            let text = copy(cx, &needed(cx), &BTreeMap::new());
            assert!(
                !text.contains("self::time") && !text.contains("Condition"),
                "{text}"
            );
            assert_eq!(
                modules(text),
                ["object true", "object_writer true", "property true"]
            );
        });
    }
}
