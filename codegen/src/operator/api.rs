//! One kind of an operator: its files, and its lines in the user's files.

use std::{ops::Not, path::PathBuf};

use kube_codegen_templates::operator::api::{
    CONTROLLER, SAMPLE, SUPPORT, TEST, TEST_EXAMPLE, TYPES, VERSION,
};
use serde::{Deserialize, Serialize};

use super::{
    APP, ARGUMENTS, CORE, Operator, SAMPLES, WIDTH, controller,
    edit::At,
    edits::{Edit, EditKind},
    names, restricted,
};
use crate::{model::Scope, output::Tree, scaffold::fill};

/// A kind in one version of its group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Api {
    /// The operator that it belongs to.
    #[serde(skip)]
    pub operator: Operator,
    /// The group's full name.
    pub group: String,
    /// The group's folder in `src/apis`.
    pub group_module: String,
    /// The version, which is also its folder's name.
    pub version: String,
    /// The kind.
    pub kind: String,
    /// The module with its types.
    pub module: String,
    /// The name of its controller, test and sample; `None` if the version has no controller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// The name of its sample.
    pub sample: String,
    /// The plural.
    pub plural: String,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// Whether another version of the kind is the storage version.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_further_version: bool,
    /// Whether it is the operator's first kind to be created, or the last to be deleted.
    #[serde(skip)]
    pub is_first: bool,
    /// Whether what tests share comes and goes with it: it is the first or last kind, and no test
    /// of others uses that.
    #[serde(skip)]
    pub brings_support: bool,
    /// Whether it is the first or last kind of its version.
    #[serde(skip)]
    pub is_first_of_version: bool,
    /// Whether its spec has the example field, whose rule a test violates.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub has_example: bool,
    /// Whether every replica runs its controller, if the flags say so.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub is_sharded: bool,
}

/// A file of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// What the tests of all kinds and controllers share; created with the first of them.
    Support,
    /// The types.
    Types,
    /// The module of the version.
    Version,
    /// The controller.
    Controller,
    /// Its tests.
    Test,
    /// The sample.
    Sample,
}

impl Api {
    /// The path of a part; `None` if the kind does not have it.
    #[must_use]
    pub fn path(&self, part: Part) -> Option<PathBuf> {
        let version = format!("src/apis/{}/{}", self.group_module, self.version);
        let path = match part {
            Part::Support => return Some(controller::support_path()),
            Part::Controller => return Some(controller::path(self.controller.as_ref()?)),
            Part::Test => return Some(controller::test_path(self.controller.as_ref()?)),
            Part::Types => format!("{version}/{}.rs", self.module),
            Part::Version => format!("{version}/mod.rs"),
            Part::Sample => format!("config/samples/{}.yaml", self.sample),
        };
        Some(path.into())
    }

    /// The files that belong to this kind only.
    #[must_use]
    pub fn files(&self) -> Tree {
        let parts = [
            (Part::Support, SUPPORT),
            (Part::Types, TYPES),
            (Part::Version, VERSION),
            (Part::Controller, CONTROLLER),
            (Part::Test, TEST),
            (Part::Sample, SAMPLE),
        ];
        let values = self.values();
        let files = parts.into_iter().filter_map(|(part, template)| {
            let is_wanted = match part {
                Part::Support => self.brings_support,
                Part::Version => self.is_first_of_version,
                _ => true,
            };
            let path = self.path(part).filter(|_| is_wanted)?;
            Some((path, fill(template, &values)))
        });
        files.collect()
    }

