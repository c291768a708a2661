//! Options: the one struct behind the command line, `codegen.toml` and build scripts.

mod kubernetes;
mod manifests;
mod types;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

pub use self::kubernetes::{KubernetesTypes, KubernetesVersion};
pub use self::manifests::{Manifests, RoleOptions};
pub use self::types::{
    MapType, Pattern, TypeAttributes, TypeOptions, Visibility, derive_path, type_attribute,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    emit::Generator,
    model::names,
    output::format::header,
    record::{Recognition, Record},
};

/// Whose reading of markers holds where controller-gen's lets mistakes pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// Mistakes are errors.
    #[default]
    Strict,
    /// The output is controller-gen's for all input that it takes.
    ControllerGen,
}

impl Compat {
    /// Whether mistakes are errors.
    #[must_use]
    pub fn is_strict(self) -> bool {
        self == Self::Strict
    }
}

impl Compat {
    /// The mode of a word of `codegen.toml` and the command line.
    ///
    /// # Errors
    ///
    /// A message with the expected words.
    pub fn parse(word: &str) -> Result<Self, String> {
        match word {
            "strict" => Ok(Self::Strict),
            "controller-gen" => Ok(Self::ControllerGen),
            _ => Err(format!(
                "expected `strict` or `controller-gen`, found `{word}`"
            )),
        }
    }
}

/// The options of a generation.
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
    /// Whether each kind of each version is behind a feature of its own (`cloudnative_v1alpha1_virtual_machine`), too.
    pub kind_features: bool,
    /// Which CRDs to keep.
    pub filters: Filters,
    /// Rust names by schema path (`VirtualMachine.spec.resource` = `MachineSize`).
    pub renames: BTreeMap<String, String>,
    /// The names that types and modules from CRDs were given before, and keep; none records no names.
    pub record: Option<Arc<Record>>,
    /// Whether types from CRDs have an alias for each path of the schema, named after all of it.
    pub aliases: bool,
    /// Which schemas of CRDs become types of k8s-openapi.
    pub kubernetes_types: KubernetesTypes,
    /// The least Kubernetes version that k8s-openapi is compiled for; none for every one that it supports.
    pub kubernetes_version: Option<KubernetesVersion>,
    /// How types from CRDs and Go look.
    pub types: TypeOptions,
    /// The treatment of CRDs with errors.
    pub faulty: Faulty,
    /// Rust types in place of Go's, by import path and name (`github.com/x/y/v1.Z` = `my_crate::Z`); a name without a path
    /// renames the generated type.
    pub type_paths: BTreeMap<String, String>,
    /// Markers of other tools in annotated Rust, passed over: names, or beginnings with `*` after them (`operator-sdk:*`).
    pub ignored_markers: Vec<String>,
    /// Whose reading of markers holds.
    pub compat: Compat,
    /// Manifests to write beside the code; none writes none.
    pub manifests: Option<Manifests>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            emit: Generator::in_all().collect(),
            header: None,
            runtime_path: "::codegen_runtime".to_owned(),
            k8s_openapi_path: None,
            schemars: false,
            base_path: "crate".to_owned(),
            generated: "generated".to_owned(),
            group_features: false,
            kind_features: false,
            filters: Filters::default(),
            renames: BTreeMap::new(),
            record: None,
            aliases: false,
            kubernetes_types: KubernetesTypes::default(),
            kubernetes_version: None,
            types: TypeOptions::default(),
            faulty: Faulty::default(),
            type_paths: BTreeMap::new(),
            ignored_markers: Vec::new(),
            compat: Compat::Strict,
            manifests: None,
        }
    }
}

impl Options {
    /// Whether CRDs are to be written.
    pub(crate) fn writes_crds(&self) -> bool {
        self.manifests.as_ref().is_some_and(|it| it.crds.is_some())
    }

    /// Whether anything is made of the schemas of kinds, so that they are kept whole.
    pub(crate) fn uses_schemas(&self) -> bool {
        self.writes_crds() || self.emits(Generator::Validate)
    }

    /// Whether roles or webhook configurations are to be written.
    #[cfg(feature = "go")]
    pub(crate) fn uses_crate_markers(&self) -> bool {
        let manifests = self.manifests.as_ref();
        manifests.is_some_and(|it| it.roles.is_some() || it.webhooks.is_some())
    }

