//! Warns if annotated Rust yields little or no output, which could be mistaken for success.

use crate::{
    diag::{Diagnostic, Diagnostics},
    generator::Generator,
    model::{ApiSet, Resource},
    options::Options,
    read::{markers::crd::Skip, rust::Package},
};

/// Warns of versions without types, of input without kinds, and of kinds without clients.
pub(super) fn warn(
    packages: &[Package],
    options: &Options,
    api: &ApiSet,
    diagnostics: &mut Diagnostics,
) {
    let empty = |package: &&Package| package.items.is_empty() && !package.has_macros;
    let packages = packages
        .iter()
        .filter(|package| !package.markers.has::<Skip>());
    let packages: Vec<&Package> = packages.collect();
    for package in packages.iter().copied().filter(empty) {
        diagnostics.push(
            Diagnostic::warning("this version declares no types")
                .at(package.place.clone(), "")
                .help("declare its types in this file, or in files that it declares as modules"),
        );
    }
    let Some(first) = packages.iter().find(|&package| !empty(package)) else {
        return;
    };
    let resources: Vec<&Resource> = api
        .versions()
        .flat_map(|(_, version)| &version.resources)
        .collect();
    if resources.is_empty() {
        diagnostics.push(
            Diagnostic::warning("there are types, but no kinds")
                .at(first.place.clone(), "")
                .help(
                    "a kind is a struct with `// +genclient` or `// +kubebuilder:object:root=true` above it, and a field \
                     `metadata: ObjectMeta`",
                ),
        );
    } else if options.emits(Generator::Client) && !resources.iter().any(|one| one.client) {
        let kinds: Vec<&str> = resources.iter().map(|one| one.kind.as_str()).collect();
        let place = first_kind(&packages, &kinds).unwrap_or_else(|| first.place.clone());
        diagnostics.push(
            Diagnostic::warning("no kind has a client")
                .at(place, "")
                .help("write `// +genclient` above each kind that needs a client"),
        );
    }
}

/// Returns the place of the first kind.
fn first_kind(packages: &[&Package], kinds: &[&str]) -> Option<crate::diag::Place> {
    let mut items = packages.iter().flat_map(|package| &package.items);
    items
        .find(|item| kinds.contains(&item.name.as_str()))
        .map(|item| item.place.clone())
}
