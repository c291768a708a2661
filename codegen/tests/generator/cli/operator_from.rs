//! `create api --from-crd` and `--from-go`: CRDs become annotated types that generate them again.

use std::fs;

use kube_crd_diff::{Severity, compare};
use serde_json::Value;

use super::operator::{about_what, operator};
use crate::cli::{
    operator_kinds::check_format,
    sandbox::{Sandbox, testdata},
};

/// CRDs of real projects: the scalars, lists, maps, unions, rules, defaults and Kubernetes types
/// that occur.
const CRDS: [&str; 12] = [
    "argo-workflows/workfloweventbindings.argoproj.io.yaml",
    "cert-manager/certificaterequests.cert-manager.io.yaml",
    "cert-manager/certificates.cert-manager.io.yaml",
    "cert-manager/issuers.cert-manager.io.yaml",
    "cert-manager/orders.acme.cert-manager.io.yaml",
    "gateway-api/backendtlspolicies.gateway.networking.k8s.io.yaml",
    "gateway-api/grpcroutes.gateway.networking.k8s.io.yaml",
    "gateway-api/httproutes.gateway.networking.k8s.io.yaml",
    "kubevirt/migrationpolicies.migrations.kubevirt.io.yaml",
    "kubevirt/plugins.plugin.kubevirt.io.yaml",
    "kubevirt/virtualmachineclones.clone.kubevirt.io.yaml",
    "kubevirt/virtualmachinepreferences.instancetype.kubevirt.io.yaml",
];

fn crd(text: &str) -> Value {
    serde_saphyr::from_str(text).unwrap()
}

/// What the operator's CRD changes for those who use the original. The types do not say that every
/// object has metadata.
fn hurts(sandbox: &Sandbox, original: &Value) -> Vec<String> {
    let own = crd(&sandbox.read("config/crd.yaml"));
    let found = compare(original, &own, &kube_crd_diff::Options::default());
    let found = found.into_iter().filter(|it| {
        it.severity() > Severity::Compatible && it.message != "`metadata` is optional now"
    });
    found
        .map(|it| format!("{} {}: {}", it.version, it.path, it.message))
        .collect()
}

#[test]
fn types_from_a_crd_generate_a_crd_that_hurts_nobody() {
    for name in CRDS {
        let sandbox = operator();
        let path = testdata().join("crds").join(name);
        sandbox.succeeds(&["create", "api", "--from-crd", path.to_str().unwrap()]);
        let original = crd(&fs::read_to_string(path).unwrap());
        assert_eq!(hurts(&sandbox, &original), [""; 0], "{name}");
        // Old APIs do not follow all conventions.
        sandbox.edit("codegen.toml", "[crate.lint]\n", "");
        sandbox.succeeds(&["generate", "--check"]);
        check_format(&sandbox);
    }
}

/// A CRD with one property of the spec.
fn with_property(schema: &str) -> String {
    format!(
        r#"{{
  "apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition",
  "metadata": {{"name": "widgets.batch.example.com"}},
  "spec": {{
    "group": "batch.example.com",
    "names": {{"kind": "Widget", "listKind": "WidgetList", "plural": "widgets", "singular": "widget"}},
    "scope": "Namespaced",
    "versions": [
      {{"name": "v1", "served": true, "storage": true, "schema": {{"openAPIV3Schema": {{
        "type": "object", "properties": {{"spec": {{"type": "object", "properties": {{"value": {schema}}}}}}}}}}}}},
      {{"name": "v1alpha1", "served": true, "storage": false, "schema": {{"openAPIV3Schema": {{
        "type": "object", "properties": {{"spec": {{"type": "object"}}}}}}}}}}
    ]
  }}
}}
"#
    )
}

