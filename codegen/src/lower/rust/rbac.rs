//! Rules of roles, from the `+kubebuilder:rbac` markers of a crate.

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::PolicyRule,
    read::markers::{Found, MarkerSet, policy::Rbac},
};

/// The rules, in the order of the markers.
pub(super) fn rules(markers: &MarkerSet, diagnostics: &mut Diagnostics) -> Vec<PolicyRule> {
    let markers = markers.all::<Rbac>();
    markers.map(|marker| rule(marker, diagnostics)).collect()
}

fn rule(marker: Found<'_, Rbac>, diagnostics: &mut Diagnostics) -> PolicyRule {
    let Found { marker, place } = marker;
    let rule = PolicyRule {
        groups: core_group(marker.groups.unwrap_or_default()),
        resources: marker.resources.unwrap_or_default(),
        resource_names: marker.resource_names.unwrap_or_default(),
        verbs: marker.verbs,
        urls: marker.urls.unwrap_or_default(),
        namespace: marker.namespace,
        role_name: marker.role_name,
    };
    if rule.resources.is_empty() == rule.urls.is_empty() {
        let found = if rule.urls.is_empty() {
            "about neither"
        } else {
            "about both"
        };
        diagnostics.push(
            Diagnostic::error("a rule is about resources or about URLs")
                .at(place.clone(), found)
                .help("write `resources=` with `groups=`, or `urls=`, in rules of their own"),
        );
    }
    rule
}

/// `core` is the empty group, as in controller-tools.
pub(super) fn core_group(mut groups: Vec<String>) -> Vec<String> {
    for group in groups.iter_mut().filter(|group| *group == "core") {
        group.clear();
    }
    groups
}
