//! CRD YAML.

use crate::{diag::Diagnostics, options::Filters, source::Source};

/// A CRD as read.
#[derive(Debug, Default)]
pub struct Crd {}

/// Reads all documents.
pub fn read(_sources: &[Source], _filters: &Filters, _diagnostics: &mut Diagnostics) -> Vec<Crd> {
    Vec::new()
}
