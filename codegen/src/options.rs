//! Options: the one struct behind the command line, `codegen.toml` and build scripts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::emit::Generator;

/// What to generate and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// The generators to run.
    pub emit: BTreeSet<Generator>,
    /// A license header, as comment lines or plain text, put above the generated marker.
    pub header: Option<String>,
    /// Path of the runtime crate in generated code.
    pub runtime_path: String,
    /// Path of `k8s_openapi` in generated code; with any generator that needs the runtime, the runtime's re-export.
    pub k8s_openapi_path: Option<String>,
    /// Whether types also derive `schemars::JsonSchema`.
    pub schemars: bool,
    /// Module under which `apis` and `generated` stand (`crate`, or `crate::kube` in a build script).
    pub base_path: String,
    /// Name of the module that holds clientset, listers and informers.
    pub generated: String,
    /// Whether each group is behind a feature of its module's name.
    pub group_features: bool,
    /// Which CRDs to keep.
    pub filters: Filters,
    /// Rust names by schema path (`VirtualMachine.spec.resource` = `MachineSize`).
    pub renames: BTreeMap<String, String>,
    /// Markers of other tools in annotated Rust, passed over: names, or beginnings with `*` after them (`operator-sdk:*`).
    pub ignored_markers: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            emit: Generator::ALL.into_iter().collect(),
            header: None,
            runtime_path: "::codegen_runtime".to_owned(),
            k8s_openapi_path: None,
            schemars: false,
            base_path: "crate".to_owned(),
            generated: "generated".to_owned(),
            group_features: false,
            filters: Filters::default(),
            renames: BTreeMap::new(),
            ignored_markers: Vec::new(),
        }
    }
}

impl Options {
    /// Whether the generator is asked for.
    #[must_use]
    pub fn emits(&self, generator: Generator) -> bool {
        self.emit.contains(&generator)
    }

    /// Whether anything asked for links against the runtime; else generated code needs `serde`, `serde_json` and
    /// `k8s-openapi` only.
    #[must_use]
    pub fn needs_runtime(&self) -> bool {
        let mut emitted = self.emit.iter();
        emitted.any(|generator| generator.definition().links_runtime)
    }
}

/// Which resources of the CRDs to keep; an empty list keeps all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Filters {
    /// Groups by full name.
    pub groups: Vec<String>,
    /// Versions by name.
    pub versions: Vec<String>,
    /// Kinds by name.
    pub kinds: Vec<String>,
    /// Whether to keep versions that are not served: their types, for conversion and stored objects. They have no clients.
    pub unserved: bool,
}
