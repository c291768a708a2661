//! The steps of a scenario.
//!
//! | step | effect |
//! |---|---|
//! | `deploy NAME KEY=VALUE…` | creates a Deployment; the keys are those of [`settings`] |
//! | `replicaset NAME KEY=VALUE…`, `pod NAME KEY=VALUE…` | the same for a ReplicaSet and a bare pod |
//! | `set NAME KEY=VALUE…`, `set-replicaset NAME …` | changes it |
//! | `patch KIND NAME JSON` | merge-patches an object |
//! | `patch-pod APP N JSON`, `patch-set NAME REVISION JSON` | the same for the N-th oldest pod, and for a replica set of a deployment |
//! | `patch-sets JSON` | the same for every replica set |
//! | `order APP N ORDER=VALUE` | sets an annotation of the simulated kubelet on a pod |
//! | `stop APP` | lets the simulated kubelet end the pods that are being deleted |
//! | `scale NAME N` | through the scale subresource |
//! | `undo NAME REVISION`, `restart NAME`, `pause NAME`, `resume NAME` | like `kubectl rollout` |
//! | `delete KIND NAME [Orphan\|Foreground\|Background]`, `delete-pod APP N`, `delete-set NAME REVISION` | deletes |
//! | `quota N\|none` | limits the number of pods |
//! | `noise NAME` | lets another client change the Deployment and its replica sets continuously |
//! | `restart-loops`, `cut-watches`, `sleep MS`, `record` | injects faults, waits, and starts the recording that `extremes` checks |
//! | `wait CHECK`, `now CHECK`, `still CHECK` | the check becomes true within 40 s; holds now; holds for 700 ms |

use std::time::Duration;

use serde_json::{Map, Value, json};

use super::namespace::{Namespace, plain, revision};
use super::record::Record;

/// Long enough for any step on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);
const STILL: Duration = Duration::from_millis(700);
const ORDERS: &str = "simulated.kubelet/";

impl Namespace {
    pub(super) async fn step(&mut self, step: &str) -> Result<(), String> {
        let (verb, rest) = step.split_once(' ').unwrap_or((step, ""));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let word = |index: usize| {
            words
                .get(index)
                .copied()
                .ok_or_else(|| format!("needs word {index}"))
        };
        match verb {
            "wait" => self.wait(rest).await,
            "still" => self.still(rest).await,
            "now" => self.check(rest).await,
            "sleep" => {
                let pause = word(0)?.parse().map_err(|_| "no number")?;
                tokio::time::sleep(Duration::from_millis(pause)).await;
                Ok(())
            }
            "record" => {
                self.record = Some(Record::start(&self.cluster.client, &self.name).await);
                Ok(())
            }
            "deploy" => {
                self.create_workload("deployment", word(0)?, &words[1..])
                    .await
            }
            "replicaset" => {
                self.create_workload("replicaset", word(0)?, &words[1..])
                    .await
            }
            "pod" => self.create_workload("pod", word(0)?, &words[1..]).await,
            "set" => self.change("deployment", word(0)?, &words[1..]).await,
            "set-replicaset" => self.change("replicaset", word(0)?, &words[1..]).await,
            "patch" => {
                self.patch(word(0)?, word(1)?, rest.splitn(3, ' ').nth(2))
                    .await
            }
            "patch-pod" => {
                let pod = self.pod_name(word(0)?, word(1)?).await?;
                self.patch("pod", &pod, rest.splitn(3, ' ').nth(2)).await
            }
            "patch-set" => {
                let set = self.set_name(word(0)?, word(1)?).await?;
                self.patch("replicaset", &set, rest.splitn(3, ' ').nth(2))
                    .await
            }
            "patch-sets" => {
                for set in self.list("replicaset").await? {
                    self.patch("replicaset", &plain(&set["metadata"]["name"]), Some(rest))
                        .await?;
                }
                Ok(())
            }
            "order" => {
                let (pod, (order, value)) =
                    (self.pod_name(word(0)?, word(1)?).await?, pair(word(2)?)?);
                let patch =
                    json!({"metadata": {"annotations": {format!("{ORDERS}{order}"): value}}});
                self.merge("pod", &pod, &patch).await.map(drop)
            }
            "stop" => self.stop(word(0)?).await,
            "scale" => {
                let patch = json!({"spec": {"replicas": number(word(1)?)}});
                let path = format!("{}/scale", self.path("deployment", word(0)?));
                self.cluster
                    .call("PATCH merge", &path, Some(&patch))
                    .await
                    .map(drop)
                    .map_err(super::namespace::text)
            }
            "undo" => self.undo(word(0)?, word(1)?).await,
            "restart" => {
                let at = json!({"kubectl.kubernetes.io/restartedAt": "2026-01-01T00:00:00Z"});
                let patch = json!({"spec": {"template": {"metadata": {"annotations": at}}}});
                self.merge("deployment", word(0)?, &patch).await.map(drop)
            }
            "pause" => self
                .merge("deployment", word(0)?, &json!({"spec": {"paused": true}}))
                .await
                .map(drop),
            "resume" => self
                .merge("deployment", word(0)?, &json!({"spec": {"paused": false}}))
                .await
                .map(drop),
            "delete" => self.delete(word(0)?, word(1)?, words.get(2).copied()).await,
            "delete-pod" => {
                let pod = self.pod_name(word(0)?, word(1)?).await?;
                self.delete("pod", &pod, None).await
            }
            "delete-set" => {
                let set = self.set_name(word(0)?, word(1)?).await?;
                self.delete("replicaset", &set, words.get(2).copied()).await
            }
            "quota" => {
                let count = word(0)?.parse().ok();
                self.cluster.quota(&self.name, count).await;
                Ok(())
            }
            "restart-loops" => {
                self.cluster.restart().await;
                Ok(())
            }
            "cut-watches" => {
                self.cluster.cut_watches();
                Ok(())
            }
            "noise" => self.noise(word(0)?),
            other => Err(format!("unknown step {other}")),
        }
    }

