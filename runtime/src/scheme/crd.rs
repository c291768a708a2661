//! The `CustomResourceDefinition` of a kind, from the JSON in generated code.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

/// Parses the JSON of a CRD. Generated code calls it for `CustomResourceExt::crd`, once per kind.
///
/// # Panics
///
/// `json` is not the JSON of a CRD; generated JSON always is.
#[must_use]
pub fn read_crd(json: &str) -> CustomResourceDefinition {
    match serde_json::from_str(json) {
        Ok(crd) => crd,
        Err(error) => panic!("invalid generated CRD, regenerate it: {error}"),
    }
}
