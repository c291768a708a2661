//! The making of the table, from the sources of `k8s.io`.

use std::path::Path;

use super::row;
use crate::{
    config::{self, Error},
    diag::Diagnostics,
    lower::go::definitions,
    read::{go, markers::IgnoredMarkers},
};

/// Reads the packages that the patterns mean, and packs their exported types.
///
/// # Errors
///
/// Packages that cannot be read.
pub fn make(patterns: &[String], dir: &Path) -> Result<Vec<u8>, Error> {
    let environment = config::go::Environment::from_process();
    let sources = config::go::load(patterns, dir, &environment).map_err(Error::Config)?;
    if let Some(missing) = sources.missing.values().next() {
        return Err(Error::Config(missing.clone().into()));
    }
    let mut found = Diagnostics::new();
    let module = go::read(&sources, IgnoredMarkers(&[]), &mut found);
    let rows = definitions(&module, &mut found);
    let mut text = String::new();
    for ((package, name), def) in rows {
        let exported = name.starts_with(char::is_uppercase);
        if let Some(row) = row::encode(&def).filter(|_| exported) {
            text.push_str(&format!("{package}.{name}\t{row}\n"));
        }
    }
    Ok(miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 10))
}
