//! Invalid objects of real projects: compares `Validator` with the real kube-apiserver.
//!
//! `CRD_CORPUS` names the directory of the corpus, `KUBECONFIG` the server; without them, the test
//! prints a notice and passes. `hack/validate.sh` sets both, and selects the part of the corpus
//! with `VALIDATE_PART`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use futures::{StreamExt, stream};
use http_body_util::BodyExt;
use kube_schema::{FieldErrors, Validator};
use serde_json::{Value, json};

use crate::corpus_schema::{corpus, read_index, read_yaml, text};

/// The number of CRDs on the server at a time.
const AT_A_TIME: usize = 6;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The verdict of one side.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    Accepted,
    /// Rejected by validation, with the sorted causes.
    Invalid(Vec<String>),
    /// Rejected by decoding on the server; validation reports why the decoded object would be
    /// rejected.
    Undecodable,
    /// Rejected for any other reason.
    Other(String),
}

impl Verdict {
    fn is_refused(&self) -> bool {
        *self != Self::Accepted
    }
}

impl Row {
    fn is_same(&self) -> bool {
        self.real == self.own || self.real == Verdict::Undecodable && self.own.is_refused()
    }
}

/// A sample with both verdicts.
struct Row {
    path: String,
    real: Verdict,
    own: Verdict,
    unevaluated: usize,
}

#[tokio::test]
async fn invalid_samples_are_judged_as_by_the_real_server() {
    let (Some(folder), Some(_)) = (corpus(), std::env::var_os("KUBECONFIG")) else {
        return;
    };
    let client = kube::Client::try_default().await.unwrap();
    let index = read_index(&folder);
    let mut samples: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for sample in index["samples_invalid"].as_array().unwrap() {
        samples.entry(text(sample, "crd")).or_default().push(sample);
    }
    let part = std::env::var("VALIDATE_PART").unwrap_or_default();
    let crds = index["crds"].as_array().unwrap().iter();
    let crds = crds.filter(|crd| part.split(' ').any(|part| text(crd, "path").contains(part)));
    let jobs = crds.filter_map(|crd| {
        let samples = samples.get(text(crd, "name"))?;
        Some(try_crd(&client, &folder, crd, samples))
    });
    let rows: Vec<Vec<Row>> = stream::iter(jobs)
        .buffer_unordered(AT_A_TIME)
        .collect()
        .await;
    let mut rows: Vec<Row> = rows.into_iter().flatten().collect();
    rows.sort_by(|a, b| a.path.cmp(&b.path));
    report(&rows);
}

/// Prints the table and fails on unlisted differences.
fn report(rows: &[Row]) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hack/validate/differences.tsv");
    let listed = std::fs::read_to_string(file).unwrap();
    let listed: BTreeMap<&str, &str> = listed
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let (mut verdicts, mut messages, mut accepted, mut unevaluated) = (0, 0, 0, 0);
    let undecodable = rows
        .iter()
        .filter(|row| row.real == Verdict::Undecodable)
        .count();
    let mut new = BTreeSet::new();
    for row in rows {
        verdicts += usize::from(row.real.is_refused() == row.own.is_refused());
        messages += usize::from(row.is_same());
        accepted += usize::from(!row.real.is_refused());
        unevaluated += usize::from(row.unevaluated > 0);
        if !row.is_same() {
            let reason = listed.get(row.path.as_str()).copied();
            println!("{}: {}", row.path, reason.unwrap_or("NOT LISTED"));
            if reason.is_none() {
                println!("  real: {:?}\n  own:  {:?}", row.real, row.own);
                new.insert(row.path.as_str());
            }
        }
    }
    println!("samples {:>28}", rows.len());
    println!("accepted by the real server {accepted:>8}");
    println!("not decoded by it {undecodable:>18}");
    println!("same verdict {verdicts:>23}");
    println!("same messages, or not decoded {messages:>6}");
    println!("with rules not evaluated {unevaluated:>11}");
    println!(
        "different {:>26} ({} listed)",
        rows.len() - messages,
        rows.len() - messages - new.len()
    );
    assert!(!rows.is_empty() && new.is_empty(), "{new:?}");
}

