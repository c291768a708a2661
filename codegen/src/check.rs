//! Checks of the whole model: what no single reader can see.

use crate::{diag::Diagnostics, model::ApiSet};

/// Checks that hold across readers.
///
/// # Errors
///
/// Every finding that stops generation.
pub fn check(_api: &ApiSet) -> Result<(), Diagnostics> {
    Ok(())
}
