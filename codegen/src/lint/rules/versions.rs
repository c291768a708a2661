//! Conventions of a version as a whole.

use super::{
    Check::Version,
    Level::{Error, Off, Warning},
    Rule,
};
use crate::lint::definitions as d;

pub(super) const RULES: &[Rule] = &[
    Rule {
        id: "status-subresource",
        level: Error,
        check: Version(d::status_subresource),
        why: "Without the subresource users can write the status, and each write of it changes `metadata.generation`.",
        instead: "declare the subresource: `+kubebuilder:subresource:status`",
        fix: None,
        bad: "subresources: {}\n",
        good: "subresources:
  status: {}
",
    },
    Rule {
        id: "columns",
        level: Error,
        check: Version(d::columns),
        why: "A column whose path leads to no field is always empty.",
        instead: "name a field of the schema in the column's jsonPath",
        fix: None,
        bad: "additionalPrinterColumns:
- name: Replicas
  type: integer
  jsonPath: .spec.replica
",
        good: "additionalPrinterColumns:
- name: Replicas
  type: integer
  jsonPath: .spec.replicas
",
    },
    Rule {
        id: "scale",
        level: Error,
        check: Version(d::scale),
        why: "Autoscalers read and write a field that does not exist.",
        instead: "name fields of the schema",
        fix: None,
        bad: "subresources:
  status: {}
  scale:
    specReplicasPath: .spec.replica
    statusReplicasPath: .status.replicas
",
        good: "subresources:
  status: {}
  scale:
    specReplicasPath: .spec.replicas
    statusReplicasPath: .status.replicas
",
    },
    Rule {
        id: "status-optional",
        level: Off,
        check: Version(d::status_optional),
        why: "A controller that reports a part of the status would have to write all of it.",
        instead: "make the fields of the status optional",
        fix: None,
        bad: "/// What is.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// The machines that run.
    pub replicas: i32,
}
",
        good: "/// What is.
#[derive(Debug, Serialize, Deserialize)]
pub struct MachineStatus {
    /// The machines that run.
    #[serde(skip_serializing_if = \"Option::is_none\")]
    pub replicas: Option<i32>,
}
",
    },
    Rule {
        id: "short-names",
        level: Warning,
        check: Version(d::short_names),
        why: "kubectl prefers Kubernetes' own kinds.",
        instead: "choose another short name",
        fix: None,
        bad: "// +genclient
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=po
",
        good: "// +genclient
// +kubebuilder:subresource:status
// +kubebuilder:resource:shortName=mach
",
    },
];
