//! Cargo features of the user's crate: one per group or, on request, one per kind and version.
//!
//! ```toml
//! # Every kind of cloudnative.czs.
//! cloudnative = ["cloudnative_v1alpha1_virtual_machine"]
//! cloudnative_v1alpha1_virtual_machine = ["_cloudnative_v1alpha1"]
//! # Shared by the group's kinds, and enabled by them.
//! _cloudnative = []
//! _cloudnative_v1alpha1 = ["_cloudnative"]
//! ```
//!
//! Modules on the path to kinds are gated by the features with an underscore, which mean "any of these kinds": listing all kinds
//! at each module would make the conditions long.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};

use super::{Emit, types};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, Group, Origin, Resource, TypeKind, Version},
    options::Options,
};

/// A Cargo feature that gates generated code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CodeFeature {
    /// The feature's name.
    pub(crate) name: String,
    /// The gated code, as in "the feature for …".
    pub(crate) what: String,
    /// The features that it enables in turn.
    pub(crate) enables: Vec<String>,
    /// Whether users select it directly; other features are enabled by those.
    pub(crate) chosen: bool,
}

/// The features of an API: for its groups, and on request for its kinds.
pub(crate) fn of_api(api: &ApiSet, options: &Options) -> Vec<CodeFeature> {
    let groups = api.groups.iter();
    if options.kind_features {
        return groups.flat_map(of_kinds).collect();
    }
    let groups = groups.filter(|_| options.group_features);
    groups.map(|group| of_group(group, Vec::new())).collect()
}

fn of_group(group: &Group, enables: Vec<String>) -> CodeFeature {
    CodeFeature {
        name: group.module.clone(),
        what: group.name.clone(),
        enables,
        chosen: true,
    }
}

/// The features of a group's kinds, and those of their shared modules.
fn of_kinds(group: &Group) -> Vec<CodeFeature> {
    let mut kinds = Vec::new();
    let mut shared = vec![CodeFeature {
        name: base(group),
        what: format!("code shared by kinds of {}", group.name),
        enables: Vec::new(),
        chosen: false,
    }];
    for version in &group.versions {
        let api_version = super::context::api_version(group, version);
        for resource in &version.resources {
            let needed = needed_modules(version, resource);
            let needed = version
                .resources
                .iter()
                .filter(|other| needed.contains(&types::module_of(version, other)));
            let needed = needed.map(|other| of_kind(group, version, other));
            kinds.push(CodeFeature {
                name: of_kind(group, version, resource),
                what: format!("{} of {api_version}", resource.kind),
                enables: [version_base(group, version)]
                    .into_iter()
                    .chain(needed)
                    .collect(),
                chosen: true,
            });
        }
        shared.push(CodeFeature {
            name: version_base(group, version),
            what: format!("code shared by kinds of {api_version}"),
            enables: vec![base(group)],
            chosen: false,
        });
    }
    let all = kinds.iter().map(|kind| kind.name.clone()).collect();
    let group = of_group(group, all);
    [vec![group], kinds, shared].concat()
}

fn base(group: &Group) -> String {
    format!("_{}", group.module)
}

fn version_base(group: &Group, version: &Version) -> String {
    format!("_{}_{}", group.module, version.module)
}

fn of_kind(group: &Group, version: &Version, resource: &Resource) -> String {
    let module = types::module_of(version, resource);
    format!("{}_{}_{module}", group.module, version.module)
}

/// The feature that an example with the kind requires.
pub(crate) fn shown_by(
    group: &Group,
    version: &Version,
    resource: &Resource,
    options: &Options,
) -> String {
    if options.kind_features {
        of_kind(group, version, resource)
    } else {
        group.module.clone()
    }
}

