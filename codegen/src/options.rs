//! Options: the one struct behind the command line, `codegen.toml` and build scripts.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

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
        self.emit
            .iter()
            .any(|generator| !matches!(generator, Generator::Types | Generator::Deepcopy))
    }
}

/// A generator, named as on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Generator {
    /// Rust types from CRDs.
    Types,
    /// `Clone`, serde of the roots, object traits.
    Deepcopy,
    /// Group, version, kinds, `add_to_scheme`.
    Register,
    /// Clientset and typed clients.
    Client,
    /// The clientset over the embedded API server.
    Fake,
    /// Listers.
    Lister,
    /// Informers and their factory.
    Informer,
}

impl Generator {
    /// Every generator, in the order in which they run.
    pub const ALL: [Self; 7] = [
        Self::Types,
        Self::Deepcopy,
        Self::Register,
        Self::Client,
        Self::Fake,
        Self::Lister,
        Self::Informer,
    ];

    /// The name on the command line and in `codegen.toml`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Types => "types",
            Self::Deepcopy => "deepcopy",
            Self::Register => "register",
            Self::Client => "client",
            Self::Fake => "fake",
            Self::Lister => "lister",
            Self::Informer => "informer",
        }
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
}
