//! Operators: the files that `kube-codegen init`, `create` and `delete` write.
//!
//! An operator has three kinds of files. Output of `generate` is overwritten. Files from
//! `kube-codegen-templates` are written once and then belong to the user. A few of those have a
//! line for each kind, which [`edit`] adds and removes. All of this is pure; the commands do the
//! I/O. Start reading at [`Operator`] and [`Api`].

mod annotated;
mod api;
mod builtin;
mod certificates;
mod controlled;
mod controller;
mod copied;
mod copied_paths;
pub mod edit;
mod edits;
mod layout;
mod lines;
mod marker;
pub mod metric;
mod migration;
pub mod names;
mod policy;
mod references;
mod restricted;
mod text;
pub mod update;
mod webhook;

use std::path::{Component, Path};

use kube_codegen_templates::operator as templates;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

pub use annotated::{BARE_OBJECT, annotated};
pub use api::{Api, Part};
pub use builtin::{
    Builtin, builtin_fault, builtin_hint, builtin_import, builtin_kind, imports_of,
    is_builtin_group,
};
pub use certificates::Certificates;
pub use controlled::Controlled;
pub use controller::{path as controller_path, test_path as controller_test_path};
pub use copied_paths::Neighbours;
pub use edits::{Edit, EditKind};
pub use migration::migration_edits;
pub use policy::{Policy, Subject, policy, policy_edits, policy_path};
pub use references::{Gone, Reference};
pub use restricted::scope_fault;
pub use webhook::{Handler, Webhooks};

use crate::{output::Tree, scaffold::fill};

/// The file of the operator's program.
const APP: &str = "src/app.rs";

/// The file that declares the modules of the operator's tests.
const TESTS: &str = "tests/operator/main.rs";

/// The kustomization of the operator's samples.
const SAMPLES: &str = "config/samples/kustomization.yaml";

/// The kustomization that lists what is deployed.
const DEPLOYED: &str = "config/kustomization.yaml";

/// The name of the core group on the command line, since its own name is empty.
const CORE: &str = "core";

/// rustfmt's line width.
const WIDTH: usize = 100;

/// rustfmt's width limit for the arguments of a call on one line.
const ARGUMENTS: usize = 60;

/// The runtime's features that an operator enables.
const FEATURES: &str = "features = [\"app\", \"latest\"]";

/// The files of a new operator, by path.
#[rustfmt::skip]
const FILES: [(&str, &str); 37] = [
    (".cargo/config.toml", templates::CARGO_CONFIG),
    (".devcontainer/devcontainer.json", templates::DEVCONTAINER),
    (".dockerignore", templates::DOCKERIGNORE),
    (".github/dependabot.yml", templates::DEPENDABOT),
    (".github/workflows/ci.yml", templates::CI),
    (".github/workflows/e2e.yml", templates::E2E),
    (".gitignore", templates::GITIGNORE),
    ("AGENTS.md", templates::AGENTS),
    ("Cargo.toml", templates::MANIFEST),
    ("Dockerfile", templates::DOCKERFILE),
    ("README.md", templates::README),
    ("codegen.toml", templates::CODEGEN),
    ("config/alerts/kustomization.yaml", templates::ALERTS),
    ("config/alerts/rules.yaml", templates::ALERT_RULES),
    ("config/dashboard/dashboard.yaml", templates::DASHBOARD),
    ("config/dashboard/kustomization.yaml", templates::DASHBOARDS),
    ("config/deployment.yaml", templates::DEPLOYMENT),
    ("config/disruption-budget.yaml", templates::DISRUPTION_BUDGET),
    (DEPLOYED, templates::KUSTOMIZATION),
    ("config/metrics.yaml", templates::METRICS),
    ("config/monitor/kustomization.yaml", templates::MONITOR),
    ("config/monitor/service-monitor.yaml", templates::SERVICE_MONITOR),
    ("config/namespace.yaml", templates::NAMESPACE),
    ("config/network-policies/kustomization.yaml", templates::RESTRICTED),
    ("config/network-policies/network-policies.yaml", templates::NETWORK_POLICIES),
    ("config/role-binding.yaml", templates::ROLE_BINDING),
    (SAMPLES, templates::SAMPLES),
    ("config/service-account.yaml", templates::SERVICE_ACCOUNT),
    ("src/apis/mod.rs", templates::APIS),
    (APP, templates::APP),
    ("src/controllers/mod.rs", templates::CONTROLLERS),
    ("src/lib.rs", templates::LIB),
    ("src/main.rs", templates::MAIN),
    ("tests/operator/deploy.rs", templates::DEPLOY),
    ("tests/operator/end_to_end.rs", templates::END_TO_END),
    (TESTS, templates::TESTS),
    ("xtask/main.rs", templates::XTASK),
];