async fn try_crd(
    client: &kube::Client,
    folder: &Path,
    entry: &Value,
    samples: &[&Value],
) -> Vec<Row> {
    let mut crd = read_yaml(&folder.join(text(entry, "path")));
    // Conversion webhooks are not available.
    crd["spec"]["conversion"] = json!({"strategy": "None"});
    crd["status"] = Value::Null;
    let name = text(entry, "name");
    let (code, answer) = send(client, "POST", CRDS, &crd).await;
    let taken = matches!(code, 201 | 409);
    if taken {
        wait_until_served(client, name).await;
    }
    let mut rows = Vec::new();
    for sample in samples {
        let mut object = read_yaml(&folder.join(text(sample, "path")));
        if let Some(metadata) = object["metadata"].as_object_mut() {
            metadata.remove("namespace");
        }
        let version = text(sample, "version");
        if !is_served(&crd, version) {
            continue;
        }
        let validator = Validator::of_crd(&crd, version).unwrap();
        let (own, unevaluated) = own(validator.validate(object.clone()));
        let real = match taken {
            true => real(client, entry, version, &object).await,
            false => Verdict::Other(format!("the CRD is refused: {}", text(&answer, "message"))),
        };
        let path = text(sample, "path").to_owned();
        rows.push(Row {
            path,
            real,
            own,
            unevaluated,
        });
    }
    send(client, "DELETE", &format!("{CRDS}/{name}"), &json!({})).await;
    rows
}

fn is_served(crd: &Value, version: &str) -> bool {
    let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
    let mut versions = versions.filter(|it| text(it, "name") == version);
    versions.any(|it| it["served"] == true)
}

async fn wait_until_served(client: &kube::Client, name: &str) {
    for _ in 0..600 {
        let (_, crd) = send(client, "GET", &format!("{CRDS}/{name}"), &Value::Null).await;
        let conditions = crd["status"]["conditions"].as_array().into_iter().flatten();
        let mut established = conditions.filter(|it| it["type"] == "Established");
        if established.any(|it| it["status"] == "True") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

fn own(outcome: Result<(), FieldErrors>) -> (Verdict, usize) {
    let Err(found) = outcome else {
        return (Verdict::Accepted, 0);
    };
    let unevaluated = found.unevaluated().count();
    if !found.is_refused() {
        return (Verdict::Accepted, unevaluated);
    }
    let causes = found.errors().iter().map(ToString::to_string).collect();
    (Verdict::Invalid(sorted(causes)), unevaluated)
}

fn sorted(mut causes: Vec<String>) -> Vec<String> {
    causes.sort();
    causes
}

async fn real(client: &kube::Client, entry: &Value, version: &str, object: &Value) -> Verdict {
    let namespace = match text(entry, "scope") {
        "Namespaced" => "namespaces/default/",
        _ => "",
    };
    let (group, plural) = (text(entry, "group"), text(entry, "plural"));
    let path =
        format!("/apis/{group}/{version}/{namespace}{plural}?dryRun=All&fieldValidation=Ignore");
    // An established CRD takes a moment to be served.
    for _ in 0..100 {
        let (code, answer) = send(client, "POST", &path, object).await;
        let message = text(&answer, "message");
        match code {
            200..300 => return Verdict::Accepted,
            404 if message.contains("could not find the requested resource")
                || message.is_empty() =>
            {
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            422 if answer["reason"] == "Invalid" => {
                let causes = answer["details"]["causes"].as_array().into_iter().flatten();
                let causes = causes
                    .map(|cause| format!("{}: {}", text(cause, "field"), text(cause, "message")));
                return Verdict::Invalid(sorted(causes.collect()));
            }
            400 if message.contains(" cannot be handled as a ") => return Verdict::Undecodable,
            _ => return Verdict::Other(format!("{code} {message}")),
        }
    }
    Verdict::Other("not served".to_owned())
}

async fn send(client: &kube::Client, method: &str, path: &str, body: &Value) -> (u16, Value) {
    let body = if body.is_null() {
        Vec::new()
    } else {
        serde_json::to_vec(body).unwrap()
    };
    let request = http::Request::builder()
        .method(method)
        .uri(path)
        .header("content-type", "application/json")
        .body(kube::client::Body::from(body))
        .unwrap();
    let answer = client.send(request).await.unwrap();
    let code = answer.status().as_u16();
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&bytes).unwrap_or_default())
}
