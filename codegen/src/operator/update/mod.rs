//! Updates of an operator: what was written to it, and what this release would write, merged with
//! what became of it.
//!
//! [`Written`] is the record that commands keep. Start reading at [`outcomes`].

mod merge;
mod step;
mod written;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

pub use merge::{Merged, merge, merge_file};
pub use step::{Init, NewApi, NewBuiltin, NewController, Step, render};
pub use written::{Written, release};

/// What becomes of a file that this release writes differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It gets this text.
    Write(String),
    /// It stays, and this merge with conflict markers is for the user to decide.
    Conflict(String),
    /// The user has removed it, and it is not written again.
    Removed,
    /// It is new in this release, and the user has a file at its path.
    Taken,
    /// This release no longer writes it.
    Abandoned,
}

/// What becomes of the operator's files, whose present texts `read` returns. Files that stay as
/// they are have no outcome.
///
/// # Errors
///
/// Those of `read`.
pub fn outcomes<E>(
    written: &Written,
    mut read: impl FnMut(&Path) -> Result<Option<String>, E>,
) -> Result<BTreeMap<PathBuf, Outcome>, E> {
    let (base, theirs) = (written.texts(), written.of_this_release());
    let mut found = BTreeMap::new();
    for path in base.keys().chain(theirs.keys()) {
        let (base, theirs) = (base.get(path), theirs.get(path));
        if base != theirs
            && let Some(outcome) = outcome(path, base, theirs, read(path)?)
        {
            found.insert(path.clone(), outcome);
        }
    }
    Ok(found)
}

fn outcome(
    path: &Path,
    base: Option<&String>,
    theirs: Option<&String>,
    ours: Option<String>,
) -> Option<Outcome> {
    let (base, theirs, ours) = match (base, theirs, ours) {
        (Some(base), Some(theirs), Some(ours)) => (base, theirs, ours),
        (Some(_), Some(_), None) => return Some(Outcome::Removed),
        (Some(_), None, ours) => return ours.map(|_| Outcome::Abandoned),
        (None, theirs, None) => return theirs.map(|text| Outcome::Write(text.clone())),
        (None, theirs, Some(ours)) => {
            let is_other = theirs.is_some_and(|text| *text != ours);
            return is_other.then_some(Outcome::Taken);
        }
    };
    match merge_file(path, base, &ours, theirs) {
        Merged::Clean(text) => (text != ours).then_some(Outcome::Write(text)),
        Merged::Conflict(text) => Some(Outcome::Conflict(text)),
    }
}
