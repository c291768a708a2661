//! Source texts: what the generator reads, held in memory so that generation itself touches no disk.

use std::{path::PathBuf, sync::Arc};

/// The texts of one generation, as [`crate::config`] collects them from disk, or as a test writes them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Annotated Rust: the files of the group-version folders, each with the group and version it belongs to.
    pub rust: Vec<RustPackage>,
    /// Crates of which the kinds that derive kube's `CustomResource` are read, in whatever module they stand.
    pub rust_crates: Vec<RustCrate>,
    /// CRD YAML or JSON: any number of documents each.
    pub crds: Vec<Source>,
    /// Files that are searched for the markers of rules and webhooks alone, Rust or Go by their names' ending; sorted by name.
    pub marker_files: Vec<Source>,
    /// Go packages, each with those that its types use: one entry for each Go module.
    #[cfg(feature = "go")]
    pub go: Vec<crate::read::go::GoSources>,
}

/// One group-version folder of annotated Rust.
#[derive(Clone, Debug)]
pub struct RustPackage {
    /// The folder's group as the command line names it (`cloudnative`); `+groupName` overrides it.
    pub group: String,
    /// The folder's version (`v1alpha1`).
    pub version: String,
    /// Path of the module in its crate (`crate::apis::cloudnative::v1alpha1`).
    pub module_path: String,
    /// Folder below the crate's `src`, to which generated `zz_generated_…` files go (`apis/cloudnative/v1alpha1`).
    pub dir: PathBuf,
    /// All `.rs` files of the folder, nested ones too, without `zz_generated_…`; sorted by name.
    pub files: Vec<Source>,
}

/// A crate whose kinds stand anywhere in it: each says its group and version in `#[kube(…)]`.
///
/// They give manifests and no code, which would have no place beside them.
#[derive(Clone, Debug)]
pub struct RustCrate {
    /// The source root as diagnostics show it, with a `/` at its end unless it is empty.
    pub root: String,
    /// The files or folders whose kinds are read; the rest of the crate has the types of their fields.
    pub wanted: Vec<String>,
    /// Whether they may hold no kind yet, which is an error otherwise.
    pub is_empty: bool,
    /// All `.rs` files of the crate, without `zz_generated_…`; sorted by name.
    pub files: Vec<Source>,
}

/// One file.
#[derive(Clone, Debug)]
pub struct Source {
    /// The name that diagnostics show: relative to the current folder, or `<stdin>`.
    pub name: String,
    /// Its text.
    pub text: Arc<str>,
    /// Whether it was found in a folder that holds CRDs, not named itself: it may be something else, which need not be YAML.
    pub found: bool,
}

impl Source {
    /// A source of the given name and text, named itself.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            found: false,
        }
    }
}
