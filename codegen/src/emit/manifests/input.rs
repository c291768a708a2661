//! What a manifest is written from.

use std::path::PathBuf;

use serde_json::Value;

use super::crd::Crd;
use crate::{
    model::ApiSet,
    options::Manifests,
    output::{
        Tree,
        yaml::{Part, document},
    },
};

/// CRDs with their groups.
pub(super) type Crds<'a> = Vec<(&'a str, Crd)>;

/// What a manifest is written from.
pub(in crate::emit) struct Input<'a> {
    pub(in crate::emit) api: &'a ApiSet,
    pub(in crate::emit) options: &'a Manifests,
    /// The CRDs; none unless an output is derived from them.
    pub(super) crds: Crds<'a>,
}

/// One file of objects; none without objects.
pub(in crate::emit) fn file(path: impl Into<PathBuf>, objects: &[Value]) -> Tree {
    if objects.is_empty() {
        return Tree::new();
    }
    let objects = objects.iter();
    let text = objects
        .map(|object| document(&Part::Json(object)))
        .collect();
    Tree::from([(path.into(), text)])
}
