//! Scaffolds: files that are written once and then belong to the user.
//!
//! They are rendered from the texts of `kube-codegen-templates`; everything else that the generator
//! writes goes through `quote`.

use std::{fmt::Write as _, iter};

use kube_codegen_templates::package as templates;

use crate::{
    config::FILE_NAME,
    emit::features,
    generator::{Feature, Generator, Home},
    kubernetes::KubernetesVersion,
    model::{ApiSet, EnumValues, Group, Resource, Scope, TypeDef, TypeKind, Version},
    options::Options,
    output::Tree,
};

/// The feature of `k8s-openapi` that selects the latest Kubernetes version.
const LATEST: &str = "latest";

/// The crate skeleton around generated code.
#[derive(Clone, Copy, Debug)]
pub struct Scaffold<'a> {
    /// The crate's name.
    pub name: &'a str,
    /// The API that the crate provides.
    pub api: &'a ApiSet,
    /// The options of the generation.
    pub options: &'a Options,
    /// The `codegen.toml` for later runs; `None` if the input cannot be named in it.
    pub config: Option<&'a str>,
    /// The runtime dependency in `Cargo.toml`, as a TOML value (`"0.1"`,
    /// `{ path = "../runtime" }`).
    pub runtime: &'a str,
}

impl Scaffold<'_> {
    /// The files, relative to the crate's folder.
    #[must_use]
    pub fn files(&self) -> Tree {
        let files = [
            ("Cargo.toml", templates::MANIFEST),
            ("src/lib.rs", templates::LIB),
            ("README.md", templates::README),
            (".gitignore", templates::GITIGNORE),
        ];
        let values = self.values();
        let files = files
            .into_iter()
            .map(|(path, template)| (path.into(), fill(template, &values)));
        let config = self.config.map(|text| (FILE_NAME.into(), text.to_owned()));
        files.chain(config).collect()
    }

    fn values(&self) -> [(&'static str, String); 13] {
        let names: Vec<&str> = self
            .api
            .groups
            .iter()
            .map(|group| group.name.as_str())
            .collect();
        [
            ("name", self.name.to_owned()),
            ("what", self.what().to_owned()),
            ("groups", names.join(", ")),
            ("features", self.features()),
            ("features_list", self.features_list()),
            ("features_docs", self.features_docs().to_owned()),
            ("groups_docs", self.groups_docs()),
            ("dependencies", self.dependencies()),
            ("example", self.example()),
            ("modules", self.modules()),
            ("version", self.version_docs()),
            ("regenerate", self.regenerate()),
            (
                "configured",
                self.config.map_or("", |_| "`codegen.toml`, ").to_owned(),
            ),
        ]
    }

    /// The command that generates the code again.
    fn regenerate(&self) -> String {
        match self.config {
            Some(_) => "kube-codegen generate".to_owned(),
            None => format!(
                "kube-codegen crate - --output . --name {} < crds.yaml   # with the options of the first run",
                self.name
            ),
        }
    }

    fn what(&self) -> &'static str {
        if self.options.emits(Generator::Client) {
            "clients"
        } else {
            "types"
        }
    }

    fn features(&self) -> String {
        let modules: Vec<String> = self
            .api
            .groups
            .iter()
            .map(|group| format!("\"{}\"", group.module))
            .collect();
        let mut text = format!(
            "default = [{}, \"{}\"]\n",
            modules.join(", "),
            self.default_version()
        );
        for feature in features::of_api(self.api, self.options) {
            let enables: Vec<String> = feature
                .enables
                .iter()
                .map(|one| format!("{one:?}"))
                .collect();
            let enables = enables.join(", ");
            let _ = writeln!(text, "# {}\n{} = [{enables}]", feature.what, feature.name);
        }
        let passed_on = self.passed_on();
        text +=
            "# The Kubernetes version of the built-in types: an application enables exactly one.\n";
        for version in self.kubernetes_versions() {
            let _ = writeln!(text, "{version} = [\"{passed_on}/{version}\"]");
        }
        for generator in &self.options.emit {
            if let Some(feature) = generator.definition().feature {
                let Feature {
                    name,
                    docs,
                    enables,
                    ..
                } = feature;
                let _ = writeln!(text, "# {docs}\n{name} = [\"{enables}\"]");
            }
        }
        text.trim_end().to_owned()
    }

    /// The features that select a Kubernetes version, limited to those that the types compile with.
    fn kubernetes_versions(&self) -> impl Iterator<Item = String> {
        let versions = self.options.least_kubernetes_version().and_later();
        let features = versions.map(KubernetesVersion::feature);
        iter::once(LATEST.to_owned()).chain(features)
    }

    /// The crate documentation of the default Kubernetes version.
    fn version_docs(&self) -> String {
        match self.options.kubernetes_version {
            None => format!(
                "The feature `{LATEST}`, on by default, chooses the newest Kubernetes version for the built-in types. An application on another version\n\
                 takes `default-features = false`, its groups and its version (`{}` to `{}`).",
                KubernetesVersion::EARLIEST.feature(),
                KubernetesVersion::LATEST.feature()
            ),
            Some(version) => format!(
                "The feature `{feature}`, on by default, chooses Kubernetes {version} for the built-in types, the earliest that these types compile with. An\n\
                 application on a later version takes `default-features = false`, its groups and its version (up to `{}`).",
                KubernetesVersion::LATEST.feature(),
                feature = version.feature(),
            ),
        }
    }

    /// The version feature that is on by default.
    fn default_version(&self) -> String {
        let version = self.options.kubernetes_version;
        version.map_or_else(|| LATEST.to_owned(), KubernetesVersion::feature)
    }

    /// The dependency that the version features are forwarded to.
    fn passed_on(&self) -> &'static str {
        if self.options.needs_runtime() {
            "codegen-runtime"
        } else {
            "k8s-openapi"
        }
    }

    fn features_list(&self) -> String {
        let features = features::of_api(self.api, self.options).into_iter();
        let lines = features
            .filter(|feature| feature.chosen)
            .map(|feature| format!("- `{}`: {}", feature.name, feature.what));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn features_docs(&self) -> &'static str {
        if self.options.kind_features {
            "Each kind of each version is a feature, and each API group one for all its kinds. All are on by default; choose with\n\
             `default-features = false`:"
        } else {
            "Each API group is a feature, all of them on by default; choose with `default-features = false`:"
        }
    }

    fn groups_docs(&self) -> String {
        let groups = self.api.groups.iter();
        let lines = groups.map(|group| {
            let versions: Vec<&str> = group.versions.iter().map(|v| v.name.as_str()).collect();
            let (name, versions) = (&group.name, versions.join(", "));
            format!("//! - `{}`: {name} ({versions})", group.module)
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    fn dependencies(&self) -> String {
        let mut lines = Vec::new();
        if self.needs_serde() {
            lines.push("serde = { version = \"1.0.228\", features = [\"derive\"] }");
        }
        let runtime = format!("codegen-runtime = {}", self.runtime);
        // The schemas of Kubernetes' own types.
        let k8s_openapi = if self.options.schemars {
            lines.push("schemars = \"1\"");
            "k8s-openapi = { version = \"0.29\", features = [\"schemars\"] }"
        } else {
            "k8s-openapi = \"0.29\""
        };
        if self.options.needs_runtime() {
            lines.push(&runtime);
            lines.push("serde_json = \"1.0.127\"");
        } else {
            // As in the runtime: floating-point numbers round-trip exactly.
            lines.push("serde_json = { version = \"1.0.127\", features = [\"float_roundtrip\"] }");
        }
        if self.options.schemars || !self.options.needs_runtime() {
            lines.push(k8s_openapi);
        }
        if self.options.types.builders {
            lines.push("bon = { version = \"3\", default-features = false }");
        }
        lines.sort_unstable();
        lines.join("\n")
    }

    /// Whether the types refer to serde directly. With the runtime, only integer enums and types
    /// with derived schemas or attributes do.
    fn needs_serde(&self) -> bool {
        let options = self.options;
        let mut types = self.api.versions().flat_map(|(_, version)| &version.types);
        let integers = |def: &TypeDef| matches!(&def.kind, TypeKind::Enum(body) if body.values == EnumValues::Integers);
        !options.needs_runtime()
            || options.schemars
            || !options.types.attributes.is_empty()
            || types.any(integers)
    }

    /// A documentation test with the API's first client; empty if no client is generated.
    fn example(&self) -> String {
        let client = Generator::Client;
        let Some((group, version, resource)) =
            self.first_client().filter(|_| self.options.emits(client))
        else {
            return String::new();
        };
        let namespace = match resource.scope {
            Scope::Namespaced => "\"default\"",
            Scope::Cluster => "",
        };
        let lines = [
            String::new(),
            "```no_run".to_owned(),
            format!(
                "# #[cfg(feature = {:?})]",
                features::shown_by(group, version, resource, self.options)
            ),
            "# async fn example() -> Result<(), codegen_runtime::kube::Error> {".to_owned(),
            "use codegen_runtime::kube::api::ListParams;".to_owned(),
            format!(
                "use {}::generated::clientset::Clientset;",
                self.name.replace('-', "_")
            ),
            String::new(),
            "let clientset = Clientset::try_default().await?;".to_owned(),
            format!(
                "let {} = clientset.{}().{}({namespace});",
                resource.accessor,
                self.api.clientset_method(group, version),
                resource.accessor
            ),
            format!(
                "for object in {}.list(&ListParams::default()).await? {{",
                resource.accessor
            ),
            "    println!(\"{:?}\", object.metadata.name);".to_owned(),
            "}".to_owned(),
            "# Ok(())".to_owned(),
            "# }".to_owned(),
            "```".to_owned(),
            String::new(),
        ];
        let commented = lines.map(|line| format!("//! {line}").trim_end().to_owned());
        commented[..commented.len() - 1].join("\n") + "\n"
    }

    fn first_client(&self) -> Option<(&Group, &Version, &Resource)> {
        self.api.versions().find_map(|(group, version)| {
            let list = crate::model::Verb::List;
            let resource = version
                .resources
                .iter()
                .find(|resource| resource.client && resource.verbs.contains(list))?;
            Some((group, version, resource))
        })
    }

    fn modules(&self) -> String {
        let mut emit = self.options.emit.iter();
        if emit.any(|generator| matches!(generator.definition().home, Home::Generated(_))) {
            "pub mod apis;\npub mod generated;".to_owned()
        } else {
            "pub mod apis;".to_owned()
        }
    }
}

/// Replaces each `{{name}}` in the template by its value. Placeholders inside of values are not
/// expanded, and `{{…}}` of another name is text of another language, and stays.
pub(crate) fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::with_capacity(template.len() * 2);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{")
        && let Some((name, after)) = after.split_once("}}")
    {
        text.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => text.push_str(value),
            None => text.extend(["{{", name, "}}"]),
        }
        rest = after;
    }
    text.push_str(rest);
    text
}