#[test]
fn rules_without_a_marker_are_named_and_fields_that_would_change_are_refused() {
    let sandbox = operator();
    let choice = r#"{"type": "string", "anyOf": [{"pattern": "^a"}, {"pattern": "^b"}]}"#;
    sandbox.write("crd.json", &with_property(choice));
    let run = sandbox.quiet(&["create", "api", "--from-crd", "crd.json"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    run.says("the CRD differs, which hurts nobody: v1 spec.value: `anyOf`");

    let sandbox = operator();
    let number = r#"{"type": "number"}"#;
    sandbox.write("crd.json", &with_property(number));
    let run = sandbox.quiet(&["create", "api", "--from-crd", "crd.json"]);
    assert_eq!(run.code, 1);
    run.says("`WidgetSpec.value` is a floating-point number");
    assert!(!sandbox.path("src/apis/batch").exists());
}

#[test]
fn all_served_versions_are_taken_unless_one_is_named() {
    let crd = with_property(r#"{"type": "string", "enum": ["A", "b-c"]}"#);
    let sandbox = operator();
    sandbox.write("crd.json", &crd);
    sandbox.succeeds(&["create", "api", "--from-crd", "crd.json"]);
    let stored = sandbox.read("src/apis/batch/v1/widget.rs");
    assert!(stored.contains("+kubebuilder:storageversion"), "{stored}");
    assert!(stored.contains("#[serde(rename = \"b-c\")]"), "{stored}");
    assert!(sandbox.path("src/apis/batch/v1alpha1/widget.rs").exists());
    assert!(sandbox.path("config/samples/widget_v1alpha1.yaml").exists());
    let again = sandbox.quiet(&["create", "api", "--from-crd", "crd.json"]);
    assert_eq!(again.code, 1);
    again.says("Widget of batch.example.com/v1 exists already");

    let sandbox = operator();
    sandbox.write("crd.json", &crd);
    let named = ["create", "api", "--from-crd", "crd.json", "--version", "v1"];
    sandbox.succeeds(&named);
    assert!(!sandbox.path("src/apis/batch/v1alpha1").exists());
}

#[test]
fn one_of_several_kinds_is_named() {
    let sandbox = operator();
    let path = testdata().join("crds/styled/styled.example.com.yaml");
    let from = ["create", "api", "--from-crd", path.to_str().unwrap()];
    let run = sandbox.quiet(&from);
    assert_eq!(run.code, 1);
    run.says("there are several kinds, Image of styled.example.com, ImageBuilder of styled.example.com: choose one with --kind and --group");
    sandbox.succeeds(&[&from[..], &["--kind", "Image"]].concat());
}

/// The types of an operator in Go.
const GO: &str = r#"// +kubebuilder:object:generate=true
// +groupName=cache.example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Memcached is a cache.
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Memcached struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   MemcachedSpec   `json:"spec,omitempty"`
	Status MemcachedStatus `json:"status,omitempty"`
}

// MemcachedSpec is the desired state.
type MemcachedSpec struct {
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:default=1
	Size int32 `json:"size,omitempty"`
	// +kubebuilder:validation:Enum=Small;Large
	Class string `json:"class"`
}

// MemcachedStatus is the observed state.
type MemcachedStatus struct {
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
}
"#;

#[test]
fn types_come_from_a_go_package_and_can_have_a_controller() {
    let sandbox = operator();
    sandbox.write("old/go.mod", "module example.com/cache\n");
    sandbox.write("old/api/v1/types.go", GO);
    let package = sandbox.path("old/api/v1");
    sandbox.succeeds(&["create", "api", "--from-go", package.to_str().unwrap()]);
    let types = sandbox.read("src/apis/cache/v1/memcached.rs");
    for part in [
        "// +default=1\n    #[serde(skip_serializing_if = \"Option::is_none\")]\n    pub size: Option<i32>",
        "pub class: MemcachedClass",
        "pub conditions: Vec<Condition>",
        "pub observed_generation: Option<i64>",
    ] {
        assert!(types.contains(part), "{part}: {types}");
    }
    let controller = about_what(["create", "controller"], "cache/v1/Memcached", &[]);
    sandbox.succeeds(&controller);
    sandbox.succeeds(&["generate", "--check"]);
    check_format(&sandbox);
}
