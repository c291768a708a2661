//! Role rules, webhooks and conversions, from crate-level markers.
//!
//! The markers come from API packages of any language and from files without API types; they belong
//! to the crate, not to a version. Start reading at [`lower`].

pub(super) mod conversion;
mod endpoint;
pub(super) mod owners;
mod rules;
mod webhooks;

use std::collections::BTreeSet;

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::ApiSet,
    options::Compat,
    read::markers::MarkerSet,
    suggest::closest,
};

/// Collects the markers that belong to the crate, in order.
pub(super) fn gather<'a>(sets: impl Iterator<Item = &'a MarkerSet>) -> MarkerSet {
    let markers = sets.flat_map(|set| &set.0);
    let markers = markers.filter(|marker| marker.def.stands_anywhere());
    MarkerSet(markers.cloned().collect())
}

/// Adds rules and webhooks to an API whose kinds are complete, and determines the conversion of
/// each kind. `is_complete` tells that no marker may be missing because of an error.
pub(super) fn lower(
    markers: &MarkerSet,
    compat: Compat,
    api: &mut ApiSet,
    diagnostics: &mut Diagnostics,
    is_complete: bool,
) {
    let cx = Cx {
        compat,
        is_complete,
        known: known_resources(api),
    };
    let rules = rules::rules(&cx, markers, diagnostics);
    let webhooks = webhooks::webhooks(&cx, markers, diagnostics);
    api.rules.extend(rules);
    api.webhooks.extend(webhooks);
    conversion::settle(api, diagnostics);
}

/// The context of lowering a crate's markers.
struct Cx {
    compat: Compat,
    /// Whether all markers were read.
    is_complete: bool,
    /// Group, version and plural of each kind.
    known: BTreeSet<[String; 3]>,
}

fn known_resources(api: &ApiSet) -> BTreeSet<[String; 3]> {
    let mut known = BTreeSet::new();
    for (group, version) in api.versions() {
        for resource in &version.resources {
            let names = [&group.name, &version.name, &resource.plural];
            known.insert(names.map(Clone::clone));
        }
    }
    known
}

impl Cx {
    fn is_strict(&self) -> bool {
        self.compat.is_strict()
    }

    /// Warns about a resource that does not exist in an API group of this crate.
    fn check_resource(
        &self,
        group: &str,
        resource: &str,
        place: &Place,
        diagnostics: &mut Diagnostics,
    ) {
        let plural = resource.split('/').next().unwrap_or_default();
        let kinds = || self.known.iter().filter(|[known, ..]| known == group);
        let mut plurals = kinds().map(|[.., plural]| plural.as_str());
        if plural == "*" || kinds().next().is_none() || plurals.any(|known| known == plural) {
            return;
        }
        let near = closest(plural, kinds().map(|[.., plural]| plural.as_str()));
        let help = near.map_or_else(
            || "write the plural of a kind".to_owned(),
            |near| format!("did you mean `{near}`?"),
        );
        diagnostics.push(
            Diagnostic::warning(format!("no kind of {group} has the plural `{plural}`"))
                .at(place.clone(), "nothing matches it")
                .help(help),
        );
    }

    /// Warns about a version that does not exist in an API group of this crate.
    fn check_version(
        &self,
        group: &str,
        version: &str,
        place: &Place,
        diagnostics: &mut Diagnostics,
    ) {
        let mut versions: Vec<&str> = Vec::new();
        for [known, version, _] in &self.known {
            if known == group && !versions.contains(&version.as_str()) {
                versions.push(version);
            }
        }
        if version == "*" || versions.is_empty() || versions.contains(&version) {
            return;
        }
        diagnostics.push(
            Diagnostic::warning(format!("{group} has no version `{version}`"))
                .at(place.clone(), "nothing matches it")
                .help(format!("it has {}", versions.join(", "))),
        );
    }
}

/// Replaces `core` with the empty group, as controller-tools does.
fn core_group(mut groups: Vec<String>) -> Vec<String> {
    for group in groups.iter_mut().filter(|group| *group == "core") {
        group.clear();
    }
    groups
}
