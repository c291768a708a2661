//! The controllers' deployment files are what `kube-codegen init` writes.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
};

use kube_codegen_templates::operator as templates;
use serde_json::Value;

use super::repository;

/// The files of `deploy/` with their templates.
const COPIES: [(&str, &str); 11] = [
    ("alerts/kustomization.yaml", templates::ALERTS),
    ("alerts/rules.yaml", templates::ALERT_RULES),
    ("dashboard/dashboard.yaml", templates::DASHBOARD),
    ("dashboard/kustomization.yaml", templates::DASHBOARDS),
    ("disruption-budget.yaml", templates::DISRUPTION_BUDGET),
    ("metrics.yaml", templates::METRICS),
    ("monitor/kustomization.yaml", templates::MONITOR),
    ("monitor/service-monitor.yaml", templates::SERVICE_MONITOR),
    ("network-policies/kustomization.yaml", templates::RESTRICTED),
    (
        "network-policies/network-policies.yaml",
        templates::NETWORK_POLICIES,
    ),
    ("service-account.yaml", templates::SERVICE_ACCOUNT),
];

/// The documents of a template that controllers have: they serve no webhooks.
fn documents_of(template: &str) -> String {
    let documents = template.split("---\n");
    let documents = documents.filter(|it| !it.contains("name: {{name}}-webhooks\n"));
    documents.collect::<Vec<_>>().join("---\n")
}

/// The folders `deploy/` of the controllers.
fn deploys() -> Vec<PathBuf> {
    let controllers = fs::read_dir(repository().join("controllers")).unwrap();
    let folders = controllers.map(|entry| entry.unwrap().path().join("deploy"));
    let mut folders: Vec<PathBuf> = folders.filter(|folder| folder.is_dir()).collect();
    folders.sort();
    folders
}

fn text(folder: &Path, file: &str) -> String {
    let path = folder.join(file);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The value of a key in `service-account.yaml`.
fn value(account: &str, key: &str) -> String {
    let mut lines = account.lines().map(str::trim);
    let found = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    found.unwrap().to_owned()
}

/// The lines that are no comments, which speak of controllers instead of operators.
fn objects(text: &str) -> Vec<&str> {
    let lines = text.lines();
    lines
        .filter(|line| !line.trim_start().starts_with('#'))
        .collect()
}

#[test]
fn deployment_files_of_the_controllers_are_those_of_an_operator() {
    let folders = deploys();
    assert_eq!(folders.len(), 5);
    for folder in folders {
        let account = text(&folder, "service-account.yaml");
        let (name, namespace) = (value(&account, "name"), value(&account, "namespace"));
        for (file, template) in COPIES {
            let expected = documents_of(template)
                .replace("{{name}}-system", &namespace)
                .replace("{{name}}", &name);
            let path = folder.join(file);
            let own = fs::read_to_string(&path).unwrap_or_default();
            if objects(&own) == objects(&expected) {
                continue;
            }
            assert!(
                env::var_os("UPDATE_GOLDEN").is_some(),
                "{} differs: UPDATE_GOLDEN=1 cargo test --test generator deployment_files",
                path.display()
            );
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, expected).unwrap();
        }
    }
}

#[test]
fn each_kind_of_a_controller_has_roles_for_its_users() {
    for folder in deploys() {
        if !folder.join("crd.yaml").exists() {
            continue;
        }
        let kustomization = text(&folder, "kustomization.yaml");
        let crd = text(&folder, "crd.yaml");
        let mut kinds = crd
            .lines()
            .filter_map(|line| line.strip_prefix("    kind: "));
        assert!(kinds.clone().next().is_some());
        assert!(kinds.all(|kind| {
            let kind = kind.to_lowercase();
            ["admin", "editor", "viewer"].iter().all(|level| {
                let file = format!("user-roles/{kind}_{level}_role.yaml");
                folder.join(&file).exists() && kustomization.contains(&file)
            })
        }));
    }
}

/// The pods of YAML documents, also those in templates of pods.
fn pods(value: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    if value.get("containers").is_some_and(Value::is_array) {
        found.push(value);
    }
    let below: Vec<&Value> = match value {
        Value::Array(list) => list.iter().collect(),
        Value::Object(map) => map.values().collect(),
        _ => Vec::new(),
    };
    found.extend(below.into_iter().flat_map(pods));
    found
}

#[test]
fn pods_have_a_token_only_for_an_account_of_their_own() {
    let mut files = vec![repository().join("testdata/operator/config/deployment.yaml")];
    for folder in deploys() {
        files.push(folder.join("deployment.yaml"));
        let samples = fs::read_dir(folder.join("samples")).unwrap();
        files.extend(samples.map(|entry| entry.unwrap().path()));
    }
    let mut seen = 0;
    for file in files {
        let documents = serde_saphyr::from_multiple::<Value>(&fs::read_to_string(&file).unwrap());
        for pod in documents.unwrap().iter().flat_map(pods) {
            seen += 1;
            let has_account = pod["serviceAccountName"].is_string();
            let has_no_token = pod["automountServiceAccountToken"] == false;
            assert!(has_account || has_no_token, "{}", file.display());
            let profile = pod.pointer("/securityContext/seccompProfile/type");
            assert!(
                !has_account || profile.is_some_and(|it| it == "RuntimeDefault"),
                "{}",
                file.display()
            );
        }
    }
    assert!(seen > 6, "{seen} pods");
}

#[test]
fn images_have_one_base_by_digest() {
    let mut folders = deploys();
    folders.extend([
        repository().join("apiserver"),
        repository().join("templates/operator"),
    ]);
    let mut bases = BTreeSet::new();
    for folder in folders {
        let file = text(&folder, "Dockerfile");
        let images = file.lines().filter_map(|line| line.strip_prefix("FROM "));
        bases.extend(images.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())));
    }
    assert_eq!(bases.len(), 2, "one to build, one to run: {bases:?}");
    for base in &bases {
        let digest = base.split_once("@sha256:").map_or("", |(_, digest)| digest);
        assert_eq!(digest.len(), 64, "{base} is not pinned by digest");
    }
}
