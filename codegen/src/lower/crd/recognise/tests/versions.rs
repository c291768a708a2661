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
    check_with(FILE_KEY, "ThingFileKeyRef", &with(KubernetesVersion::V1_33));
    for version in KubernetesVersion::V1_34.and_later() {
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
    for version in KubernetesVersion::ALL {
        let options = Options {
            kubernetes_version: Some(version),
            ..Options::default()
        };
        // Only 1.35 has `WorkloadReference`.
        check_with(own, "ThingPod", &options);
    }
}