    /// The kind's lines in other files. `group_file` is whether the group's module is in a file of
    /// its own.
    #[must_use]
    pub fn edits(&self, group_file: bool) -> Vec<Edit> {
        let mut edits = Vec::new();
        if self.is_first {
            edits.push(Edit::item("src/lib.rs", "pub mod generated;"));
        }
        if self.brings_support {
            edits.push(controller::support_edit());
        }
        let (group, version) = (&self.group_module, &self.version);
        if self.is_first_of_version {
            edits.push(self.version_edit(group_file));
        } else {
            let path = format!("src/apis/{group}/{version}/mod.rs");
            edits.push(Edit::item(&path, format!("mod {};", self.module)));
            edits.push(Edit::item(
                &path,
                format!("pub use self::{}::*;", self.module),
            ));
        }
        edits.extend(self.controller_edits());
        edits.push(Edit::demo_objects(&format!(
            "config/samples/{}.yaml",
            self.sample
        )));
        let listed = EditKind::ListItem {
            key: "resources",
            item: format!("{}.yaml", self.sample),
        };
        edits.push(Edit::new(SAMPLES, listed));
        if !self.is_further_version {
            let statement = format!("let demo = demo.command_to_try({:?});", self.command());
            edits.push(Edit::statement(APP, ("demo", At::End), statement));
        }
        edits
    }

    /// The controller's lines in other files.
    #[must_use]
    pub fn controller_edits(&self) -> Vec<Edit> {
        let controller = self.controller.as_deref();
        controller.map(controller::edits).unwrap_or_default()
    }

    /// The declaration of the version, including that of the group if `apis` has none.
    fn version_edit(&self, group_file: bool) -> Edit {
        let (group, version) = (&self.group_module, &self.version);
        let item = format!("pub mod {version};");
        if group_file {
            return Edit::item(format!("src/apis/{group}/mod.rs"), item);
        }
        Edit::item_within("src/apis/mod.rs", group, item)
    }

    /// The declaration of the group, as it is before its first version is added.
    #[must_use]
    pub fn group_edit(&self) -> Edit {
        let (group, module) = (&self.group, &self.group_module);
        Edit::item(
            "src/apis/mod.rs",
            format!("/// The group `{group}`.\npub mod {module} {{\n}}"),
        )
    }

    fn command(&self) -> String {
        let full = format!("kubectl get {}.{}", self.plural, self.group);
        if full.len() + 2 > ARGUMENTS {
            format!("kubectl get {}", self.plural)
        } else {
            full
        }
    }

    pub(super) fn values(&self) -> Vec<(&'static str, String)> {
        let kind = &self.kind;
        let is_vowel = kind.starts_with(['A', 'E', 'I', 'O', 'U']);
        let article = if is_vowel { "n" } else { "" };
        let home = self.operator.home();
        let (genclient, scope, namespace, client, test_client) = match self.scope {
            Scope::Namespaced => (
                "",
                "",
                format!("  namespace: {home}\n"),
                format!(
                    "    let namespace = request.namespace().unwrap_or_default();\n    \
                     let api = Api::<{kind}>::namespaced(client, namespace);\n"
                ),
                format!("Api::namespaced(server.client(), \"{home}\")"),
            ),
            Scope::Cluster => (
                "// +genclient:nonNamespaced\n",
                ",scope=Cluster",
                String::new(),
                format!("    let api = Api::<{kind}>::all(client);\n"),
                "Api::all(server.client())".to_owned(),
            ),
        };
        // Of two controllers with one field manager, each would remove the fields of the other.
        let (app, manager) = match &self.controller {
            Some(name) if !self.names().contains(name) => {
                ("Shared", format!("\"{}-{name}\"", self.operator.name))
            }
            _ => ("{NAME, Shared}", "NAME".to_owned()),
        };
        let storage = if self.is_further_version {
            ""
        } else {
            "// +kubebuilder:storageversion\n"
        };
        let sharded = match self.is_sharded {
            true => "        .sharded(shared.sharding.clone())\n",
            false => "",
        };
        let (example_imports, example) = match self.has_example {
            true => (
                "use codegen_runtime::kube::api::{ObjectMeta, PostParams};\n",
                TEST_EXAMPLE,
            ),
            false => ("", ""),
        };
        // Its file is generated for every version, so that another one can become the stored one.
        let conversion_module = match self.operator.converts {
            true => "pub mod zz_generated_conversion;\n",
            false => "",
        };
        vec![
            ("example_imports", example_imports.to_owned()),
            ("example", example.to_owned()),
            ("sharded", sharded.to_owned()),
            ("name", self.operator.name.clone()),
            ("crate", self.operator.crate_name()),
            ("group", self.group.clone()),
            ("group_module", self.group_module.clone()),
            ("version", self.version.clone()),
            ("version_module", self.version.clone()),
            ("kind", kind.clone()),
            ("a_kind", format!("A{article} {kind}")),
            ("a_kind_lower", format!("a{article} {kind}")),
            (
                "module",
                self.controller
                    .clone()
                    .unwrap_or_else(|| self.module.clone()),
            ),
            ("types_module", self.module.clone()),
            ("conversion_module", conversion_module.to_owned()),
            ("plural", self.plural.clone()),
            ("genclient", genclient.to_owned()),
            ("scope", scope.to_owned()),
            ("storage", storage.to_owned()),
            ("namespace", namespace),
            restricted::flag(&self.operator),
            ("client", client),
            ("test_client", test_client),
            ("imports", self.imports()),
            ("app", app.to_owned()),
            ("manager", manager),
            ("reconcile", controller::signature(kind, "ApplyError")),
        ]
    }

