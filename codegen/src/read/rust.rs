//! Annotated Rust: a group-version folder as its items, docs and markers.

use crate::{diag::Diagnostics, source::RustPackage};

/// A group-version folder as read.
#[derive(Debug, Default)]
pub struct Package {}

/// Reads all packages.
pub fn read(_packages: &[RustPackage], _diagnostics: &mut Diagnostics) -> Vec<Package> {
    Vec::new()
}
