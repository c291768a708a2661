//! Valid names in an operator, checked before anything is written. Messages suggest valid
//! alternatives.

use crate::model::names;

/// The maximum length of an operator's name: `<name>-system` is a namespace, whose names have at
/// most 63 characters.
const LONGEST_NAME: usize = 56;

/// Names that packages cannot have: those of crates that every operator links, of Rust's standard
/// crates, and of Cargo's folders.
#[rustfmt::skip]
const PACKAGES: [&str; 13] = [
    "alloc", "build", "codegen-runtime", "core", "deps", "examples", "incremental", "proc-macro",
    "serde", "std", "test", "tokio", "xtask",
];

/// Modules that the operator's tests import. `use` then finds the module in place of a package of
/// the same name.
const IMPORTED: [&str; 7] = [
    "app",
    "condition",
    "conversion",
    "env",
    "fs",
    "metrics",
    "monitor",
];

/// Names that generated files import, which a type in them cannot have.
#[rustfmt::skip]
const TYPES: [&str; 33] = [
    "Action", "Api", "ApiServer", "ApplyError", "Applier", "Box", "BuildError", "Clone",
    "Condition", "Context", "Controller", "Copy", "Debug", "Default", "Deserialize", "Drop", "Err",
    "Eq", "Fault", "FaultKind", "ManagerBuilder", "None", "ObjectMeta", "Ok", "Option",
    "PostParams", "Request", "Result", "Serialize", "Shared", "Some", "String", "Vec",
];

/// Names from Rust's prelude and similar ones that would be confusing.
#[rustfmt::skip]
const PRELUDE: [&str; 23] = [
    "AsMut", "AsRef", "AsyncFn", "AsyncFnMut", "AsyncFnOnce", "DoubleEndedIterator",
    "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator", "Into",
    "IntoIterator", "Iterator", "Ord", "PartialEq", "PartialOrd", "Send", "Sync", "ToOwned",
    "ToString",
];

/// Why the name is invalid for an operator and its package.
#[must_use]
pub fn operator_fault(name: &str) -> Option<String> {
    if let Some(fault) = kube_names::label_1035_fault(name) {
        return Some(format!(
            "invalid name `{name}`: it is the name of the package, of the ServiceAccount and of the roles: {fault}"
        ));
    }
    if name.len() > LONGEST_NAME {
        return Some(format!(
            "invalid name `{name}`: with more than {LONGEST_NAME} characters `{name}-system` is not the name of a namespace"
        ));
    }
    let is_taken = PACKAGES.contains(&name) || names::is_keyword(name);
    // Tests of conversions import the modules of versions.
    let is_imported = IMPORTED.contains(&name) || kube_names::is_kubernetes_version(name);
    let why = match (is_taken, is_imported) {
        (true, _) => "Rust or a dependency already uses it",
        (_, true) => "the operator's tests import a module of this name",
        _ => return None,
    };
    Some(format!(
        "invalid name `{name}`: {why}; write `{name}-operator`"
    ))
}

/// Why the domain is invalid for the groups of an operator.
#[must_use]
pub fn domain_fault(domain: &str) -> Option<String> {
    let fault = kube_names::subdomain_fault(domain).or_else(|| reserved_fault(domain))?;
    Some(format!("invalid domain `{domain}`: {fault}"))
}

/// Why the name is reserved for Kubernetes' own groups.
fn reserved_fault(name: &str) -> Option<String> {
    let mut reserved = ["k8s.io", "kubernetes.io"].into_iter();
    let domain = reserved.find(|domain| {
        let rest = name.strip_suffix(domain);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })?;
    Some(format!(
        "groups of {domain} are reserved for Kubernetes, and the API server requires an approval of their CRDs"
    ))
}

/// Whether the name is reserved for Kubernetes' own groups.
pub(super) fn is_reserved(name: &str) -> bool {
    reserved_fault(name).is_some()
}

/// Why the name is invalid for a group; it includes the domain, or is a single label.
#[must_use]
pub fn group_fault(group: &str) -> Option<String> {
    let fault = kube_names::subdomain_fault(group).or_else(|| reserved_fault(group))?;
    Some(format!("invalid group `{group}`: {fault}"))
}

/// Why the name is invalid for a version.
#[must_use]
pub fn version_fault(version: &str) -> Option<String> {
    let is_version = kube_names::is_kubernetes_version(version);
    (!is_version).then(|| format!("invalid version `{version}`: write v1, v1beta2 or v1alpha1"))
}

