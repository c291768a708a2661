//! Module files that only declare submodules.

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit, Files,
    context::{by_group, ident, module_docs},
};
use crate::model::{Group, Version};

/// Emits `<dir>/mod.rs` and `<dir>/<group>/mod.rs`: one public module for each group, and for each of its versions.
///
/// ```ignore
/// //! Listers, by group and version.
///
/// pub mod cloudnative;
/// ```
pub(crate) fn emit<'a>(
    cx: &'a Emit<'a>,
    files: &mut Files<'a>,
    dir: &str,
    what: &'static str,
    example: fn(&Emit<'_>) -> String,
    versions: impl Iterator<Item = (&'a Group, &'a Version)>,
) {
    let groups = by_group(versions);
    let members: Vec<&Group> = groups.iter().map(|(group, _)| *group).collect();
    files.rust(format!("{dir}/mod.rs"), move || {
        let docs = module_docs(&format!("{what}, by group and version.{}", example(cx)));
        let features = members.iter().map(|group| cx.feature(group));
        let modules = members.iter().map(|group| ident(&group.module));
        quote!(#docs #(#features pub mod #modules;)*)
    });
    for (group, versions) in groups {
        files.rust(format!("{dir}/{}/mod.rs", group.module), move || {
            let docs = module_docs(&format!("{what} for `{}`.", group.name));
            let features = versions
                .iter()
                .map(|version| cx.version_feature(group, version));
            let allowed = versions.iter().map(|version| inception(group, version));
            let modules = versions.iter().map(|version| ident(&version.module));
            quote!(#docs #(#features #allowed pub mod #modules;)*)
        });
    }
}

/// Allows the module of a version to have the name of its group's.
pub(super) fn inception(group: &Group, version: &Version) -> Option<TokenStream> {
    let same = group.module == version.module;
    same.then(|| quote!(#[allow(clippy::module_inception)]))
}
