//! Verbs of the typed client, from `+genclient` and its options.

use std::collections::BTreeSet;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{Verb, VerbSet},
    read::{
        markers::{Argument, Marker},
        rust::Item,
    },
    suggest,
};

/// The verbs that the markers leave.
pub(super) fn verbs(item: &Item, status: bool, diagnostics: &mut Diagnostics) -> VerbSet {
    let markers = &item.markers;
    let all = VerbSet::all(status);
    if markers.has("genclient:noVerbs") {
        return VerbSet::default();
    }
    if markers.has("genclient:readonly") {
        return VerbSet(BTreeSet::from([Verb::Get, Verb::List, Verb::Watch]));
    }
    if let Some(marker) = markers.get("genclient:onlyVerbs") {
        let only = listed(marker, diagnostics);
        for verb in only.difference(&all.0) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "there is no status, so no verb `{}`",
                    verb.marker_name()
                ))
                .at(marker.place.clone(), "asks for it")
                .help("remove the verb, or `+genclient:noStatus`"),
            );
        }
        return VerbSet(only);
    }
    let skipped = markers
        .get("genclient:skipVerbs")
        .map(|marker| listed(marker, diagnostics))
        .unwrap_or_default();
    VerbSet(all.0.difference(&skipped).copied().collect())
}

/// The verbs that a marker lists, each known and once.
fn listed(marker: &Marker, diagnostics: &mut Diagnostics) -> BTreeSet<Verb> {
    let mut verbs = BTreeSet::new();
    let Some(argument) = marker.argument("") else {
        return verbs;
    };
    let known = || Verb::ALL.iter().map(|verb| verb.marker_name());
    for word in marker.texts("") {
        match Verb::ALL
            .into_iter()
            .find(|verb| verb.marker_name() == word)
        {
            Some(verb) => {
                if !verbs.insert(verb) {
                    diagnostics.push(
                        Diagnostic::error(format!("the verb `{word}` is listed twice"))
                            .at(argument.place.clone(), ""),
                    );
                }
            }
            None => {
                let unknown = Diagnostic::error(format!("unknown verb `{word}`"))
                    .at(word_place(argument, &word), "no verb of a client");
                diagnostics.push(match suggest::closest(&word, known()) {
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

/// The place of a word in a list.
fn word_place(argument: &Argument, word: &str) -> crate::diag::Place {
    let mut place = argument.place.clone();
    let text = place.text.get(place.range.clone()).unwrap_or_default();
    if let Some(at) = text.find(word) {
        let start = place.range.start + at;
        place.range = start..start + word.len();
    }
    place
}
