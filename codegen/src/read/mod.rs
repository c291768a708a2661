//! Readers: parse sources into a syntactic form, each file on its own.

pub mod crate_markers;
pub mod crd;
#[cfg(feature = "go")]
pub mod go;
pub mod markers;
pub mod rust;
pub(crate) mod yaml;

use crate::{
    diag::Diagnostics,
    options::Options,
    source::{RustCrate, RustPackage, Source},
};

/// The sources of one generation, collected from disk by [`crate::config`] or written by a test.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Annotated Rust: the files of each group-version folder.
    pub rust: Vec<RustPackage>,
    /// Crates that are searched for kinds that derive kube's `CustomResource`, in any module.
    pub rust_crates: Vec<RustCrate>,
    /// CRDs as YAML or JSON, any number of documents per source.
    pub crds: Vec<Source>,
    /// Rust or Go files, told apart by extension, that are only searched for RBAC and webhook
    /// markers; sorted by name.
    pub marker_files: Vec<Source>,
    /// Go packages with the packages whose types they use: one entry per Go module.
    #[cfg(feature = "go")]
    pub go: Vec<go::GoSources>,
}

/// Everything that was read, with references still unresolved.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The group-version folders of annotated Rust.
    pub rust: Vec<rust::Package>,
    /// The crates whose kinds are declared outside of group-version folders.
    pub rust_crates: Vec<rust::Crate>,
    /// The CRDs.
    pub crds: Vec<crd::Crd>,
    /// Rules and webhooks from files that declare no API types.
    pub crate_markers: markers::MarkerSet,
    /// Code that blocks the deletion of owners, for which a rule is needed.
    pub owner_write: Option<crate::diag::Place>,
    /// The Go modules.
    #[cfg(feature = "go")]
    pub go: Vec<go::Module>,
    /// The diagnostics of reading.
    pub found: Diagnostics,
    /// The errors of inputs left out under [`Faulty::Skipped`](crate::options::Faulty).
    pub skipped: Diagnostics,
}

/// Reads all sources as far as possible.
#[must_use]
pub fn read(sources: &Sources, options: &Options) -> Parsed {
    read_beside(crd::read(&sources.crds, options), sources, options)
}

/// Reads all sources except CRDs, which the caller has already read.
pub(crate) fn read_beside(crds: crd::ReadCrds, sources: &Sources, options: &Options) -> Parsed {
    let mut found = Diagnostics::new();
    let ignored = markers::IgnoredMarkers(&options.ignored_markers);
    found.extend(crds.found);
    Parsed {
        rust: rust::read(&sources.rust, ignored, &mut found),
        rust_crates: rust::read_crates(&sources.rust_crates, ignored),
        crate_markers: crate_markers::read(
            &sources.marker_files,
            ignored,
            options.compat,
            &mut found,
        ),
        owner_write: crate_markers::owners::first_call(&sources.marker_files),
        crds: crds.crds,
        #[cfg(feature = "go")]
        go: sources
            .go
            .iter()
            .map(|module| {
                let ignored = markers::IgnoredMarkers(&options.ignored_markers);
                go::read(module, ignored, options.compat, &mut found)
            })
            .collect(),
        found,
        skipped: crds.skipped,
    }
}
