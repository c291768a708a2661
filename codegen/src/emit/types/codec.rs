//! The codec that generated types name: the runtime's or, for types alone, a copy of it beside them.
//!
//! The copy, `apis/codec.rs`, is `runtime/src/codec` with its submodules inline.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{AttrStyle, File, Item, ItemMod};

use crate::emit::Emit;

const ROOT: &str = include_str!("../../../../runtime/src/codec/mod.rs");

const SUBMODULES: [(&str, &str); 12] = [
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
        "quantity",
        include_str!("../../../../runtime/src/codec/quantity.rs"),
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

/// The module's file for types alone.
pub(super) fn emit(cx: &Emit<'_>) -> TokenStream {
    // Sources that are not Rust give no tokens, which the tests would find.
    let mut root = parse(cx, ROOT).unwrap_or(File {
        shebang: None,
        frontmatter: None,
        attrs: Vec::new(),
        items: Vec::new(),
    });
    root.items = root
        .items
        .into_iter()
        .filter_map(|item| inline(cx, item))
        .collect();
    let docs = &root.attrs;
    let items = &root.items;
    quote! {
        #(#docs)*
        #![allow(dead_code, unreachable_pub, unused_imports, unused_macros)]
        #(#items)*
    }
}

/// The item, with its content if it declares a submodule; none for tests.
fn inline(cx: &Emit<'_>, item: Item) -> Option<Item> {
    let Item::Mod(declared @ ItemMod { content: None, .. }) = item else {
        return Some(item);
    };
    let (_, text) = SUBMODULES.iter().find(|(name, _)| declared.ident == name)?;
    let file = parse(cx, text)?;
    let attrs = file.attrs.into_iter().map(|mut attribute| {
        attribute.style = AttrStyle::Outer;
        attribute
    });
    Some(Item::Mod(ItemMod {
        attrs: declared.attrs.into_iter().chain(attrs).collect(),
        content: Some((syn::token::Brace::default(), file.items)),
        semi: None,
        ..declared
    }))
}

/// Texts of the runtime's sources, and their replacements in the copy: the runtime's macro is for every crate, the
/// copy's for its own.
fn replacements(cx: &Emit<'_>) -> [(&'static str, String); 6] {
    [
        (
            "use k8s_openapi::",
            format!("use {}::", cx.k8s_openapi_path()),
        ),
        ("#[macro_export]", String::new()),
        (
            "pub use crate::__codec_object",
            "pub(crate) use __codec_object".to_owned(),
        ),
        (
            "pub use crate::__codec_union",
            "pub(crate) use __codec_union".to_owned(),
        ),
        (
            "pub use self::{object::object, union::union};",
            "pub(crate) use self::{object::object, union::union};".to_owned(),
        ),
        ("$crate::codec", cx.codec()),
    ]
}

fn parse(cx: &Emit<'_>, text: &str) -> Option<File> {
    let replaced = |text: String, (from, to): (&str, String)| text.replace(from, &to);
    let text = replacements(cx).into_iter().fold(text.to_owned(), replaced);
    syn::parse_file(&text).ok()
}

#[cfg(test)]
mod tests {
    use crate::{Generator, Options, model::ApiSet};

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
        let file: File = syn::parse2(emit(&cx)).unwrap();
        let modules: Vec<String> = file
            .items
            .iter()
            .filter_map(|item| match item {
                Item::Mod(module) => Some((module.content.is_some(), &module.ident)),
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
                "kubernetes true",
                "number true",
                "object true",
                "object_writer true",
                "quantity true",
                "time true",
                "union true",
                "present true",
                "filled true",
                "nullable true"
            ]
        );
        let text = prettyplease::unparse(&file);
        assert!(
            text.contains("use ::kube::k8s_openapi::ByteString;"),
            "{text}"
        );
        for runtimes in ["use k8s_openapi", "$crate", "macro_export", "crate::__"] {
            assert!(!text.contains(runtimes), "{runtimes} in {text}");
        }
    }
}