/// Why the name is invalid for a kind.
#[must_use]
pub fn kind_fault(kind: &str) -> Option<String> {
    let is_camel = kind.starts_with(|c: char| c.is_ascii_uppercase())
        && kind.bytes().all(|c| c.is_ascii_alphanumeric());
    if !is_camel {
        let camel = names::upper_camel(kind);
        let is_better = camel != kind && kind_fault(&camel).is_none();
        let help = if is_better {
            format!("; write `{camel}`")
        } else {
            String::new()
        };
        return Some(format!(
            "invalid kind `{kind}`: a kind is a noun in CamelCase, of ASCII letters and digits{help}"
        ));
    }
    if kind.len() > 63 {
        return Some(format!(
            "invalid kind `{kind}`: it has more than 63 characters"
        ));
    }
    if module_of(kind).starts_with("zz_generated_") {
        return Some(format!(
            "invalid kind `{kind}`: files with such names are generated; choose another name"
        ));
    }
    if kind == "Self" || TYPES.contains(&kind) || PRELUDE.contains(&kind) {
        return Some(format!(
            "invalid kind `{kind}`: Rust or the runtime has a type of this name, which is used in the same files; choose another name"
        ));
    }
    let list = kind.strip_suffix("List").filter(|rest| !rest.is_empty());
    list.map(|rest| {
        format!(
            "invalid kind `{kind}`: it is the name of the list of `{rest}`; choose another name"
        )
    })
}

/// Why the name is invalid as a plural.
#[must_use]
pub fn plural_fault(plural: &str) -> Option<String> {
    let fault = kube_names::label_1035_fault(plural)?;
    Some(format!("invalid plural `{plural}`: {fault}"))
}

/// The default plural of a kind.
#[must_use]
pub fn plural_of(kind: &str) -> String {
    kube_names::resource_plural(kind)
}

/// The module of a kind: in snake case, with `_` appended to keywords, so that file and module have
/// the same name.
#[must_use]
pub fn module_of(kind: &str) -> String {
    plain_module(&names::snake_case(kind))
}

/// Module names for a group, in order of preference.
#[must_use]
pub fn modules_of_group(group: &str) -> [String; 2] {
    [
        names::module_name(group),
        names::qualified_module_name(group),
    ]
    .map(|name| plain_module(&name))
}

fn plain_module(name: &str) -> String {
    let plain = names::plain_ident(name);
    if names::is_keyword(&plain) {
        plain + "_"
    } else {
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_nouns_in_camel_case_that_nothing_else_has() {
        for kind in ["Widget", "HTTPRoute", "Type", "Match", "V2Thing", "Listing"] {
            assert_eq!(kind_fault(kind), None, "{kind}");
        }
        for kind in [
            "",
            "widget",
            "my-widget",
            "Größe",
            "Box",
            "Self",
            "Option",
            "WidgetList",
            "ZzGeneratedDeepcopy",
            "Default",
            "Fn",
        ] {
            assert!(kind_fault(kind).is_some(), "{kind}");
        }
        let said = kind_fault("my-widget").unwrap_or_default();
        assert!(said.ends_with("write `MyWidget`"), "{said}");
    }

    #[test]
    fn names_of_operators_are_labels_that_cargo_takes() {
        for name in ["my-operator", "operator2", "apis", "v1-operator"] {
            assert_eq!(operator_fault(name), None, "{name}");
        }
        let long = "a".repeat(57);
        for name in [
            "",
            "My",
            "my_operator",
            "2nd",
            "test",
            "serde",
            "xtask",
            "match",
            "app",
            "v1",
            "v2beta1",
            "-a",
            &long,
        ] {
            assert!(operator_fault(name).is_some(), "{name}");
        }
    }

    /// In a file that imports a module, that module's name does not lead to the package.
    #[test]
    fn no_operator_has_the_name_of_a_module_that_its_tests_import() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../testdata/operator/tests/operator"
        );
        let mut modules = std::collections::BTreeSet::new();
        for file in std::fs::read_dir(folder).unwrap() {
            let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
            let (imports, code): (Vec<&str>, Vec<&str>) =
                text.lines().partition(|line| line.starts_with("use "));
            let code = code.join("\n");
            let words = imports.iter().flat_map(|line| {
                let list = line.rsplit("::").next().unwrap_or_default();
                list.split(|c: char| !c.is_alphanumeric() && c != '_')
            });
            let is_module = |word: &&str| {
                !word.is_empty()
                    && word.starts_with(char::is_lowercase)
                    && code.contains(&format!("{word}::"))
            };
            modules.extend(words.filter(is_module).map(str::to_owned));
        }
        assert!(
            modules.contains("app") && modules.contains("v1alpha1"),
            "{modules:?}"
        );
        for module in modules {
            assert!(operator_fault(&module).is_some(), "{module}");
        }
    }

    #[test]
    fn modules_have_the_names_of_files() {
        assert_eq!(module_of("HTTPRoute"), "http_route");
        assert_eq!(module_of("Type"), "type_");
        assert_eq!(module_of("Crate"), "crate_");
        assert_eq!(modules_of_group("match.example.com")[0], "match_");
    }

    #[test]
    fn groups_are_not_those_of_kubernetes() {
        assert_eq!(group_fault("batch.example.com"), None);
        for group in ["batch.k8s.io", "k8s.io", "Batch", "", "a_b"] {
            assert!(group_fault(group).is_some(), "{group}");
        }
        assert_eq!(group_fault("notk8s.io"), None);
        assert!(domain_fault("k8s.io").is_some() && domain_fault("example.com").is_none());
        assert!(version_fault("1").is_some() && version_fault("v1beta1").is_none());
    }
}
