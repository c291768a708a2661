//! Trees: the files of a generation, in memory.

use std::{collections::BTreeMap, path::PathBuf};

/// Generated files: text by path, relative to the output folder, with `/` between the parts.
pub type Tree = BTreeMap<PathBuf, String>;

/// The action on a [`Tree`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Write what differs, remove what no longer belongs.
    #[default]
    Write,
    /// Write nothing; differences are an error.
    Check,
    /// Write nothing; list what would change.
    DryRun,
}
