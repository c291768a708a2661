//! The `CustomResourceDefinition` of a kind, from the text that generated code holds.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// Reads the JSON of a CRD. Generated code calls it for `CustomResourceExt::crd`, once a kind.
///
/// # Panics
///
/// If the text is not the JSON of a CRD, which generated text always is.
#[must_use]
pub fn read_crd(json: &str) -> CustomResourceDefinition {
    match serde_json::from_str(json) {
        Ok(crd) => crd,
        Err(error) => panic!("the generated CRD cannot be read, generate it anew: {error}"),
    }
}
