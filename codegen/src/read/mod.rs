//! Readers: from source texts to what they say, each file by itself.

pub mod crd;
pub mod markers;
pub mod rust;
pub(crate) mod yaml;

use crate::{diag::Diagnostics, options::Options, source::Sources};

/// Everything that was read, not yet related to one another.
#[derive(Debug, Default)]
pub struct Read {
    /// The group-version folders of annotated Rust.
    pub rust: Vec<rust::Package>,
    /// The CRDs.
    pub crds: Vec<crd::Crd>,
    /// What was found on the way and is no error.
    pub warnings: Diagnostics,
}

/// Reads all sources.
///
/// # Errors
///
/// The findings of all files, if one is an error.
pub fn read(sources: &Sources, options: &Options) -> Result<Read, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let rust = rust::read(&sources.rust, &mut diagnostics);
    let crds = crd::read(&sources.crds, &options.filters, &mut diagnostics);
    let ((rust, crds), warnings) = diagnostics.finish_with_warnings((rust, crds))?;
    Ok(Read {
        rust,
        crds,
        warnings,
    })
}
