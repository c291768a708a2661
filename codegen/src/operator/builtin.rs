//! Controllers and webhooks of Kubernetes' own kinds, which have neither types nor samples in the
//! operator.

use kube_builtin_types::{KINDS, Kind};
use kube_codegen_templates::operator::{
    api::SUPPORT,
    builtin::{CONTROLLER, TEST},
};

use super::{Api, CORE, Operator, controller, edits::Edit, names, references, restricted};
use crate::{builtin::rust_path, output::Tree, scaffold::fill, suggest::closest};

/// A kind of Kubernetes that the operator works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The operator.
    pub operator: Operator,
    /// The kind.
    pub kind: Kind,
    /// The name of its controller and test; `None` if it has none.
    pub controller: Option<String>,
    /// Whether what tests share comes and goes with it: the operator has no kinds, and no test of
    /// others uses that.
    pub brings_support: bool,
}

impl Builtin {
    /// The group and the version, as in `apiVersion`.
    #[must_use]
    pub fn api_version(&self) -> String {
        match self.kind.group {
            "" => self.kind.version.to_owned(),
            group => format!("{group}/{}", self.kind.version),
        }
    }

    /// The kind with what webhooks need to know of it.
    #[must_use]
    pub fn api(&self) -> Api {
        let Kind {
            group,
            version,
            kind,
            plural,
            ..
        } = self.kind;
        Api {
            plural: plural.to_owned(),
            ..Api::elsewhere(&self.operator, group, version, kind)
        }
    }

    /// The path of its type in an operator's source.
    #[must_use]
    pub fn import(&self) -> String {
        format!("codegen_runtime::{}", self.type_path().join("::"))
    }

    /// Whether the source of a controller is that of this kind.
    #[must_use]
    pub fn is_in(&self, source: &str) -> bool {
        builtin_import(source, self.kind.kind).is_some_and(|path| path.ends_with(&self.type_path()))
    }

    pub(super) fn names(&self) -> [String; 2] {
        let [group, _] = names::modules_of_group(shown_group(self.kind.group));
        controller::names(&group, &names::module_of(self.kind.kind))
    }

    pub(super) fn files(&self) -> Tree {
        let Some(controller) = &self.controller else {
            return Tree::new();
        };
        let values = self.values(controller);
        let mut files = Tree::new();
        let (path, test_path) = (
            controller::path(controller),
            controller::test_path(controller),
        );
        files.insert(path, fill(CONTROLLER, &values));
        files.insert(test_path, fill(TEST, &values));
        if self.brings_support {
            files.insert(controller::support_path(), fill(SUPPORT, &values));
        }
        files
    }

    pub(super) fn edits(&self) -> Vec<Edit> {
        let support = self.brings_support.then(controller::support_edit);
        let own = self.controller.as_deref().map(controller::edits);
        support
            .into_iter()
            .chain(own.into_iter().flatten())
            .collect()
    }

    /// The path of its type, from `k8s_openapi`.
    fn type_path(&self) -> Vec<String> {
        rust_path(&self.kind.package(), self.kind.kind).unwrap_or_default()
    }

    fn values(&self, controller: &str) -> Vec<(&'static str, String)> {
        let Kind {
            group,
            kind,
            plural,
            ..
        } = self.kind;
        let name = &self.operator.name;
        let rule_group = if group.is_empty() { "\"\"" } else { group };
        let home = self.operator.home();
        // Events about objects without a namespace are in `default`.
        let (namespace, event_namespace) = match self.kind.namespaced {
            true => (
                format!("            namespace: Some(\"{home}\".to_owned()),\n"),
                home,
            ),
            false => (String::new(), "default"),
        };
        vec![
            ("name", name.clone()),
            ("crate", self.operator.crate_name()),
            ("module", controller.to_owned()),
            ("kind", kind.to_owned()),
            ("api_version", self.api_version()),
            ("types", self.import()),
            ("group", rule_group.to_owned()),
            ("plural", plural.to_owned()),
            ("prefix", self.operator.annotations()),
            ("namespace", namespace),
            ("event_namespace", event_namespace.to_owned()),
            restricted::flag(&self.operator),
            ("reconcile", controller::signature(kind, "Error")),
        ]
    }
}

/// The path by which a controller imports Kubernetes' kind with this name; `None` if it imports
/// another type with the name.
#[must_use]
pub fn builtin_import(source: &str, kind: &str) -> Option<Vec<String>> {
    let mut of_kind = imports_of(source, kind).into_iter();
    let first = of_kind.next()?;
    let is_kubernetes = |path: &Vec<String>| path.iter().any(|name| name == "k8s_openapi");
    (is_kubernetes(&first) && of_kind.all(|path| is_kubernetes(&path))).then_some(first)
}

/// The paths by which a file imports types of this name.
#[must_use]
pub fn imports_of(source: &str, kind: &str) -> Vec<Vec<String>> {
    let mut paths = references::imports(source).unwrap_or_default();
    paths.retain(|path| path.last().is_some_and(|name| name == kind));
    paths
}

/// The kind of Kubernetes with this group, version and kind. The core group is `core`, or empty.
#[must_use]
pub fn builtin_kind(group: &str, version: &str, kind: &str) -> Option<Kind> {
    let mut kinds = of_group(group);
    kinds.find(|it| it.version == version && it.kind == kind)
}

