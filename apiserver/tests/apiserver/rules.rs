//! The rules in testdata/rules, with the verdicts of kube-apiserver (`hack/rules.sh`).

use embedded_apiserver::ApiServer;
use http::Method;
use serde_json::{Value, json};

use crate::support::ask;

fn testdata(file: &str) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../testdata/rules/");
    std::fs::read_to_string(format!("{path}{file}")).unwrap()
}

/// Returns the schema at a path such as `.spec.list[]`.
fn within<'s>(mut schema: &'s mut Value, place: &str) -> &'s mut Value {
    for segment in place.split('.').filter(|segment| !segment.is_empty()) {
        let (name, items) = segment.split_once('[').unwrap_or((segment, ""));
        schema = &mut schema["properties"][name];
        for _ in items.matches(']') {
            let below = if schema["type"] == "array" {
                "items"
            } else {
                "additionalProperties"
            };
            schema = &mut schema[below];
        }
    }
    schema
}

#[tokio::test]
async fn rules_are_taken_and_refused_as_by_the_real_server() {
    let server = ApiServer::builder().build().unwrap();
    let schema: Value = serde_json::from_str(&testdata("schema.json")).unwrap();
    let mut wrong = Vec::new();
    for row in testdata("rules.tsv").lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [place, expected, words, rule, rest @ ..] = columns.as_slice() else {
            panic!("{row}");
        };
        let mut schema = schema.clone();
        let mut own = json!({"rule": rule});
        if let [message] = rest {
            own["messageExpression"] = (*message).into();
        }
        within(&mut schema, place)["x-kubernetes-validations"] = json!([own]);
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "ruleds.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"kind": "Ruled", "plural": "ruleds"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        });
        let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";
        let (status, answer) = ask(&server, Method::POST, path, &crd).await;
        let got = match status {
            201 => "accepted",
            422 => "refused",
            other => panic!("{other}: {answer}"),
        };
        let said = answer["message"].as_str().unwrap_or_default();
        if got != *expected || !said.contains(words) {
            wrong.push(format!("{row}\n    {got}: {said}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
