//! Programs that are built from a checkout of the repository, whose runtime may be newer than that
//! of any registry.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::operator::is_from_registry;

/// The version, which tells a program from a checkout.
pub(super) fn version() -> &'static str {
    match runtime() {
        Some(_) => concat!(env!("CARGO_PKG_VERSION"), " (from a checkout)"),
        None => env!("CARGO_PKG_VERSION"),
    }
}

/// What to depend on instead of a runtime from a registry, if this program is from a checkout.
pub(super) fn advice(dependency: &str) -> Option<String> {
    let runtime = runtime().filter(|_| is_from_registry(dependency))?;
    Some(format!(
        "this kube-codegen is built from a checkout: if codegen-runtime {} is not on a registry yet, depend on the checkout's, as \
         `--runtime '{{ path = {:?} }}'` does",
        crate::release::SERIES,
        runtime.display().to_string(),
    ))
}

/// The folder of the runtime in the checkout that this program is built from, while it exists.
/// Packages of a registry have no such neighbour.
fn runtime() -> Option<PathBuf> {
    let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).parent()?;
    let runtime = checkout.join("runtime");
    let manifest = fs::read_to_string(runtime.join("Cargo.toml")).ok()?;
    manifest
        .contains("name = \"codegen-runtime\"")
        .then_some(runtime)
}
