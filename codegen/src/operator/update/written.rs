//! The record of what was written to an operator.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use miniz_oxide::{deflate::compress_to_vec, inflate::decompress_to_vec_with_limit};
use serde::{Deserialize, Serialize};

use super::{
    super::{Handler, runtime_dependency},
    merge::{Merged, merge},
    step::{Init, Step, prune, remove_handlers, render},
};
use crate::{output::Tree, release::RUNTIME};

/// The largest text that a record may hold, which no template reaches.
const LARGEST: usize = 1 << 20;

/// What was written to an operator: the steps that led to it, and the files as they were written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    steps: Vec<Step>,
    /// The steps that the texts are of.
    recorded: Vec<Step>,
    texts: Tree,
    release: String,
}

/// The record as it is stored.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(rename = "//")]
    comment: String,
    release: String,
    steps: Vec<Step>,
    files: BTreeMap<String, String>,
}

const COMMENT: &str = "What kube-codegen wrote to this folder, for `kube-codegen update`. Commit this file, and do not edit it.";

impl Written {
    /// The path of the record in the operator.
    pub const PATH: &str = ".kube-codegen.json";

    /// The record of a new operator.
    #[must_use]
    pub fn new(init: Init) -> Self {
        let mut written = Self {
            steps: vec![Step::Init(init)],
            recorded: Vec::new(),
            texts: Tree::new(),
            release: release().to_owned(),
        };
        written.settle(&BTreeSet::new());
        written
    }

    /// Reads a record.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn read(text: &str) -> Result<Self, String> {
        let stored: Stored = serde_json::from_str(text).map_err(|error| error.to_string())?;
        let mut texts = Tree::new();
        for (path, packed) in stored.files {
            let text = unpacked(&packed).ok_or_else(|| format!("the text of {path} is damaged"))?;
            texts.insert(path.into(), text);
        }
        Ok(Self {
            recorded: stored.steps.clone(),
            steps: stored.steps,
            texts,
            release: stored.release,
        })
    }

    /// The contents of the record's file.
    #[must_use]
    pub fn text(&self) -> String {
        let files = self.texts.iter();
        let files = files.map(|(path, text)| (slashed(path), packed(text)));
        let stored = Stored {
            comment: COMMENT.to_owned(),
            release: self.release.clone(),
            steps: self.recorded.clone(),
            files: files.collect(),
        };
        let mut text = serde_json::to_string_pretty(&stored).unwrap_or_default();
        text.push('\n');
        text
    }

    /// The release that wrote the texts.
    #[must_use]
    pub fn release(&self) -> &str {
        &self.release
    }

    /// The files as they were written.
    #[must_use]
    pub const fn texts(&self) -> &Tree {
        &self.texts
    }

    /// The files as this release writes them.
    #[must_use]
    pub fn of_this_release(&self) -> Tree {
        rendered(&self.recorded)
    }

    /// Adds a step, from the next [`settle`](Self::settle) on.
    pub fn add(&mut self, step: Step) {
        if !self.steps.contains(&step) && !step.joins(&mut self.steps) {
            self.steps.push(step);
        }
    }

    /// Removes handlers of webhooks.
    pub fn remove_handlers(&mut self, module: &str, handlers: &[Handler]) {
        remove_handlers(&mut self.steps, module, handlers);
    }

    /// Removes the migration of a kind.
    pub fn remove_migration(&mut self, group: &str, plural: &str) {
        self.steps.retain(
            |step| !matches!(step, Step::Migration { group: g, plural: p } if g == group && p == plural),
        );
    }

    /// Records the texts after all steps, of which those whose files are `gone` are removed.
    ///
    /// What an older release wrote stays as it was, with the lines that the steps change.
    pub fn settle(&mut self, gone: &BTreeSet<PathBuf>) {
        prune(&mut self.steps, &|path| gone.contains(path));
        let (before, mut after) = (rendered(&self.recorded), rendered(&self.steps));
        let mut texts = Tree::new();
        for (path, text) in &self.texts {
            let merged = match (before.get(path), after.remove(path)) {
                (Some(_), None) => None,
                (Some(before), Some(after)) => match merge(before, text, &after) {
                    Merged::Clean(merged) => Some(merged),
                    Merged::Conflict(_) => Some(text.clone()),
                },
                (None, _) => Some(text.clone()),
            };
            texts.extend(merged.map(|merged| (path.clone(), merged)));
        }
        // A file that the operator lacks although it had its steps comes with an update.
        after.retain(|path, _| !before.contains_key(path));
        texts.extend(after);
        self.texts = texts;
        self.recorded.clone_from(&self.steps);
    }

    /// Records that this release has written everything.
    pub fn update(&mut self) {
        self.texts = rendered(&self.recorded);
        release().clone_into(&mut self.release);
    }

    /// Puts texts into the record as if another release had written them.
    #[doc(hidden)]
    pub fn pretend(&mut self, release: &str, texts: impl IntoIterator<Item = (PathBuf, String)>) {
        release.clone_into(&mut self.release);
        self.texts.extend(texts);
    }
}

/// This release.
#[must_use]
pub const fn release() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn rendered(steps: &[Step]) -> Tree {
    render(steps, &runtime_dependency(RUNTIME).unwrap_or_default())
}

fn slashed(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn packed(text: &str) -> String {
    STANDARD_NO_PAD.encode(compress_to_vec(text.as_bytes(), 10))
}

fn unpacked(packed: &str) -> Option<String> {
    let bytes = STANDARD_NO_PAD.decode(packed).ok()?;
    String::from_utf8(decompress_to_vec_with_limit(&bytes, LARGEST).ok()?).ok()
}
