//! Annotated Rust to the model.

use crate::{diag::Diagnostics, model::ApiSet, read::rust::Package};

/// Adds the groups of the packages to `api`.
pub fn lower(_packages: Vec<Package>, _api: &mut ApiSet, _diagnostics: &mut Diagnostics) {}