    /// The names that `create api` uses for controllers, tests and samples.
    #[must_use]
    pub fn names(&self) -> [String; 4] {
        let Self {
            group_module,
            module,
            version,
            ..
        } = self;
        [
            module.clone(),
            format!("{group_module}_{module}"),
            format!("{module}_{version}"),
            format!("{group_module}_{module}_{version}"),
        ]
    }

    /// The imports of the types, formatted like rustfmt.
    fn imports(&self) -> String {
        let (kind, path) = (
            &self.kind,
            format!("crate::apis::{}::{}", self.group_module, self.version),
        );
        let line = format!("use {path}::{{{kind}, {kind}Status}};");
        if line.len() <= WIDTH {
            line
        } else {
            format!("use {path}::{kind};\nuse {path}::{kind}Status;")
        }
    }
}

impl Api {
    /// A kind whose types and objects are not the operator's, which has no files of its own.
    #[must_use]
    pub fn elsewhere(operator: &Operator, group: &str, version: &str, kind: &str) -> Self {
        let shown = if group.is_empty() { CORE } else { group };
        let [group_module, _] = names::modules_of_group(shown);
        Self {
            operator: operator.clone(),
            group: group.to_owned(),
            group_module,
            version: version.to_owned(),
            kind: kind.to_owned(),
            module: names::module_of(kind),
            controller: None,
            sample: String::new(),
            plural: names::plural_of(kind),
            scope: Scope::Namespaced,
            is_further_version: false,
            is_first: false,
            brings_support: false,
            is_first_of_version: false,
            has_example: false,
            is_sharded: false,
        }
    }

    /// The group and the version, as in `apiVersion`.
    #[must_use]
    pub fn api_version(&self) -> String {
        match self.group.as_str() {
            "" => self.version.clone(),
            group => format!("{group}/{}", self.version),
        }
    }
}

#[cfg(test)]
impl Api {
    /// The kind `Widget` of `batch.example.com`, for tests.
    pub(super) fn widget(version: &str) -> Self {
        Self {
            operator: Operator {
                name: "my-operator".to_owned(),
                domain: None,
                converts: true,
                namespaces: Vec::new(),
            },
            group: "batch.example.com".to_owned(),
            group_module: "batch".to_owned(),
            version: version.to_owned(),
            kind: "Widget".to_owned(),
            module: "widget".to_owned(),
            controller: Some("widget".to_owned()),
            sample: "widget".to_owned(),
            plural: "widgets".to_owned(),
            scope: Scope::Namespaced,
            is_further_version: false,
            is_first: false,
            brings_support: false,
            is_first_of_version: true,
            has_example: true,
            is_sharded: false,
        }
    }
}
