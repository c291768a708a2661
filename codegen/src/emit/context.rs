//! The emitters' context: the model, the options, and the paths that generated code names.

use std::str::FromStr;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use crate::{
    model::{ApiSet, Group, Resource, Version, names},
    options::Options,
};

/// The context of every emitter: the model and the options, with shorthands for the paths that code names.
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

    /// `k8s_openapi`: as the options say, else the runtime's re-export, else the crate itself.
    pub(crate) fn k8s_openapi(&self) -> TokenStream {
        path(&self.k8s_openapi_path())
    }

    /// The path of [`k8s_openapi`](Self::k8s_openapi), as in the options.
    pub(crate) fn k8s_openapi_path(&self) -> String {
        if self.options.needs_runtime() {
            return format!("{}::k8s_openapi", self.options.runtime_path);
        }
        let given = self.options.k8s_openapi_path.as_deref();
        given.unwrap_or("::k8s_openapi").to_owned()
    }

    /// A module by its path from `k8s_openapi` on, wherever that crate is.
    pub(crate) fn k8s_openapi_module(&self, module: &str) -> TokenStream {
        let below = module.strip_prefix("k8s_openapi").unwrap_or_default();
        path(&format!("{}{below}", self.k8s_openapi_path()))
    }

    /// The codec of types from CRDs: the runtime's, else the one beside the types.
    pub(crate) fn codec(&self) -> String {
        if self.options.needs_runtime() {
            format!("{}::codec", self.options.runtime_path)
        } else {
            format!("{}::apis::codec", self.options.base_path)
        }
    }

    /// Path of the `generated` module, which may have another name.
    pub(crate) fn generated(&self) -> String {
        let module = names::ident(&self.options.generated);
        format!("{}::{module}", self.options.base_path)
    }

    /// The imports of a file: modules of the runtime crate, and the version's types as `api`.
    ///
    /// Only modules are imported, since a type may have any name.
    pub(crate) fn imports(&self, version: &Version, runtime_modules: &[&str]) -> TokenStream {
        self.imports_with(version, runtime_modules, &[])
    }

    /// [`imports`](Self::imports), and more modules by another name each; sorted by path.
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

/// The versions of each group, in order, from a filtered list of versions.
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

/// A path as written in the options or the model.
///
/// Text that is not a path gives no tokens, and so a file that formatting reports as invalid.
pub(crate) fn path(text: &str) -> TokenStream {
    TokenStream::from_str(text).unwrap_or_default()
}

/// The identifier of a name, raw where it is a keyword.
pub(crate) fn ident(name: &str) -> Ident {
    let legal = names::ident(name);
    match legal.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(&legal, Span::call_site()),
    }
}

/// The name of a type about a kind, in camel case whatever the kind's (`VirtualMachine` and `Lister`: `VirtualMachineLister`). Kinds of
/// one version that differ in case alone have their types' names in it.
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

/// Documentation of a file's module as `//!` lines.
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

/// `group/version`, or the version alone in the core group.
pub(crate) fn api_version(group: &Group, version: &Version) -> String {
    if group.name.is_empty() {
        version.name.clone()
    } else {
        format!("{}/{}", group.name, version.name)
    }
}

/// Imports a module by another name, or by its own where that is the same.
fn use_as(module: &str, name: &str) -> TokenStream {
    let same = module.rsplit("::").next() == Some(name);
    let (module, name) = (path(module), ident(name));
    if same {
        quote!(use #module;)
    } else {
        quote!(use #module as #name;)
    }
}