    async fn wait(&self, check: &str) -> Result<(), String> {
        let deadline = tokio::time::Instant::now() + PATIENCE;
        let mut pause = Duration::from_millis(50);
        loop {
            match self.check(check).await {
                Ok(()) => return Ok(()),
                Err(why) if tokio::time::Instant::now() > deadline => {
                    return Err(format!("{why}; in the end: {}", self.fingerprint().await));
                }
                Err(_) => tokio::time::sleep(pause).await,
            }
            pause = (pause * 3 / 2).min(Duration::from_millis(500));
        }
    }

    async fn still(&self, check: &str) -> Result<(), String> {
        let end = tokio::time::Instant::now() + STILL;
        while tokio::time::Instant::now() < end {
            self.check(check).await?;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(())
    }

    async fn create_workload(&self, kind: &str, name: &str, words: &[&str]) -> Result<(), String> {
        let labels = json!({"app": name});
        let template = json!({"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": "a"}]}});
        let selector = json!({"matchLabels": labels});
        let mut object = match kind {
            "pod" => {
                json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": template["spec"]})
            }
            "replicaset" => {
                json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"labels": labels},
                "spec": {"replicas": 1, "selector": selector, "template": template}})
            }
            _ => json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {},
                "spec": {"replicas": 1, "selector": selector, "template": template}}),
        };
        object["metadata"]["name"] = json!(name);
        merge(&mut object, settings(kind, words)?);
        self.create_object(kind, &object).await.map(drop)
    }

    async fn change(&self, kind: &str, name: &str, words: &[&str]) -> Result<(), String> {
        self.merge(kind, name, &settings(kind, words)?)
            .await
            .map(drop)
    }

    async fn patch(&self, kind: &str, name: &str, patch: Option<&str>) -> Result<(), String> {
        let patch: Value =
            serde_json::from_str(patch.unwrap_or_default()).map_err(|error| error.to_string())?;
        self.merge(kind, name, &patch).await.map(drop)
    }

    async fn stop(&self, app: &str) -> Result<(), String> {
        let now = json!({"metadata": {"annotations": {format!("{ORDERS}stop-after"): "0s"}}});
        for pod in self.pods(app, true).await? {
            if pod["metadata"].get("deletionTimestamp").is_some() {
                self.merge("pod", &plain(&pod["metadata"]["name"]), &now)
                    .await?;
            }
        }
        Ok(())
    }

    async fn pod_name(&self, app: &str, index: &str) -> Result<String, String> {
        let pods = self.pods(app, false).await?;
        let index = usize::try_from(number(index)).unwrap_or(0);
        Ok(plain(
            &pods.get(index).ok_or("too few pods")?["metadata"]["name"],
        ))
    }

    pub(super) async fn set_name(&self, deployment: &str, wanted: &str) -> Result<String, String> {
        let sets = self.sets(deployment).await?;
        let set = sets.iter().find(|set| revision(set) == number(wanted));
        Ok(plain(&set.ok_or("no such revision")?["metadata"]["name"]))
    }

    /// Like `kubectl rollout undo`: applies the template of a revision, without its hash.
    async fn undo(&self, name: &str, to: &str) -> Result<(), String> {
        let set = self
            .get("replicaset", &self.set_name(name, to).await?)
            .await?;
        let mut template = set["spec"]["template"].clone();
        if let Some(labels) = template["metadata"]["labels"].as_object_mut() {
            labels.remove("pod-template-hash");
        }
        let patch = json!([{"op": "replace", "path": "/spec/template", "value": template}]);
        let path = self.path("deployment", name);
        self.cluster
            .call("PATCH json", &path, Some(&patch))
            .await
            .map(drop)
            .map_err(super::namespace::text)
    }

    async fn delete(
        &self,
        kind: &str,
        name: &str,
        propagation: Option<&str>,
    ) -> Result<(), String> {
        let propagation = propagation.unwrap_or("Background");
        let options =
            json!({"apiVersion": "v1", "kind": "DeleteOptions", "propagationPolicy": propagation});
        self.cluster
            .call("DELETE", &self.path(kind, name), Some(&options))
            .await
            .map(drop)
            .map_err(super::namespace::text)
    }

    /// Changes annotations while the scenario runs, so that other writers hit conflicts.
    fn noise(&mut self, name: &str) -> Result<(), String> {
        let (cluster, deployment, sets) = (
            self.cluster.clone(),
            self.path("deployment", name),
            self.path("replicaset", ""),
        );
        self.noise.push(tokio::spawn(async move {
            for count in 0_u64.. {
                let patch = json!({"metadata": {"annotations": {"noise": count.to_string()}}});
                let _ = cluster.call("PATCH merge", &deployment, Some(&patch)).await;
                let list = cluster.call("GET", &sets, None).await.unwrap_or_default();
                for set in list["items"].as_array().into_iter().flatten() {
                    let path = format!("{sets}/{}", plain(&set["metadata"]["name"]));
                    let patch = json!({"metadata": {"labels": {"noise": count.to_string()}}});
                    let _ = cluster.call("PATCH merge", &path, Some(&patch)).await;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }));
        Ok(())
    }
}

/// Builds the spec fields that the keys select.
fn settings(kind: &str, words: &[&str]) -> Result<Value, String> {
    let mut object = json!({});
    for word in words {
        let (key, value) = pair(word)?;
        let limit = || {
            value
                .parse::<i64>()
                .map_or_else(|_| json!(value), |number| json!(number))
        };
        let rolling = |field: &str| json!({"spec": {"strategy": {"type": "RollingUpdate", "rollingUpdate": {field: limit()}}}});
        let in_template = |template: Value| {
            if kind == "pod" {
                template
            } else {
                json!({"spec": {"template": template}})
            }
        };
        let patch = match key {
            "replicas" => json!({"spec": {"replicas": number(value)}}),
            "image" => {
                in_template(json!({"spec": {"containers": [{"name": "main", "image": value}]}}))
            }
            "surge" => rolling("maxSurge"),
            "unavailable" => rolling("maxUnavailable"),
            "strategy" => json!({"spec": {"strategy": {"type": value, "rollingUpdate": null}}}),
            "min-ready" => json!({"spec": {"minReadySeconds": number(value)}}),
            "deadline" => json!({"spec": {"progressDeadlineSeconds": number(value)}}),
            "history" => json!({"spec": {"revisionHistoryLimit": number(value)}}),
            "paused" => json!({"spec": {"paused": value == "true"}}),
            "grace" => {
                in_template(json!({"spec": {"terminationGracePeriodSeconds": number(value)}}))
            }
            "note" => json!({"metadata": {"annotations": {"note": value}}}),
            "app" => json!({"metadata": {"labels": {"app": value}}}),
            order => match order.strip_prefix("order:") {
                Some(order) => in_template(
                    json!({"metadata": {"annotations": {format!("{ORDERS}{order}"): value}}}),
                ),
                None => return Err(format!("unknown setting {key}")),
            },
        };
        merge(&mut object, patch);
    }
    Ok(object)
}

fn pair(word: &str) -> Result<(&str, &str), String> {
    word.split_once('=')
        .ok_or_else(|| format!("{word} is not KEY=VALUE"))
}

pub(super) fn number(text: &str) -> i64 {
    text.parse().unwrap_or_default()
}

/// Merges objects; any other value is replaced.
fn merge(target: &mut Value, patch: Value) {
    match patch {
        Value::Object(fields) => {
            if !target.is_object() {
                *target = Value::Object(Map::new());
            }
            for (key, value) in fields {
                merge(&mut target[key], value);
            }
        }
        other => *target = other,
    }
}
