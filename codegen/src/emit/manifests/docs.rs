//! The API reference, in either format.

use super::input::Input;
use crate::{
    emit::{api_docs, site},
    options::{DocsFormat, Manifests},
    output::Tree,
};

/// The pages of the reference: Markdown from the model, HTML from the CRDs.
pub(super) fn emit(input: &Input<'_>, path: &str) -> Tree {
    match input.options.reference() {
        Some(DocsFormat::Html) => {
            let crds = input.crds.iter();
            let crds: Vec<_> = crds
                .map(|(group, crd)| (*group, crd.part().to_json()))
                .collect();
            site::emit(&crds, path, Manifests::is_page(path))
        }
        Some(DocsFormat::Markdown) => api_docs::emit(input.api, path),
        None => Tree::new(),
    }
}
