//! The files of CRDs.

use std::path::Path;

use rayon::prelude::*;

use super::input::Input;
use crate::{
    options::Manifests,
    output::{Tree, yaml::document},
};

/// The files of CRDs: one each in a folder, or one for all if the path names it.
pub(super) fn emit(input: &Input<'_>, path: &str) -> Tree {
    let crds = &input.crds;
    let printed = crds.par_iter().with_max_len(1);
    let printed: Vec<String> = printed.map(|(_, crd)| document(&crd.part())).collect();
    if Manifests::is_file_of_crds(path) {
        return Tree::from([(path.into(), printed.concat())]);
    }
    let files = crds.iter().zip(printed).map(|((group, crd), text)| {
        let name = format!("{group}_{}.yaml", crd.plural);
        (Path::new(path).join(name), text)
    });
    files.collect()
}
