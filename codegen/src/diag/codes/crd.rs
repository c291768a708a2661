//! Errors of CRDs.

use super::class::{Class, Code, Example, crd, project};

/// The classes of this stage.
pub(super) const CLASSES: &[Class] = &[
    Class {
        code: Code(401),
        title: "YAML that cannot be read",
        from: &["read/yaml/"],
        what: "A file is not YAML or JSON, is nested too deeply, expands aliases without end, or has a key twice.",
        example: crd(r#"apiVersion: [apiextensions.k8s.io/v1
"#),
        mend: "Correct the place that is shown; render templates (Helm, kustomize) first.",
    },
    Class {
        code: Code(402),
        title: "an invalid CRD",
        from: &["read/crd/"],
        what: r#"A field of a CustomResourceDefinition is missing, has another type than the API declares, or is of a version that is not
known."#,
        example: crd(r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Machine
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: 3
"#),
        mend: "Correct the field, or pass the complete CRDs (`config/crd/bases`) instead of patches of them.",
    },
    Class {
        code: Code(403),
        title: "a CRD that the API server refuses",
        from: &["read/crd/refused.rs"],
        what: "The API server's own checks refuse the CRD: names, versions, columns, or a schema that is not structural.",
        example: Example {
            file: "crd.yaml",
            prelude: "",
            text: r#"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Machine
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    additionalPrinterColumns:
    - {name: Size, type: int, jsonPath: .spec.size}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object}
"#,
            command: "manifests --from-crd crd.yaml",
        },
        mend: "Follow the message, which is the API server's. `kubectl apply --dry-run=server` says the same.",
    },
    Class {
        code: Code(404),
        title: "a kind that is defined twice",
        from: &["read/crd/duplicates.rs"],
        what: "Two CRDs of the input define the same kind differently, or have the same plural in a group.",
        example: crd(r##"apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Machine
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: machines.cloud.example.com
spec:
  group: cloud.example.com
  scope: Namespaced
  names:
    kind: Machine
    plural: machines
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: string}
"##),
        mend: "Pass one of the files, or choose with the filters.",
    },
    Class {
        code: Code(405),
        title: "a path that no CRD has",
        from: &["lower/crd/", "lower/boxes.rs"],
        what: r#"A setting names an object in the schema of a kind, for example to rename its type, and the CRDs have nothing at that
path."#,
        example: project(
            r#"[[crate]]
renames = { "Machine.spec.sise" = "Size" }

[crate.crd]
files = ["crds"]
"#,
        ),
        mend: r#"Write the kind and the properties that lead to the object, such as `Machine.spec.size`; `kube-codegen inspect --renames`
lists the paths."#,
    },
];
