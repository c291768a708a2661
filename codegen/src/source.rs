//! Source files, held in memory so that generation itself does not touch the disk.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::Arc,
};

/// One group-version folder of annotated Rust.
#[derive(Clone, Debug)]
pub struct RustPackage {
    /// The group's folder name, as used on the command line (`cloudnative`); `+groupName` overrides
    /// it.
    pub group: String,
    /// The version's folder name (`v1alpha1`).
    pub version: String,
    /// Path of the module in its crate (`crate::apis::cloudnative::v1alpha1`).
    pub module_path: String,
    /// Folder below the crate's `src` that receives the generated `zz_generated_…` files
    /// (`apis/cloudnative/v1alpha1`).
    pub dir: PathBuf,
    /// All `.rs` files of the folder and its subfolders except `zz_generated_…`; sorted by name.
    pub files: Vec<Source>,
}

/// A crate with kinds in any module: each declares its group and version in `#[kube(…)]`, and
/// generated code names the types by their paths.
#[derive(Clone, Debug)]
pub struct RustCrate {
    /// The source root as shown in diagnostics, with a trailing `/` unless it is empty.
    pub root: String,
    /// The file of the library's root module, relative to the root; `lib.rs` and `main.rs` are root
    /// modules in any case.
    pub library: Option<String>,
    /// The files of programs that Cargo.toml names, relative to the root.
    pub programs: Vec<String>,
    /// The files or folders whose kinds are read. The rest of the crate is only searched for the
    /// types of their fields.
    pub wanted: Vec<String>,
    /// Whether the crate may have no kinds yet; otherwise that is an error.
    pub is_empty: bool,
    /// The features that decide `cfg` and `cfg_attr`; `None` to read what any condition guards.
    pub features: Option<RustFeatures>,
    /// All `.rs` files of the crate except `zz_generated_…`; sorted by name.
    pub files: Vec<Source>,
    /// The paths by which generated code names crates, by source root: `crate`, or the name of a
    /// dependency. Empty if the crate that contains the code is this one, or if there is no code.
    pub paths: BTreeMap<String, String>,
    /// The names by which it refers to other crates, and to itself from its programs.
    pub names: BTreeMap<String, RustLink>,
    /// The crates that it depends on by path, directly or not, and whose types may be used; sorted
    /// by root.
    pub dependencies: Vec<RustDependency>,
}

/// A library that a crate depends on by path.
#[derive(Clone, Debug)]
pub struct RustDependency {
    /// The source root as shown in diagnostics, with a trailing `/`.
    pub root: String,
    /// The file of the module `crate`, relative to the root.
    pub library: String,
    /// The features that are on, of all that its dependents turn on.
    pub features: Option<RustFeatures>,
    /// All `.rs` files at and below the root except `zz_generated_…`; sorted by name.
    pub files: Vec<Source>,
    /// The names by which it refers to other crates.
    pub names: BTreeMap<String, RustLink>,
}

/// What the name of a crate refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RustLink {
    /// The crate with this source root.
    Read(String),
    /// A crate whose source is not read, and why, as a phrase that follows its name:
    /// `is from a registry`.
    Unread(String),
}

/// The features of a crate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RustFeatures {
    /// The features that are on.
    pub names: BTreeSet<String>,
    /// Whether these are the crate's default features, rather than selected ones.
    pub is_default: bool,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name shown in diagnostics: a path relative to the current folder, or `<stdin>`.
    pub name: String,
    /// The contents.
    pub text: Arc<str>,
    /// Whether the file was found in a CRD folder rather than named explicitly. It may then be
    /// something else, not even YAML.
    pub found: bool,
}

impl Source {
    /// Creates a source that was named explicitly.
    pub fn new(name: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        Self {
            name: name.into(),
            text: text.into(),
            found: false,
        }
    }
}