/// The modules of other kinds that the kind's types refer to, directly or through other modules.
fn needed_modules(version: &Version, resource: &Resource) -> BTreeSet<String> {
    let modules = types::modules(types::Unit::of_version(version));
    let own = types::module_of(version, resource);
    let mut needed = BTreeSet::from([own.clone(), types::COMMON.to_owned()]);
    let mut rest: Vec<String> = needed.iter().cloned().collect();
    while let Some(module) = rest.pop() {
        let defs = modules.get(&module).into_iter().flatten();
        let types = defs.flat_map(|def| match &def.kind {
            TypeKind::Struct(body) => body.fields.iter().map(|field| &field.ty).collect(),
            TypeKind::Alias(alias) => vec![&alias.target],
            TypeKind::Enum(_) | TypeKind::Union(_) => Vec::new(),
        });
        let names: BTreeSet<&str> = types.filter_map(|ty| ty.local()).collect();
        for (other, defs) in &modules {
            let holds = defs.iter().any(|def| names.contains(def.name.as_str()));
            if holds && needed.insert(other.clone()) {
                rest.push(other.clone());
            }
        }
    }
    needed.remove(&own);
    needed
}

/// Rejects kind features for types that are not split into one module per kind, and duplicate feature names.
///
/// # Errors
///
/// One error for each version that does not come from CRDs, and for each duplicate name.
pub(crate) fn check(api: &ApiSet, options: &Options) -> Result<(), Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let versions = api.versions().filter(|_| options.kind_features);
    for (group, version) in versions.filter(|(_, version)| version.origin != Origin::Crd) {
        let message = format!(
            "`kind-features` requires types from CRDs: the types of {} have their own files",
            super::context::api_version(group, version)
        );
        let help = "write `group-features` instead, or generate from CRDs";
        diagnostics.push(Diagnostic::error(message).help(help));
    }
    let mut names = BTreeSet::new();
    for feature in of_api(api, options) {
        if options.kind_features && !names.insert(feature.name.clone()) {
            let message = format!(
                "two features have the name `{}`; one is that of {}",
                feature.name, feature.what
            );
            diagnostics.push(Diagnostic::error(message).help("write `group-features` instead"));
        }
    }
    diagnostics.finish(())
}

impl Emit<'_> {
    /// `#[cfg(feature = "…")]` of a group, if groups have features.
    pub(crate) fn feature(&self, group: &Group) -> Option<TokenStream> {
        if self.options.kind_features {
            return Some(condition(&base(group)));
        }
        let groups = self.options.group_features;
        groups.then(|| condition(&group.module))
    }

    /// `#[cfg(feature = "…")]` of a version within its group, if kinds have features.
    pub(crate) fn version_feature(&self, group: &Group, version: &Version) -> Option<TokenStream> {
        let kinds = self.options.kind_features;
        kinds.then(|| condition(&version_base(group, version)))
    }

    /// `#[cfg(feature = "…")]` of a kind within its version, if kinds have features.
    pub(crate) fn kind_feature(
        &self,
        group: &Group,
        version: &Version,
        resource: &Resource,
    ) -> Option<TokenStream> {
        let name = self.kind_feature_name(group, version, resource);
        name.map(|name| condition(&name))
    }

    /// The name of a kind's feature, if kinds have features.
    pub(crate) fn kind_feature_name(
        &self,
        group: &Group,
        version: &Version,
        resource: &Resource,
    ) -> Option<String> {
        let kinds = self.options.kind_features;
        kinds.then(|| of_kind(group, version, resource))
    }

    /// Gates each item of a kind by its [feature](Self::kind_feature).
    pub(crate) fn behind_kind(
        &self,
        group: &Group,
        version: &Version,
        resource: &Resource,
        items: TokenStream,
    ) -> TokenStream {
        let Some(feature) = self.kind_feature(group, version, resource) else {
            return items;
        };
        match syn::parse2::<syn::File>(items.clone()) {
            Ok(file) => {
                let items = file.items.iter().map(|item| item.to_token_stream());
                quote!(#(#feature #items)*)
            }
            // Formatting reports the invalid Rust with its file.
            Err(_) => items,
        }
    }
}

fn condition(feature: &str) -> TokenStream {
    quote!(#[cfg(feature = #feature)])
}
