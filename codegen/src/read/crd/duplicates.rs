//! Checks CRDs against each other: kinds that are defined twice, and plurals that two kinds share.

use std::{collections::BTreeMap, sync::Arc};

use super::{
    Crd,
    schema::{Additional, Schema},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    options::Options,
    read::yaml,
};

/// Removes CRDs that repeat another, with a warning: charts and repositories have copies. `crds`
/// are sorted by group and kind.
pub(super) fn remove_copies(crds: &mut Vec<Crd>, options: &Options, diagnostics: &mut Diagnostics) {
    let mut kept: Vec<Crd> = Vec::with_capacity(crds.len());
    for crd in crds.drain(..) {
        let same_kind = kept.iter().rev();
        let mut same_kind =
            same_kind.take_while(|it| (&it.group, &it.kind) == (&crd.group, &crd.kind));
        match same_kind.find(|first| are_copies(first, &crd, options)) {
            Some(first) => diagnostics.push(
                about(
                    Diagnostic::warning(format!(
                        "{} of {} is defined twice in the same way",
                        crd.kind, crd.group
                    )),
                    &crd,
                    first,
                )
                .help("remove one of the two: the second is ignored"),
            ),
            None => kept.push(crd),
        }
    }
    *crds = kept;
}

/// Whether two CRDs of one kind differ in nothing that matters for the output.
fn are_copies(a: &Crd, b: &Crd, options: &Options) -> bool {
    let comparable = |crd: &Crd| {
        let mut crd = crd.clone();
        if !options.writes_crds() {
            crd.annotations.clear();
            crd.labels.clear();
        }
        crd.source.name.clear();
        without_places(crd)
    };
    comparable(a) == comparable(b)
}

pub(super) fn without_places(mut crd: Crd) -> Crd {
    crd.range = 0..0;
    crd.source.text = Arc::default();
    let versions = crd.versions.iter_mut().chain(&mut crd.left_out);
    versions
        .filter_map(|version| version.schema.as_mut())
        .for_each(drop_places);
    crd
}

fn drop_places(schema: &mut Schema) {
    schema.range = 0..0;
    schema
        .properties
        .iter_mut()
        .for_each(|(_, property)| drop_places(property));
    if let Additional::Schema(values) = &mut schema.additional {
        drop_places(values);
    }
    if let Some(items) = &mut schema.items {
        drop_places(items);
    }
}

/// Reports versions of a kind that are defined twice.
pub(super) fn refuse_duplicates(crds: &[Crd], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<(&str, &str, &str), &Crd> = BTreeMap::new();
    for crd in crds {
        for version in &crd.versions {
            let key = (crd.group.as_str(), crd.kind.as_str(), version.name.as_str());
            if let Some(first) = seen.insert(key, crd) {
                let finding = Diagnostic::error(format!(
                    "{} {}/{} is defined twice, in different ways",
                    crd.kind, crd.group, version.name
                ));
                let finding = about(finding, crd, first);
                diagnostics.push(finding.help("remove one of the two, or pass only one"));
                break;
            }
        }
    }
}

fn about(finding: Diagnostic, crd: &Crd, first: &Crd) -> Diagnostic {
    let place = |crd: &Crd| yaml::place(&crd.source, crd.range.clone());
    let finding = finding.at(place(crd), "again here");
    finding.at(place(first), "first here")
}

/// Reports kinds of one group with the same plural, which must be unique because it names the kind
/// in API paths.
pub(super) fn refuse_shared_plurals(crds: &[Crd], diagnostics: &mut Diagnostics) {
    let mut seen: BTreeMap<(&str, &str), &Crd> = BTreeMap::new();
    for crd in crds {
        let first = *seen.entry((&crd.group, &crd.plural)).or_insert(crd);
        if first.kind != crd.kind {
            diagnostics.push(
                Diagnostic::error(format!(
                    "two kinds of {} have the plural {:?}: {} and {}",
                    crd.group, crd.plural, first.kind, crd.kind
                ))
                .at(yaml::place(&crd.source, crd.range.clone()), "this one")
                .at(
                    yaml::place(&first.source, first.range.clone()),
                    "and this one",
                )
                .help("give one of them another plural"),
            );
        }
    }
}