/// Files that a new repository often has already; `init` then keeps the existing ones.
const DISPENSABLE: [&str; 10] = [
    ".cargo/config.toml",
    ".devcontainer/devcontainer.json",
    ".dockerignore",
    ".github/dependabot.yml",
    ".github/workflows/ci.yml",
    ".github/workflows/e2e.yml",
    ".gitignore",
    "AGENTS.md",
    "Dockerfile",
    "README.md",
];

/// Whether the operator does without its own file at this path if one exists.
#[must_use]
pub fn is_dispensable(path: &Path) -> bool {
    DISPENSABLE.iter().any(|other| path == Path::new(other))
}

/// A crate whose controllers run in one program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Operator {
    /// The name of the package and of the program.
    pub name: String,
    /// The domain of its API groups.
    pub domain: Option<String>,
    /// Whether its codegen.toml selects the generator `conversion`, as that of `init` does.
    pub converts: bool,
    /// The namespaces that it is restricted to; empty if it works in all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub namespaces: Vec<String>,
}

impl Operator {
    /// Reads an operator from its `Cargo.toml`; `None` if that is not the manifest of a package.
    /// `converts` and `namespaces` are what its codegen.toml says.
    #[must_use]
    pub fn read(manifest: &str, converts: bool, namespaces: Vec<String>) -> Option<Self> {
        let manifest: Table = manifest.parse().ok()?;
        let package = manifest.get("package")?.as_table()?;
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let metadata = package
            .get("metadata")
            .and_then(|it| it.get("kube-codegen"));
        Some(Self {
            name: package.get("name").and_then(text)?,
            domain: metadata.and_then(|it| it.get("domain")).and_then(text),
            converts,
            namespaces,
        })
    }

    /// The files of a new operator, whose name must be valid according to
    /// [`names::operator_fault`]. `runtime` is the result of [`runtime_dependency`].
    #[must_use]
    pub fn files(&self, runtime: &str) -> Tree {
        let values: Vec<_> = [
            ("name", self.name.clone()),
            ("crate", self.crate_name()),
            ("domain", self.domain.clone().unwrap_or_default()),
            ("runtime", runtime.to_owned()),
        ]
        .into_iter()
        .chain(restricted::values(self))
        .collect();
        FILES
            .into_iter()
            .filter(|(path, _)| !restricted::leaves_out(self, path))
            .map(|(path, template)| (path.into(), fill(template, &values)))
            .collect()
    }

    /// The name of its library crate.
    #[must_use]
    pub fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The namespace of its samples and of the objects in its tests.
    #[must_use]
    pub fn home(&self) -> &str {
        self.namespaces.first().map_or("default", String::as_str)
    }

    /// The domain of annotations that it reads on objects of kinds that are not its own.
    #[must_use]
    pub fn annotations(&self) -> String {
        match &self.domain {
            Some(domain) => format!("{}.{domain}", self.name),
            None => self.name.clone(),
        }
    }

    /// The full name of a group: a single label gets the domain appended.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<String> {
        if name.contains('.') {
            return Some(name.to_owned());
        }
        let domain = self.domain.as_ref()?;
        Some(format!("{name}.{domain}"))
    }
}

/// The dependency on the runtime crate, from a version (`"0.1"`) or a table (`{ path = "…" }`) in
/// TOML.
///
/// # Errors
///
/// A message that says what is valid.
pub fn runtime_dependency(text: &str) -> Result<String, String> {
    let help = "write a TOML value, such as '\"0.1\"' or '{ path = \"../runtime\" }'";
    let parsed: Table = format!("value = {text}")
        .parse()
        .map_err(|_| help.to_owned())?;
    let is_alone = parsed.len() == 1 && !text.contains('\n');
    match parsed.get("value").filter(|_| is_alone) {
        Some(Value::String(version)) => {
            let version = Value::String(version.clone());
            Ok(format!("{{ version = {version}, {FEATURES} }}"))
        }
        Some(Value::Table(table)) if table.contains_key("features") => {
            Err("leave the features out: the operator's own are added".to_owned())
        }
        Some(Value::Table(table)) if !table.is_empty() => {
            let inner = text.trim().strip_suffix('}').ok_or(help)?.trim_end();
            let inner = inner.strip_suffix(',').unwrap_or(inner);
            let with_features = format!("{inner}, {FEATURES} }}");
            // A comment after the table would hide the features.
            let parsed: Option<Table> = format!("value = {with_features}").parse().ok();
            let is_whole = parsed.is_some_and(|it| it["value"].get("features").is_some());
            is_whole
                .then_some(with_features)
                .ok_or_else(|| help.to_owned())
        }
        _ => Err(help.to_owned()),
    }
}

