//! Builds the table from the sources of `k8s.io`.

use std::path::Path;

use super::convert;
use crate::{
    config::{self, Error, go::KubernetesSources},
    diag::Diagnostics,
    lower::go::definitions,
    options::Compat,
    read::{go, markers::IgnoredMarkers},
};

/// The files of the table, as checked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Everything except documentation.
    pub types: Vec<u8>,
    /// The documentation.
    pub docs: Vec<u8>,
}

/// Reads the packages that match the patterns and packs their exported types.
///
/// # Errors
///
/// Packages that cannot be read.
pub fn make(patterns: &[String], dir: &Path) -> Result<Files, Error> {
    let environment = config::go::Environment::from_process();
    let sources = config::go::load(patterns, dir, &environment, KubernetesSources::Definitions)
        .map_err(Error::Config)?;
    if let Some(missing) = sources.missing.values().next() {
        return Err(Error::Config(missing.clone().into()));
    }
    let mut found = Diagnostics::new();
    let module = go::read(&sources, IgnoredMarkers(&[]), Compat::Strict, &mut found);
    let exported = definitions(&module, &mut found)
        .into_iter()
        .filter(|((_, name), _)| name.starts_with(char::is_uppercase));
    let types: Vec<_> = exported
        .filter_map(|((package, name), builtin)| {
            let (definition, docs) = convert::definition(builtin)?;
            Some((package, name, definition, docs))
        })
        .collect();
    let (types, docs) =
        kube_builtin_types::pack(types.iter().map(|(package, name, definition, docs)| {
            (package.as_str(), name.as_str(), definition, &docs[..])
        }));
    Ok(Files { types, docs })
}
