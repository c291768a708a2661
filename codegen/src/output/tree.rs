//! Trees: the files of a generation, in memory.

use std::{collections::BTreeMap, path::PathBuf};

/// Generated files: contents by path, relative to the output folder, with `/` as separator.
pub type Tree = BTreeMap<PathBuf, String>;

/// What to do with a [`Tree`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Write files that differ, remove orphans.
    #[default]
    Write,
    /// Write nothing; fail if files differ.
    Check,
    /// Write nothing; list what would change.
    DryRun,
}