    /// The least Kubernetes version whose types generated code may have.
    pub(crate) fn least_kubernetes_version(&self) -> KubernetesVersion {
        self.kubernetes_version
            .unwrap_or(KubernetesVersion::EARLIEST)
    }

    /// What decides which schemas are types of Kubernetes.
    #[must_use]
    pub const fn recognition(&self) -> Recognition {
        Recognition {
            types: self.kubernetes_types,
            version: self.kubernetes_version,
        }
    }

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

impl Options {
    /// Checks what can be checked before anything is read: paths, names, the header.
    ///
    /// # Errors
    ///
    /// A finding for each option that no generated code could have.
    pub fn check(&self) -> Result<(), Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let k8s_openapi = self.k8s_openapi_path.as_deref();
        let paths = [
            ("runtime path", crate_path(&self.runtime_path)),
            (
                "path of k8s_openapi",
                crate_path(k8s_openapi.unwrap_or("::k8s_openapi")),
            ),
            ("base path", base_path(&self.base_path)),
        ];
        for (what, checked) in paths {
            if let Err(message) = checked {
                diagnostics.push(Diagnostic::error(format!("invalid {what}: {message}")));
            }
        }
        if let Some((_, message)) = self.header.as_deref().and_then(header::check) {
            diagnostics.push(Diagnostic::error(message));
        }
        self.types.check(&mut diagnostics);
        diagnostics.finish(())
    }
}

/// A path of a crate or module in generated code, as given if code can have it anywhere.
///
/// # Errors
///
/// A message with the expected words.
pub fn crate_path(text: &str) -> Result<String, String> {
    let expected = || {
        format!("expected a path such as `::codegen_runtime` or `crate::runtime`, found `{text}`")
    };
    let segments = segments(text).ok_or_else(expected)?;
    if segments
        .iter()
        .any(|segment| ["self", "super"].contains(segment))
    {
        let message =
            "`self` and `super` mean another module in each file: start with `crate` or `::`";
        return Err(message.to_owned());
    }
    Ok(text.to_owned())
}

/// The Rust path or name of a Go type, as given.
///
/// # Errors
///
/// A message with the expected words.
pub fn type_path(text: &str) -> Result<String, String> {
    if segments(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected a path such as `my_crate::Type`, or a name, found `{text}`"
    ))
}

/// The path of a module of the crate that is generated into, as given.
///
/// # Errors
///
/// A message with the expected words.
pub fn base_path(text: &str) -> Result<String, String> {
    let expected =
        || format!("expected a module of the crate, such as `crate::kubernetes`, found `{text}`");
    let segments = segments(text).ok_or_else(expected)?;
    if segments.first() == Some(&"crate") {
        Ok(text.to_owned())
    } else {
        Err(expected())
    }
}

/// The names of a path without arguments.
fn segments(text: &str) -> Option<Vec<&str>> {
    let global = text.strip_prefix("::");
    let segments: Vec<&str> = global.unwrap_or(text).split("::").collect();
    let is_name = |(index, segment): (usize, &&str)| {
        let may_lead = index == 0 && global.is_none();
        let raw = segment.strip_prefix("r#");
        let plain = raw.unwrap_or(segment);
        let is_leading = may_lead && ["crate", "self", "super"].contains(segment);
        is_leading
            || (names::plain_ident(plain) == plain
                && (raw.is_some() || names::ident(plain) == plain))
    };
    segments.iter().enumerate().all(is_name).then_some(segments)
}

/// The treatment of CRDs with errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faulty {
    /// Nothing is generated.
    #[default]
    Refused,
    /// The others are generated.
    Skipped,
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
    /// Whether to keep of each kind the version alone that is stored.
    pub stored_only: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_that_code_can_have_anywhere() {
        for path in [
            "::a",
            "a",
            "a::b_c",
            "crate",
            "crate::r#type",
            "::codegen_runtime::x",
        ] {
            assert!(crate_path(path).is_ok(), "{path}");
        }
        for path in [
            "",
            "::",
            "a b",
            "foo--bar",
            "a::",
            "a<b>",
            "crate::crate",
            "::crate",
            "super::a",
            "self",
            "crate::type",
            "1a",
            "a::*",
            "_",
        ] {
            assert!(crate_path(path).is_err(), "{path}");
        }
        for path in ["crate", "crate::a::r#gen"] {
            assert!(base_path(path).is_ok(), "{path}");
        }
        for path in ["crate::a b", "a", "::a", "super", ""] {
            assert!(base_path(path).is_err(), "{path}");
        }
    }
}
