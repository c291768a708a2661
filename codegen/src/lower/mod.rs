//! Lowering: from what readers saw to the model, where every name is decided.

pub mod crd;
pub mod rust;

use crate::{diag::Diagnostics, model::ApiSet, options::Options, read::Read};

/// Builds the model from everything read; groups, versions and resources come out sorted.
///
/// # Errors
///
/// Every finding that stops generation.
pub fn lower(read: Read, options: &Options) -> Result<ApiSet, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let mut api = ApiSet::default();
    rust::lower(&read.rust, options, &mut api, &mut diagnostics);
    crd::lower(read.crds, options, &mut api, &mut diagnostics);
    diagnostics.finish(api)
}
