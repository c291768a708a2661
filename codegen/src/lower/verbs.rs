//! Verbs of the typed client, from `+genclient` and its options.

use std::collections::BTreeSet;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{Verb, VerbSet},
    read::markers::{
        At, MarkerSet, Words,
        client::{NoVerbs, OnlyVerbs, ReadOnly, SkipVerbs},
    },
    suggest,
};

/// Returns the verbs that the markers select; `status` is whether the resource has a status
/// subresource.
pub(super) fn verbs(markers: &MarkerSet, status: bool, diagnostics: &mut Diagnostics) -> VerbSet {
    let all = if status {
        VerbSet::all()
    } else {
        VerbSet::without_status()
    };
    if markers.has::<NoVerbs>() {
        return VerbSet::default();
    }
    if markers.has::<ReadOnly>() {
        return VerbSet(BTreeSet::from([Verb::Get, Verb::List, Verb::Watch]));
    }
    if let Some(marker) = markers.get::<OnlyVerbs>() {
        let only = listed(&marker.verbs, diagnostics);
        for verb in only.difference(&all.0) {
            diagnostics.push(
                Diagnostic::error(format!("the verb `{}` needs a status", verb.marker_name()))
                    .at(marker.place.clone(), "asks for it")
                    .help("remove the verb, or `+genclient:noStatus`"),
            );
        }
        return VerbSet(only);
    }
    let skipped = markers
        .get::<SkipVerbs>()
        .map(|marker| listed(&marker.verbs, diagnostics))
        .unwrap_or_default();
    VerbSet(all.0.difference(&skipped).copied().collect())
}

/// Returns the verbs listed in a marker, and reports unknown and duplicate ones.
fn listed(words: &At<Words>, diagnostics: &mut Diagnostics) -> BTreeSet<Verb> {
    let mut verbs = BTreeSet::new();
    let known = || Verb::ALL.iter().map(|verb| verb.marker_name());
    for word in &words.0 {
        match Verb::ALL
            .into_iter()
            .find(|verb| verb.marker_name() == word)
        {
            Some(verb) => {
                if !verbs.insert(verb) {
                    diagnostics.push(
                        Diagnostic::error(format!("the verb `{word}` is listed twice"))
                            .at(words.place.clone(), ""),
                    );
                }
            }
            None => {
                let unknown = Diagnostic::error(format!("unknown verb `{word}`"))
                    .at(words.part(word), "not a client verb");
                diagnostics.push(match suggest::closest(word, known()) {
                    Some(near) => unknown.help(format!("did you mean `{near}`?")),
                    None => unknown.help(format!(
                        "the verbs are {}",
                        known().collect::<Vec<_>>().join(", ")
                    )),
                });
            }
        }
    }
    verbs
}
