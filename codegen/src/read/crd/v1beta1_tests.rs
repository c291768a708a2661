//! CRDs of v1beta1 are read as the v1 CRDs that the API server made of them.

use super::{Crd, duplicates::without_places, read};
use crate::{Manifests, Options, Source};

const SCHEMA: &str = "{openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {size: {type: integer}}}}}}";

/// Reads a CRD without findings.
#[track_caller]
fn read_crd(api_version: &str, spec: &str) -> Crd {
    let text = format!(
        "{{apiVersion: apiextensions.k8s.io/{api_version}, kind: CustomResourceDefinition, spec: {{group: example.com, \
         names: {{kind: Widget, plural: widgets}}, {spec}}}}}"
    );
    let options = Options {
        manifests: Some(Manifests::default()),
        ..Options::default()
    };
    let mut read = read(&[Source::new("crd.yaml", text)], &options);
    assert!(read.found.as_slice().is_empty(), "{spec}: {}", read.found);
    without_places(read.crds.remove(0))
}

/// Asserts that a v1beta1 CRD is read as a v1 CRD.
#[track_caller]
fn check(old: &str, new: &str) {
    let old = format!("{:#?}", read_crd("v1beta1", old));
    let new = format!("{:#?}", read_crd("v1", new));
    assert_eq!(old, new);
}

#[test]
fn a_version_is_served_and_stored() {
    check(
        &format!("version: v1, validation: {SCHEMA}"),
        &format!(
            "scope: Namespaced, preserveUnknownFields: true, versions: [{{name: v1, served: true, storage: true, schema: {SCHEMA}}}]"
        ),
    );
    let versions = "versions: [{name: v1, served: true, storage: true}]";
    check(
        &format!("scope: Cluster, version: v1, {versions}"),
        &format!("scope: Cluster, preserveUnknownFields: true, {versions}"),
    );
    check(
        "scope: Cluster, version: v1, versions: null",
        &format!("scope: Cluster, preserveUnknownFields: true, {versions}"),
    );
}

#[test]
fn an_empty_value_is_a_missing_one() {
    let version = |columns: &str| {
        format!(
            "versions: [{{name: v1, served: true, storage: true, additionalPrinterColumns: {columns}}}]"
        )
    };
    let columns = |path: &str| format!("[{{name: Size, type: integer, {path}: .spec.size}}]");
    check(
        &format!("scope: '', version: '', {}", version("[]")),
        &format!(
            "scope: Namespaced, preserveUnknownFields: true, {}",
            version("[]")
        ),
    );
    check(
        &format!(
            "scope: Cluster, {}, additionalPrinterColumns: {}",
            version("[]"),
            columns("JSONPath")
        ),
        &format!(
            "scope: Cluster, preserveUnknownFields: true, {}",
            version(&columns("jsonPath"))
        ),
    );
    check(
        &format!(
            "scope: Cluster, {}, conversion: {{strategy: Webhook, webhookClientConfig: {{url: 'https://a'}}, conversionReviewVersions: []}}",
            version("[]")
        ),
        &format!(
            "scope: Cluster, preserveUnknownFields: true, {}, conversion: {{strategy: Webhook, webhook: {{clientConfig: {{url: 'https://a'}}, conversionReviewVersions: [v1beta1]}}}}",
            version("[]")
        ),
    );
}

#[test]
fn what_versions_share_becomes_part_of_each() {
    let rest = |path: &str| {
        format!(
            "subresources: {{status: {{}}, scale: {{specReplicasPath: .spec.size, statusReplicasPath: .status.size}}}}, \
             additionalPrinterColumns: [{{name: Size, type: integer, {path}: .spec.size}}]"
        )
    };
    let (old, new) = (rest("JSONPath"), rest("jsonPath"));
    check(
        &format!(
            "preserveUnknownFields: false, versions: [{{name: v1, served: true, storage: true}}, {{name: v2, served: false, storage: \
             false}}], validation: {SCHEMA}, {old}"
        ),
        &format!(
            "scope: Namespaced, versions: [{{name: v1, served: true, storage: true, schema: {SCHEMA}, {new}}}, \
             {{name: v2, served: false, storage: false, schema: {SCHEMA}, {new}}}]"
        ),
    );
}

#[test]
fn versions_may_have_schemas_and_columns_of_their_own() {
    let versions = |path: &str| {
        format!(
            "versions: [{{name: v1, served: true, storage: true, schema: {SCHEMA}, additionalPrinterColumns: [{{name: Size, \
             type: integer, {path}: .spec.size}}]}}]"
        )
    };
    check(
        &format!(
            "scope: Cluster, preserveUnknownFields: false, {}",
            versions("JSONPath")
        ),
        &format!("scope: Cluster, {}", versions("jsonPath")),
    );
}

#[test]
fn a_conversion_webhook_is_moved() {
    let rest = "scope: Cluster, preserveUnknownFields: true, versions: [{name: v1, served: true, storage: true}]";
    let client = "{service: {name: a, namespace: b, path: /c, port: 444}, caBundle: Zm9v}";
    check(
        &format!(
            "{rest}, conversion: {{strategy: Webhook, webhookClientConfig: {client}, conversionReviewVersions: [v1, v1beta1]}}"
        ),
        &format!(
            "{rest}, conversion: {{strategy: Webhook, webhook: {{clientConfig: {client}, conversionReviewVersions: [v1, v1beta1]}}}}"
        ),
    );
    check(
        &format!("{rest}, conversion: {{strategy: Webhook, webhookClientConfig: {client}}}"),
        &format!(
            "{rest}, conversion: {{strategy: Webhook, webhook: {{clientConfig: {client}, conversionReviewVersions: [v1beta1]}}}}"
        ),
    );
    check(
        &format!("{rest}, conversion: {{strategy: None}}"),
        &format!("{rest}, conversion: {{strategy: None}}"),
    );
}
