//! Types and fields that only some versions of Kubernetes have.

use super::*;

/// A source of environment variables, available since Kubernetes 1.34.
const FILE_KEY: &str = "
fileKeyRef:
  type: object
  required: [key, path, volumeName]
  properties:
    key: {type: string}
    optional: {type: boolean}
    path: {type: string}
    volumeName: {type: string}
";

#[test]
fn types_of_a_version_are_known_where_it_is_the_least() {
    let with = |version| Options {
        kubernetes_version: Some(version),
        ..Options::default()
    };
    check(FILE_KEY, "ThingFileKeyRef");
    check_with(
        FILE_KEY,
        "ThingFileKeyRef",
        &with(KubernetesVersion::EARLIEST),
    );
    for version in KubernetesVersion::all().skip(1) {
        check_with(FILE_KEY, "api.core.v1.FileKeySelector", &with(version));
    }
    assert_eq!(
        explained(FILE_KEY, "Thing.spec.fileKeyRef", &Options::default()),
        [
            ".fileKeyRef: a type of its own: no Kubernetes type has all its properties; with `kubernetes-version` 1.34 it is k8s_openapi::api::core::v1::FileKeySelector"
        ]
    );
}

#[test]
fn a_field_that_later_versions_lack_is_not_known() {
    let own = "
pod:
  type: object
  required: [name, podGroup]
  properties:
    name: {type: string}
    podGroup: {type: string}
    podGroupReplicaKey: {type: string}
";
    for version in KubernetesVersion::all() {
        let options = Options {
            kubernetes_version: Some(version),
            ..Options::default()
        };
        // Only 1.35 has `WorkloadReference`.
        check_with(own, "ThingPod", &options);
    }
}

/// Returns the notes of generating code for the properties.
fn notes(properties: &str, options: &Options) -> Vec<String> {
    let generated = generate(&sources(properties), options).unwrap();
    let found = generated.warnings.into_iter();
    found.map(|found| found.message).collect()
}

#[test]
fn one_hint_counts_what_a_later_version_would_recognise() {
    let none: &[&str] = &[];
    let types = Options {
        emit: [Generator::Types].into(),
        ..Options::default()
    };
    // The object within is part of the other one.
    let source = FILE_KEY.trim().replace('\n', "\n    ");
    let both = format!("{FILE_KEY}valueFrom:\n  type: object\n  properties:\n    {source}\n");
    assert_eq!(
        notes(&both, &types),
        ["`--kubernetes-version 1.34` would make 2 more objects types of Kubernetes"]
    );
    assert_eq!(
        notes(FILE_KEY, &types),
        ["`--kubernetes-version 1.34` would make 1 more object a type of Kubernetes"]
    );
    let chosen = Options {
        kubernetes_version: Some(KubernetesVersion::EARLIEST),
        ..types.clone()
    };
    assert_eq!(notes(FILE_KEY, &chosen), none);
    let unwanted = Options {
        kubernetes_types: KubernetesTypes::None,
        ..types.clone()
    };
    assert_eq!(notes(FILE_KEY, &unwanted), none);
    let without_types = Options {
        emit: [].into(),
        ..types
    };
    assert_eq!(notes(FILE_KEY, &without_types), none);
}

#[test]
fn a_condition_that_is_not_one_is_compared_with_that_of_apis() {
    let condition = CONDITION.replace("message, ", "");
    let properties = format!("condition:{condition}");
    assert_eq!(
        explained(&properties, "Thing.spec.condition", &Options::default()),
        [
            ".condition: a type of its own: not Condition: message: k8s-openapi always writes it, and the schema neither requires it nor has a default"
        ]
    );
}
