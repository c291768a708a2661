//! `kube-codegen crate`.

use clap::Args;

use super::{Failure, style::Color};

/// Write a whole crate for CRDs.
#[derive(Debug, Args)]
pub(super) struct Crate {}

impl Crate {
    pub(super) fn run(self, _color: Color) -> Result<(), Failure> {
        Ok(())
    }
}
