//! The emitters' context: the model, the options, and the paths that generated code uses.

use std::str::FromStr;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;

use crate::{
    model::{ApiSet, Group, Resource, Version, names},
    options::Options,
    release::SERIES,
};

/// The context of all emitters: the model and the options, with shorthands for paths in generated code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Emit<'a> {
    /// The whole API.
    pub(crate) api: &'a ApiSet,
    /// The options.
    pub(crate) options: &'a Options,
}

impl<'a> Emit<'a> {
    /// The runtime crate (`::codegen_runtime`).
    pub(crate) fn runtime(&self) -> TokenStream {
        path(&self.options.runtime_path)
    }

    /// `::codegen_runtime::generated_by!("0.1");`, which the runtime makes an error if it cannot serve the file. `None` if the code
    /// does without the runtime.
    pub(crate) fn generated_by(&self) -> Option<TokenStream> {
        let runtime = self.options.needs_runtime().then(|| self.runtime())?;
        Some(quote!(#runtime::generated_by!(#SERIES);))
    }

    /// `k8s_openapi`: the path set in the options, else the runtime's re-export, else the crate itself.
    pub(crate) fn k8s_openapi(&self) -> TokenStream {
        path(&self.k8s_openapi_path())
    }

    /// The path of [`k8s_openapi`](Self::k8s_openapi), as a string.
    pub(crate) fn k8s_openapi_path(&self) -> String {
        if self.options.needs_runtime() {
            return format!("{}::k8s_openapi", self.options.runtime_path);
        }
        let given = self.options.k8s_openapi_path.as_deref();
        given.unwrap_or("::k8s_openapi").to_owned()
    }

    /// A module inside of `k8s_openapi`, by its path relative to that crate.
    pub(crate) fn k8s_openapi_module(&self, module: &str) -> TokenStream {
        let below = module.strip_prefix("k8s_openapi").unwrap_or_default();
        path(&format!("{}{below}", self.k8s_openapi_path()))
    }

    /// The path of the codec that types from CRDs use: the runtime's, else the copy beside the types.
    pub(crate) fn codec(&self) -> String {
        if self.options.needs_runtime() {
            format!("{}::codec", self.options.runtime_path)
        } else {
            format!("{}::apis::codec", self.options.base_path)
        }
    }

    /// Path of the `generated` module, whose name is configurable.
    pub(crate) fn generated(&self) -> String {
        self.options.generated_path()
    }

    /// The imports of a file: modules of the runtime crate, and the version's types as `api`.
    ///
    /// Only modules are imported, since API types may have any name.
    pub(crate) fn imports(&self, version: &Version, runtime_modules: &[&str]) -> TokenStream {
        self.imports_with(version, runtime_modules, &[])
    }

    /// Like [`imports`](Self::imports), with additional modules under aliases; sorted by path.
    pub(crate) fn imports_with(
        &self,
        version: &Version,
        runtime_modules: &[&str],
        more: &[(String, &str)],
    ) -> TokenStream {
        let runtime_path = &self.options.runtime_path;
        let runtime = self.runtime();
        let modules = runtime_modules.iter().map(|module| ident(module));
        let (runtime_path, runtime_use) = match runtime_modules {
            [module] => (
                format!("{runtime_path}::{module}"),
                quote!(use #runtime::#(#modules)*;),
            ),
            _ => (runtime_path.clone(), quote!(use #runtime::{#(#modules),*};)),
        };
        let mut uses = vec![
            (runtime_path, runtime_use),
            (version.path.clone(), use_as(&version.path, "api")),
        ];
        uses.extend(
            more.iter()
                .map(|(path, name)| (path.clone(), use_as(path, name))),
        );
        uses.sort_by(|a, b| a.0.cmp(&b.0));
        uses.into_iter().map(|(_, tokens)| tokens).collect()
    }

    /// Versions that have a resource with a client, each with its group.
    pub(crate) fn client_versions(
        &self,
    ) -> impl Iterator<Item = (&'a Group, &'a Version)> + use<'a> {
        let api = self.api;
        api.versions()
            .filter(|(_, version)| version.resources.iter().any(|resource| resource.client))
    }

    /// Versions that have a resource with an informer, each with its group.
    pub(crate) fn informer_versions(
        &self,
    ) -> impl Iterator<Item = (&'a Group, &'a Version)> + use<'a> {
        let api = self.api;
        api.versions()
            .filter(|(_, version)| version.resources.iter().any(Resource::has_informer))
    }
}

/// Groups a filtered list of versions by API group, in order.
pub(crate) fn by_group<'a>(
    versions: impl Iterator<Item = (&'a Group, &'a Version)>,
) -> Vec<(&'a Group, Vec<&'a Version>)> {
    let mut groups: Vec<(&Group, Vec<&Version>)> = Vec::new();
    for (group, version) in versions {
        match groups.last_mut() {
            Some((last, versions)) if last.name == group.name => versions.push(version),
            _ => groups.push((group, vec![version])),
        }
    }
    groups
}

/// Parses a path from the options or the model.
///
/// A string that is not a path yields no tokens; formatting then reports the file as invalid.
pub(crate) fn path(text: &str) -> TokenStream {
    TokenStream::from_str(text).unwrap_or_default()
}

/// The identifier of a name; keywords become raw identifiers.
pub(crate) fn ident(name: &str) -> Ident {
    let legal = names::ident(name);
    match legal.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(&legal, Span::call_site()),
    }
}

/// JSON as a raw string literal, `r#"{"kind":"Foo"}"#`, which needs no escapes and so stays legible.
///
/// JSON with invisible characters is escaped: rustc rejects those that change the direction of text in literals.
pub(crate) fn json_literal(json: &serde_json::Value) -> Literal {
    let text = json.to_string();
    let is_visible = |c: char| matches!(c, '"' | '\\' | '\'') || c.escape_debug().count() == 1;
    if !text.chars().all(is_visible) {
        return Literal::string(&text);
    }
    let after_quotes = text.split('"').skip(1).map(leading_signs).max();
    let signs = "#".repeat(after_quotes.map_or(0, |signs| signs + 1));
    Literal::from_str(&format!("r{signs}\"{text}\"{signs}"))
        .unwrap_or_else(|_| Literal::string(&text))
}

/// The number of `#` that a text starts with.
fn leading_signs(text: &str) -> usize {
    text.len() - text.trim_start_matches('#').len()
}

/// The name of a type that belongs to a kind, in camel case (`VirtualMachine` and `Lister`: `VirtualMachineLister`). If kinds of
/// a version differ only in case, it is based on the name of the kind's root type.
pub(crate) fn kind_ident(version: &Version, resource: &Resource, suffix: &str) -> Ident {
    let name = names::upper_camel(&resource.kind);
    let mut others = version.resources.iter();
    let is_shared =
        others.any(|other| other.kind != resource.kind && names::upper_camel(&other.kind) == name);
    let name = if is_shared { &resource.root } else { &name };
    ident(&format!("{name}{suffix}"))
}

/// Documentation as `///` lines.
pub(crate) fn docs(text: &str) -> TokenStream {
    let lines = doc_lines(text);
    quote!(#(#[doc = #lines])*)
}

/// Documentation of a module as `//!` lines.
pub(crate) fn module_docs(text: &str) -> TokenStream {
    let lines = doc_lines(text);
    quote!(#(#![doc = #lines])*)
}

fn doc_lines(text: &str) -> Vec<String> {
    text.lines()
        .map(|line| match line.trim_end() {
            "" => String::new(),
            line => format!(" {line}"),
        })
        .collect()
}

/// `group/version`, or only the version for the core group.
pub(crate) fn api_version(group: &Group, version: &Version) -> String {
    if group.name.is_empty() {
        version.name.clone()
    } else {
        format!("{}/{}", group.name, version.name)
    }
}

/// Imports a module under an alias, or without one if the names are equal.
fn use_as(module: &str, name: &str) -> TokenStream {
    let same = module.rsplit("::").next() == Some(name);
    let (module, name) = (path(module), ident(name));
    if same {
        quote!(use #module;)
    } else {
        quote!(use #module as #name;)
    }
}

#[cfg(test)]
mod tests {
    use super::json_literal;
    use serde_json::{Value, json};

    #[track_caller]
    fn check(json: &Value, expected: &str) {
        let literal = json_literal(json).to_string();
        assert_eq!(literal, expected);
        assert_eq!(
            syn::parse_str::<syn::LitStr>(&literal).unwrap().value(),
            json.to_string()
        );
    }

    #[test]
    fn json_is_raw_unless_it_is_invisible() {
        rows!(check:
            (&json!({"a": "b\n"}), r###"r#"{"a":"b\n"}"#"###),
            (&json!(["#", "a\"##b"]), r####"r###"["#","a\"##b"]"###"####),
            (&json!(5), r#"r"5""#),
            (&json!("\u{202e}"), r#""\"\u{202e}\"""#),
        );
    }
}
