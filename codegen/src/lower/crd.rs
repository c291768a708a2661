//! CRDs to the model.

use crate::{diag::Diagnostics, model::ApiSet, options::Options, read::crd::Crd};

/// Adds the groups of the CRDs to `api`.
pub fn lower(
    _crds: Vec<Crd>,
    _options: &Options,
    _api: &mut ApiSet,
    _diagnostics: &mut Diagnostics,
) {
}