/// Whether the group is one of Kubernetes, not of an operator.
#[must_use]
pub fn is_builtin_group(group: &str) -> bool {
    of_group(group).next().is_some() || names::is_reserved(group)
}

/// Why [`builtin_kind`] does not find the kind, and what is valid.
#[must_use]
pub fn builtin_fault(group: &str, version: &str, kind: &str) -> String {
    let group = shown_group(group);
    let mut valid: Vec<String> = of_group(group)
        .map(|it| format!("{} of {}", it.kind, it.version))
        .collect();
    valid.sort();
    if valid.is_empty() {
        let mut groups: Vec<&str> = KINDS.iter().map(|it| shown_group(it.group)).collect();
        groups.sort_unstable();
        groups.dedup();
        let close = || {
            let close = closest(group, groups.iter().copied())?;
            Some(format!("did you mean `{close}`?"))
        };
        let help = builtin_hint(kind).or_else(close);
        return format!(
            "invalid group `{group}`: the operator has no such group, and the supported groups of Kubernetes are {}{}",
            groups.join(", "),
            after(help)
        );
    }
    let close = closest(kind, of_group(group).map(|it| it.kind)).filter(|close| *close != kind);
    format!(
        "invalid kind `{kind}` of {group}/{version}: the operator has no such kind, and the supported kinds of Kubernetes' group `{group}` are {}{}",
        valid.join(", "),
        after(close.map(|close| format!("did you mean `{close}`?")))
    )
}

fn after(help: Option<String>) -> String {
    help.map(|help| format!("; {help}")).unwrap_or_default()
}

/// A suggestion for a kind that only Kubernetes has.
#[must_use]
pub fn builtin_hint(kind: &str) -> Option<String> {
    let found = KINDS.iter().find(|it| it.kind == kind)?;
    Some(format!(
        "for Kubernetes' {kind}, write --group {} --version {}",
        shown_group(found.group),
        found.version
    ))
}

fn of_group(group: &str) -> impl Iterator<Item = Kind> {
    let kinds = KINDS.iter().copied();
    kinds.filter(move |it| it.group == group || shown_group(it.group) == group)
}

const fn shown_group(group: &str) -> &str {
    if group.is_empty() { CORE } else { group }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn builtin(group: &str, version: &str, kind: &str) -> Builtin {
        Builtin {
            operator: Operator {
                name: "my-operator".to_owned(),
                domain: None,
                converts: true,
                namespaces: Vec::new(),
            },
            kind: builtin_kind(group, version, kind).unwrap(),
            controller: None,
            brings_support: false,
        }
    }

    #[test]
    fn controllers_are_named_after_kind_and_group() {
        let check = |group: &str, kind: &str, expected: [&str; 2]| {
            assert_eq!(builtin(group, "v1", kind).names(), expected);
        };
        check("apps", "Deployment", ["deployment", "apps_deployment"]);
        check("", "Pod", ["pod", "core_pod"]);
        check("core", "Pod", ["pod", "core_pod"]);
        check("rbac.authorization.k8s.io", "Role", ["role", "rbac_role"]);
        check(
            "apiregistration.k8s.io",
            "APIService",
            ["api_service", "apiregistration_api_service"],
        );
    }

    #[test]
    fn the_kind_of_a_controller_is_the_one_that_it_imports() {
        let deployment = builtin("apps", "v1", "Deployment");
        let check = |source: &str, expected: bool| {
            assert_eq!(deployment.is_in(source), expected, "{source}");
        };
        rows![check:
            ("use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;", true),
            ("use k8s_openapi::api::{apps::v1::{Deployment, ReplicaSet}, core::v1::Pod};", true),
            ("use k8s_openapi::api::apps::v1::DeploymentSpec;", false),
            ("use crate::apis::apps::v1::Deployment;", false),
            ("use k8s_openapi::api::apps::v1::Deployment as Theirs; use crate::apis::a::v1::Deployment;", false),
            ("use (", false),
        ];
    }

    #[test]
    fn invalid_kinds_get_a_suggestion() {
        let check = |group: &str, kind: &str, expected: &str| {
            let fault = builtin_fault(group, "v3", kind);
            assert!(fault.ends_with(expected), "{fault}");
        };
        rows![check:
            ("policy", "PodDisruptionBudgets", "are PodDisruptionBudget of v1; did you mean `PodDisruptionBudget`?"),
            ("", "Deployment", "Service of v1, ServiceAccount of v1"),
            ("events.k8s.io", "Event", "are Event of v1"),
            ("network.k8s.io", "Ingres", "did you mean `networking.k8s.io`?"),
            ("extensions.k8s.io", "Ingress", "for Kubernetes' Ingress, write --group networking.k8s.io --version v1"),
        ];
    }

    #[cfg(feature = "go")]
    #[test]
    fn every_kind_is_in_k8s_openapi() {
        for kind in KINDS {
            // Since Kubernetes 1.34; operators are built for the latest version.
            let is_new = kind.kind == "VolumeAttributesClass";
            let path = rust_path(&kind.package(), kind.kind).unwrap();
            let is_known = crate::builtin::is_in_k8s_openapi(&path);
            assert!(is_known != is_new, "{path:?}");
        }
    }
}
