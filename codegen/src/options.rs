//! Options: the one struct shared by the command line, `codegen.toml` and build scripts.

mod manifests;
mod types;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde::{Deserialize, Serialize};

pub use self::manifests::{DocsFormat, Manifests, RoleOptions};
pub use self::types::{
    MapType, Pattern, TypeAttributes, TypeOptions, Visibility, derive_path, type_attribute,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    generator::Generator,
    header,
    kubernetes::{KubernetesTypes, KubernetesVersion, Recognition},
    model::names,
    record::Record,
    suggest,
};

/// How to treat mistakes in markers that controller-gen accepts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compat {
    /// Mistakes are errors.
    #[default]
    Strict,
    /// The output equals controller-gen's for every input that controller-gen accepts.
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
    /// Parses the mode as spelled in `codegen.toml` and on the command line.
    ///
    /// # Errors
    ///
    /// A message that lists the valid values.
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
    /// A license header, as comment lines or plain text, placed above the generated-code marker.
    pub header: Option<String>,
    /// Path of the runtime crate in generated code.
    pub runtime_path: String,
    /// Path of `k8s_openapi` in generated code. If a selected generator needs the runtime, this is the runtime's re-export.
    pub k8s_openapi_path: Option<String>,
    /// Whether types also derive `schemars::JsonSchema`.
    pub schemars: bool,
    /// Path of the module that contains `apis` and `generated` (`crate`, or `crate::kube` in a build script).
    pub base_path: String,
    /// Name of the module that contains clientset, listers and informers.
    pub generated: String,
    /// Whether each group has a Cargo feature named after its module.
    pub group_features: bool,
    /// Whether each kind of each version also has a Cargo feature of its own (`cloudnative_v1alpha1_virtual_machine`).
    pub kind_features: bool,
    /// Which CRDs to keep.
    pub filters: Filters,
    /// Rust names by schema path (`VirtualMachine.spec.resource` = `MachineSize`).
    pub renames: BTreeMap<String, String>,
    /// The recorded names of types and modules from CRDs, which are kept; `None` records no names.
    pub record: Option<Arc<Record>>,
    /// Whether types from CRDs get an alias per schema path, named after the full path.
    pub aliases: bool,
    /// Which schemas of CRDs become types of k8s-openapi.
    pub kubernetes_types: KubernetesTypes,
    /// The lowest Kubernetes version that k8s-openapi is compiled for; `None` for all that it supports.
    pub kubernetes_version: Option<KubernetesVersion>,
    /// The shape of types from CRDs and Go.
    pub types: TypeOptions,
    /// What to do with CRDs that have errors.
    pub faulty: Faulty,
    /// Rust types to use in place of Go types, by import path and name (`github.com/x/y/v1.Z` = `my_crate::Z`). A bare Rust name
    /// renames the generated type.
    pub type_paths: BTreeMap<String, String>,
    /// Markers of other tools in annotated Rust, which are ignored: names, or prefixes followed by `*` (`operator-sdk:*`).
    pub ignored_markers: Vec<String>,
    /// How to treat mistakes in markers that controller-gen accepts.
    pub compat: Compat,
    /// Manifests to write beside the code; `None` writes no manifests.
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
    /// Whether CRDs are to be written, or what is made of them.
    pub(crate) fn writes_crds(&self) -> bool {
        self.manifests.as_ref().is_some_and(Manifests::uses_crds)
    }

    /// Whether an output is derived from the schemas of kinds, so that they must be kept in full.
    pub(crate) fn uses_schemas(&self) -> bool {
        self.writes_crds() || self.emits(Generator::Validate)
    }

    /// Whether roles or webhook configurations are to be written.
    #[cfg(feature = "go")]
    pub(crate) fn uses_crate_markers(&self) -> bool {
        let manifests = self.manifests.as_ref();
        manifests.is_some_and(|it| it.roles.is_some() || it.webhooks.is_some())
    }

    /// Whether roles and webhook configurations are all that is written, so that the fields of types do not matter.
    #[cfg(feature = "go")]
    pub(crate) fn writes_only_rules(&self) -> bool {
        let of_types = |it: &Manifests| it.crds.is_some() || it.docs.is_some();
        self.emit.is_empty() && self.manifests.as_ref().is_some_and(|it| !of_types(it))
    }

    /// The lowest Kubernetes version whose types generated code may use.
    pub(crate) fn least_kubernetes_version(&self) -> KubernetesVersion {
        self.kubernetes_version
            .unwrap_or(KubernetesVersion::EARLIEST)
    }

    /// The settings that decide which schemas become Kubernetes types.
    #[must_use]
    pub const fn recognition(&self) -> Recognition {
        Recognition {
            types: self.kubernetes_types,
            version: self.kubernetes_version,
        }
    }

    /// Whether the generator is selected.
    #[must_use]
    pub fn emits(&self, generator: Generator) -> bool {
        self.emit.contains(&generator)
    }

    /// Whether a selected generator links against the runtime. Otherwise generated code only needs `serde`, `serde_json` and
    /// `k8s-openapi`.
    #[must_use]
    pub fn needs_runtime(&self) -> bool {
        let mut emitted = self.emit.iter();
        emitted.any(|generator| generator.definition().links_runtime)
    }
}

impl Options {
    /// Checks what can be checked before any input is read: paths, names, the header.
    ///
    /// # Errors
    ///
    /// One error for each option that no generated code could use.
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

/// Validates a crate or module path for use in generated code, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
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

/// Validates the Rust path or name that replaces a Go type, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
pub fn type_path(text: &str) -> Result<String, String> {
    if segments(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(format!(
        "expected a path such as `my_crate::Type`, or a name, found `{text}`"
    ))
}

/// Validates the path of the module that code is generated into, and returns it unchanged.
///
/// # Errors
///
/// A message that says which paths are valid.
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

/// The segments of a path without generic arguments.
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

/// What to do with CRDs that have errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Faulty {
    /// Fail: nothing is generated.
    #[default]
    Refused,
    /// Skip them and generate for the others.
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
    /// Whether to keep versions that are not served, for conversion and stored objects. They get types, but no clients.
    pub unserved: bool,
    /// Whether to keep only the storage version of each kind.
    pub stored_only: bool,
}

impl Filters {
    /// The errors for groups and kinds that the input lacks. Input without any is reported elsewhere.
    pub(crate) fn check(
        &self,
        groups: &BTreeSet<&str>,
        kinds: &BTreeSet<&str>,
        diagnostics: &mut Diagnostics,
    ) {
        for (what, wanted, known) in [
            ("group", &self.groups, groups),
            ("kind", &self.kinds, kinds),
        ] {
            let missing = wanted.iter().filter(|name| !known.contains(name.as_str()));
            for name in missing.filter(|_| !known.is_empty()) {
                let error = Diagnostic::error(format!("no {what} `{name}` in the input"));
                let help = suggest::correction(what, name, known.iter().copied());
                let help = help.unwrap_or_else(|| "remove it from the filter".to_owned());
                diagnostics.push(error.help(help));
            }
        }
    }
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
