//! The model of some CRDs.

use std::sync::Arc;

use kube_codegen::{Record, Source, Sources, diag::Style, model::ApiSet, options::Faulty};
use serde_json::Value;

use crate::{Result, options};

/// Generates the model of CRDs, with the names of a record; CRDs with errors are left out.
pub(crate) fn generate(crds: &[Value], record: Option<Record>) -> Result<ApiSet> {
    let mut sources = Sources::default();
    for (index, crd) in crds.iter().enumerate() {
        sources
            .crds
            .push(Source::new(format!("{index}.yaml"), crd.to_string()));
    }
    let options = kube_codegen::Options {
        faulty: Faulty::Skipped,
        emit: [].into(),
        record: record.map(Arc::new),
        ..options()
    };
    let generated = kube_codegen::generate(&sources, &options);
    Ok(generated.map_err(|errors| errors.render(Style::Plain))?.api)
}
