//! Checks of a scenario.
//!
//! | check | holds when |
//! |---|---|
//! | `settled NAME` | `kubectl rollout status` would succeed: all pods are new and available, no old ones are left |
//! | `sets NAME REVISION=SIZE…` | the deployment's replica sets are exactly these |
//! | `pods APP N [IMAGE]`, `ready APP N`, `terminating APP N` | N pods are active, ready, or being deleted |
//! | `condition NAME TYPE=STATUS[/REASON]`, `no-condition NAME TYPE` | of a Deployment; `set-condition`, `no-set-condition` of a ReplicaSet |
//! | `field KIND NAME POINTER VALUE` | the value at a JSON pointer; `absent` if there is no value |
//! | `set-field NAME REVISION POINTER VALUE` | the same for a deployment's replica set |
//! | `exists KIND NAME`, `gone KIND NAME` | |
//! | `controller KIND NAME OWNER` | the controller of an object; `none` if it has no controller |
//! | `event NAME REASON` | an event about an object of that name exists |
//! | `failed APP N` | N pods are in phase Failed |
//! | `owned APP N`, `marked APP N` | N active pods have a controller, or the annotation `mark` |
//! | `extremes most<=N ready>=N active<=N` | bounds of the values seen since `record` |

use serde_json::Value;

use super::namespace::{Namespace, controller, is_active, is_ready, plain, revision};
use super::steps::number;

impl Namespace {
    pub(super) async fn check(&self, check: &str) -> Result<(), String> {
        let words: Vec<&str> = check.split_whitespace().collect();
        let word = |index: usize| words.get(index).copied().unwrap_or_default();
        match word(0) {
            "settled" => self.settled(word(1)).await,
            "sets" => {
                let sets = self.sets(word(1)).await?;
                let found: Vec<_> = sets
                    .iter()
                    .map(|set| format!("{}={}", revision(set), set["spec"]["replicas"]))
                    .collect();
                same(&found.join(" "), &words[2..].join(" "))
            }
            "pods" => {
                let pods = self.pods(word(1), false).await?;
                let wanted = |pod: &&Value| {
                    word(3).is_empty() || pod["spec"]["containers"][0]["image"] == word(3)
                };
                same(&pods.iter().filter(wanted).count().to_string(), word(2))
            }
            "ready" => same(
                &self
                    .pods(word(1), false)
                    .await?
                    .iter()
                    .filter(|pod| is_ready(pod))
                    .count()
                    .to_string(),
                word(2),
            ),
            "terminating" => {
                let pods = self.pods(word(1), true).await?;
                let deleting = |pod: &&Value| pod["metadata"].get("deletionTimestamp").is_some();
                same(&pods.iter().filter(deleting).count().to_string(), word(2))
            }
            "failed" => {
                let pods = self.pods(word(1), true).await?;
                same(
                    &pods
                        .iter()
                        .filter(|pod| pod["status"]["phase"] == "Failed")
                        .count()
                        .to_string(),
                    word(2),
                )
            }
            "marked" => {
                let pods = self.pods(word(1), false).await?;
                let marked = |pod: &&Value| pod["metadata"]["annotations"].get("mark").is_some();
                same(&pods.iter().filter(marked).count().to_string(), word(2))
            }
            "condition" => has(&self.get("deployment", word(1)).await?, word(2)),
            "no-condition" => lacks(&self.get("deployment", word(1)).await?, word(2)),
            "set-condition" => has(&self.get("replicaset", word(1)).await?, word(2)),
            "no-set-condition" => lacks(&self.get("replicaset", word(1)).await?, word(2)),
            "field" => field(
                &self.get(word(1), word(2)).await?,
                word(3),
                &words[4..].join(" "),
            ),
            "set-field" => {
                let name = self.set_name(word(1), word(2)).await?;
                field(
                    &self.get("replicaset", &name).await?,
                    word(3),
                    &words[4..].join(" "),
                )
            }
            "exists" => same(&self.exists(word(1), word(2)).await?.to_string(), "true"),
            "gone" => same(&self.exists(word(1), word(2)).await?.to_string(), "false"),
            "controller" => {
                let object = self.get(word(1), word(2)).await?;
                same(controller(&object).unwrap_or("none"), word(3))
            }
            "owned" => {
                let pods = self.pods(word(1), false).await?;
                let owned = pods
                    .iter()
                    .filter(|pod| controller(pod).is_some() && is_active(pod))
                    .count();
                same(&owned.to_string(), word(2))
            }
            "event" => {
                let events = self.list("event").await?;
                let about = |event: &&Value| {
                    event["regarding"]["name"] == word(1) && event["reason"] == word(2)
                };
                same(
                    &events.iter().any(|event| about(&event)).to_string(),
                    "true",
                )
            }
            "extremes" => self.extremes(&words[1..]),
            other => Err(format!("unknown check {other}")),
        }
    }

    async fn settled(&self, name: &str) -> Result<(), String> {
        let deployment = self.get("deployment", name).await?;
        let (wanted, status) = (&deployment["spec"]["replicas"], &deployment["status"]);
        let observed =
            status["observedGeneration"].as_i64() >= deployment["metadata"]["generation"].as_i64();
        let counts = [
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
        ];
        let all = counts
            .iter()
            .all(|count| status[count].as_i64().unwrap_or(0) == wanted.as_i64().unwrap_or(1));
        if observed && all {
            Ok(())
        } else {
            Err(format!("status is {status}"))
        }
    }

    fn extremes(&self, words: &[&str]) -> Result<(), String> {
        let found = self
            .record
            .as_ref()
            .ok_or("nothing was recorded")?
            .extremes();
        let holds = |word: &str| {
            if let Some((_, most)) = word.split_once("most<=") {
                return found.most <= number(most);
            }
            if let Some((_, fewest)) = word.split_once("ready>=") {
                return found.fewest_ready.unwrap_or(0) >= number(fewest);
            }
            word.split_once("active<=")
                .is_some_and(|(_, most)| found.most_active <= number(most))
        };
        if words.iter().all(|word| holds(word)) {
            Ok(())
        } else {
            Err(format!("{found:?}"))
        }
    }
}

fn same(found: &str, wanted: &str) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("found {found}"))
    }
}

fn field(object: &Value, pointer: &str, wanted: &str) -> Result<(), String> {
    match object.pointer(pointer) {
        None | Some(Value::Null) => same("absent", wanted),
        Some(value) => same(&plain(value), wanted),
    }
}

fn conditions(object: &Value) -> Vec<Value> {
    object["status"]["conditions"]
        .as_array()
        .cloned()
        .unwrap_or_default()
}

fn has(object: &Value, wanted: &str) -> Result<(), String> {
    let (kind, rest) = wanted.split_once('=').unwrap_or((wanted, ""));
    let (status, reason) = rest.split_once('/').unwrap_or((rest, ""));
    let all = conditions(object);
    let holds = |condition: &&Value| {
        condition["type"] == kind
            && condition["status"] == status
            && (reason.is_empty() || condition["reason"] == reason)
    };
    match all.iter().find(holds) {
        Some(_) => Ok(()),
        None => Err(format!("conditions are {}", Value::Array(all))),
    }
}

fn lacks(object: &Value, kind: &str) -> Result<(), String> {
    let all = conditions(object);
    if all.iter().any(|condition| condition["type"] == kind) {
        Err(format!("conditions are {}", Value::Array(all)))
    } else {
        Ok(())
    }
}
