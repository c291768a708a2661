//! Generated CRDs with samples and mutations (testdata/parity); `hack/manifests.sh` verifies the
//! table with the real kube-apiserver.

use std::path::PathBuf;

use embedded_apiserver::ApiServer;
use http::Method;
use serde_json::Value;

use crate::corpus_schema::read_yaml;
use crate::support::ask;

/// A case in testdata/parity that has a sample.
pub(crate) struct Case {
    pub(crate) folder: PathBuf,
    pub(crate) sample: Value,
    /// All CRDs of the case.
    pub(crate) crds: Vec<Value>,
    /// The CRD of the sample's kind.
    pub(crate) crd: Value,
}

pub(crate) fn cases() -> impl Iterator<Item = Case> {
    let parity = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../testdata/parity");
    let folders = std::fs::read_dir(parity).unwrap();
    folders.filter_map(|folder| {
        let folder = folder.unwrap().path();
        let sample = folder.join("sample.yaml");
        let sample = sample.is_file().then(|| read_yaml(&sample))?;
        let files = std::fs::read_dir(folder.join("crds")).unwrap();
        let crds: Vec<Value> = files.map(|file| read_yaml(&file.unwrap().path())).collect();
        let kind = |crd: &&Value| crd["spec"]["names"]["kind"] == sample["kind"];
        let crd = crds.iter().find(kind).unwrap().clone();
        Some(Case {
            folder,
            sample,
            crds,
            crd,
        })
    })
}

/// Applies a JSON merge patch.
fn merge(target: &mut Value, patch: &Value) {
    let Some(patch) = patch.as_object() else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = serde_json::json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (name, value) in patch {
        if value.is_null() {
            target.remove(name);
        } else {
            merge(target.entry(name).or_insert(Value::Null), value);
        }
    }
}

/// Whether an error was reported by a CEL rule.
fn is_of_a_rule(schema: &Value, text: &str) -> bool {
    match schema {
        Value::Object(words) => words.iter().any(|(word, value)| {
            let mut rules = value.as_array().into_iter().flatten();
            word == "x-kubernetes-validations"
                && rules.any(|rule| {
                    let said = [&rule["message"], &rule["messageExpression"], &rule["rule"]];
                    let text = text.trim_start_matches("failed rule: ");
                    said.iter()
                        .any(|it| it.as_str().is_some_and(|it| it.contains(text)))
                })
                || is_of_a_rule(value, text)
        }),
        Value::Array(values) => values.iter().any(|value| is_of_a_rule(value, text)),
        _ => false,
    }
}

#[tokio::test]
async fn mutations_of_samples_are_taken_and_refused_as_by_the_real_server() {
    let (mut by_schema, mut by_rules) = (0, 0);
    for case in cases() {
        let Case {
            folder,
            sample,
            crds,
            crd,
        } = case;
        let server = ApiServer::builder().crd_values(crds).build().unwrap();
        let path = format!(
            "/apis/{}/namespaces/default/{}",
            sample["apiVersion"].as_str().unwrap(),
            crd["spec"]["names"]["plural"].as_str().unwrap()
        );
        let (code, stored) = ask(&server, Method::POST, &path, &sample).await;
        assert_eq!(code, 201, "{stored}");
        let table = std::fs::read_to_string(folder.join("mutations.tsv")).unwrap();
        for row in table.lines() {
            let columns: Vec<&str> = row.split('\t').collect();
            let [verb, expected, patch, rest @ ..] = columns.as_slice() else {
                panic!("{row}");
            };
            let patch: Value = serde_json::from_str(patch).unwrap();
            let (code, answer) = if *verb == "create" {
                let mut object = sample.clone();
                merge(&mut object, &patch);
                object["metadata"]["name"] = "mutated".into();
                let path = format!("{path}?dryRun=All&fieldValidation=Strict");
                ask(&server, Method::POST, &path, &object).await
            } else {
                let mut object = stored.clone();
                merge(&mut object, &patch);
                let path = format!("{path}/sample?dryRun=All");
                ask(&server, Method::PUT, &path, &object).await
            };
            let text = rest.first().copied().unwrap_or_default();
            let said = answer["message"].as_str().unwrap_or_default();
            if *expected == "accepted" {
                assert!(code < 300, "{}: {row}: {code} {said}", folder.display());
            } else {
                assert!(
                    matches!(code, 400 | 422),
                    "{}: {row}: {code} {said}",
                    folder.display()
                );
                assert!(said.contains(text), "{}: {row}: {said}", folder.display());
                if is_of_a_rule(&crd, text) {
                    by_rules += 1;
                } else {
                    by_schema += 1;
                }
            }
        }
    }
    assert!(by_schema > 15 && by_rules > 5, "{by_schema} {by_rules}");
}
