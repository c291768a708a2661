//! Module files that only lead to others.

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
    cx: &Emit<'_>,
    files: &mut Files,
    dir: &str,
    what: &str,
    versions: impl Iterator<Item = (&'a Group, &'a Version)>,
) {
    let groups = by_group(versions);
    let docs = module_docs(&format!("{what}, by group and version."));
    let features = groups.iter().map(|(group, _)| cx.feature(group));
    let modules = groups.iter().map(|(group, _)| ident(&group.module));
    files.rust(
        format!("{dir}/mod.rs"),
        quote!(#docs #(#features pub mod #modules;)*),
    );
    for (group, versions) in groups {
        let docs = module_docs(&format!("{what} for `{}`.", group.name));
        let modules = versions.iter().map(|version| ident(&version.module));
        files.rust(
            format!("{dir}/{}/mod.rs", group.module),
            quote!(#docs #(pub mod #modules;)*),
        );
    }
}
