//! Options: what the command line, `codegen.toml` and build scripts can choose. Start reading at
//! `table`.

pub(crate) mod define;
mod fields;
mod manifests;
mod paths;
mod table;
mod types;
mod words;

use std::collections::BTreeSet;

pub use self::fields::CrdField;
pub(crate) use self::manifests::{Basis, Manifest, manifests};
pub use self::paths::{base_path, crate_path, type_path};
pub use self::table::{Filters, Manifests, Options, RoleOptions, TypeOptions};
pub(crate) use self::table::{ROWS, setters};
pub use self::types::{Pattern, TypeAttributes, derive_path, type_attribute};
pub use self::words::{Compat, DocsFormat, Faulty, MapType, Visibility};
use crate::{
    diag::{Diagnostic, Diagnostics},
    generator::Generator,
    header,
    kubernetes::{KubernetesVersion, Recognition},
    suggest,
};

/// Every option that is a key of `codegen.toml`.
pub(crate) fn rows() -> impl Iterator<Item = &'static define::Row<Options>> {
    ROWS.iter().copied().flatten()
}

impl Options {
    /// Whether CRDs are to be written, or what is made of them.
    pub(crate) fn writes_crds(&self) -> bool {
        self.manifests.as_ref().is_some_and(Manifests::uses_crds)
    }

    /// Whether an output is derived from the schemas of kinds, so that they must be kept in full.
    pub(crate) fn uses_schemas(&self) -> bool {
        self.writes_crds() || self.embeds_schemas()
    }

    /// Whether generated code has the schemas of kinds.
    pub(crate) fn embeds_schemas(&self) -> bool {
        self.emits(Generator::Validate) || self.emits(Generator::Defaults)
    }

    /// The path of the module with clientset, listers and informers.
    pub(crate) fn generated_path(&self) -> String {
        let module = crate::model::names::ident(&self.generated);
        format!("{}::{module}", self.base_path)
    }

    /// Whether roles or webhook configurations are to be written.
    #[cfg(feature = "go")]
    pub(crate) fn uses_crate_markers(&self) -> bool {
        let manifests = self.manifests.as_ref();
        manifests.is_some_and(|it| it.need(Basis::Markers))
    }

    /// Whether something is made of kinds. The rules of roles and the webhooks are not: they are
    /// markers of their own.
    pub(crate) fn uses_kinds(&self) -> bool {
        let of_kinds = |it: &Manifests| it.need(Basis::Kinds);
        !self.writes_only_rules() || self.manifests.as_ref().is_some_and(of_kinds)
    }

    /// Whether roles and webhook configurations are all that is written, so that the fields of
    /// types do not matter.
    pub(crate) fn writes_only_rules(&self) -> bool {
        let of_types = |it: &Manifests| it.need(Basis::Types);
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

    /// Whether a selected generator links against the runtime. Otherwise generated code only needs
    /// `serde`, `serde_json` and `k8s-openapi`.
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

impl TypeOptions {
    /// Adds an error for each derive and attribute that generated code cannot use.
    fn check(&self, diagnostics: &mut Diagnostics) {
        for attributes in &self.attributes {
            let derives = attributes.derives.iter().map(|text| derive_path(text));
            let others = attributes.attributes.iter();
            let others = others.map(|text| type_attribute(text));
            for message in derives.chain(others).filter_map(Result::err) {
                let types = &attributes.types;
                let message = format!("attributes of `{types}`: {message}");
                diagnostics.push(Diagnostic::error(message));
            }
        }
    }
}

impl Filters {
    /// The errors for groups and kinds that the input lacks. Input without any is reported
    /// elsewhere.
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