/// The path in a dependency from [`runtime_dependency`], if it leads out of the operator's folder:
/// a copy of that folder alone does not build.
#[must_use]
pub fn outside_folder(dependency: &str) -> Option<String> {
    let parsed: Table = format!("value = {dependency}").parse().ok()?;
    let path = parsed.get("value")?.get("path")?.as_str()?;
    let mut depth = 0_i32;
    let is_outside = Path::new(path).components().any(|component| {
        depth += match component {
            Component::Normal(_) => 1,
            Component::CurDir => 0,
            Component::ParentDir => -1,
            Component::RootDir | Component::Prefix(_) => return true,
        };
        depth < 0
    });
    is_outside.then(|| path.to_owned())
}

/// Whether a dependency comes from crates.io.
#[must_use]
pub fn is_from_registry(dependency: &str) -> bool {
    let parsed: Result<Table, _> = format!("value = {dependency}").parse();
    let value = parsed.ok().and_then(|mut table| table.remove("value"));
    value.is_some_and(|value| {
        ["path", "git", "registry", "workspace"]
            .iter()
            .all(|key| value.get(key).is_none())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_on_a_registry_is_told_from_others() {
        for there in ["\"0.1\"", "{ version = \"0.1\" }"] {
            assert!(is_from_registry(there), "{there}");
        }
        for elsewhere in [
            "{ path = \"../runtime\" }",
            "{ git = \"https://example.com/x\" }",
            "{ version = \"0.1\", registry = \"ours\" }",
            "{ workspace = true }",
        ] {
            assert!(!is_from_registry(elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn a_runtime_outside_of_the_folder_is_told_from_one_in_it() {
        let check = |dependency: &str, expected: Option<&str>| {
            assert_eq!(outside_folder(dependency).as_deref(), expected);
        };
        check("{ path = \"../runtime\" }", Some("../runtime"));
        check("{ path = \"a/../../b\" }", Some("a/../../b"));
        check("{ path = \"/runtime\" }", Some("/runtime"));
        check("{ path = \"vendor/../runtime\" }", None);
        check("{ version = \"0.1\" }", None);
    }

    #[test]
    fn the_runtime_gets_the_features_of_operators() {
        let check = |text: &str, expected: &str| {
            let found = runtime_dependency(text).unwrap();
            assert_eq!(found, expected);
            assert!(format!("a = {found}").parse::<Table>().is_ok());
        };
        rows![check:
            ("\"0.1\"", "{ version = \"0.1\", features = [\"app\", \"latest\"] }"),
            ("{ path = \"../runtime\" }", "{ path = \"../runtime\", features = [\"app\", \"latest\"] }"),
            ("{ version = \"1\", x = { y = 1 }}",
                "{ version = \"1\", x = { y = 1 }, features = [\"app\", \"latest\"] }"),
        ];
        assert!(runtime_dependency("\"0.1\\u0001ä\"").is_ok_and(|found| {
            let parsed: Result<Table, _> = format!("a = {found}").parse();
            parsed.is_ok()
        }));
        for text in [
            "0.1",
            "{}",
            "\"0.1\"\nserde = \"1\"",
            "{ path = \"a\", features = [] }",
            "{ path = \"a\" } # a comment",
            "{ path = \"a\" } # }",
            "[",
        ] {
            assert!(runtime_dependency(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_operator_is_read_from_its_own_manifest() {
        let operator = Operator {
            name: "my-operator".to_owned(),
            domain: Some("example.com".to_owned()),
            converts: true,
            namespaces: Vec::new(),
        };
        let files = operator.files("\"0.1\"");
        let manifest = &files[Path::new("Cargo.toml")];
        assert_eq!(
            Operator::read(manifest, true, Vec::new()),
            Some(operator.clone())
        );
        assert_eq!(
            operator.group("batch").as_deref(),
            Some("batch.example.com")
        );
        assert_eq!(operator.group("a.b").as_deref(), Some("a.b"));
        assert_eq!(Operator::read("[workspace]", true, Vec::new()), None);
        let is_filled = |text: &String| !text.replace("{{ $labels.", "").contains("{{");
        assert!(files.values().all(is_filled));
    }
}
