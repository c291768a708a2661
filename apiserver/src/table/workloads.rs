//! The columns of pods and of the kinds that run them.

use serde_json::{Value, json};

use super::age as ages;
use super::builtin::{BuiltinColumn, Printer, col, num, wide, workload_tail};
use super::cells::{age, items, joined, name, number, selector, text, text_or};
use crate::object::{at, is_deleting, text as raw};

const TEMPLATE: &[&str] = &["spec", "template", "spec"];

const POD: Printer = Printer {
    columns: &[
        col("Name"),
        col("Ready"),
        col("Status"),
        col("Restarts"),
        col("Age"),
        wide("IP"),
        wide("Node"),
        wide("Nominated Node"),
        wide("Readiness Gates"),
    ],
    cells: pod,
};
const DEPLOYMENT: Printer = Printer {
    columns: &[
        col("Name"),
        col("Ready"),
        col("Up-to-date"),
        col("Available"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        vec![
            name(o),
            json!(format!(
                "{}/{}",
                number(o, &["status", "readyReplicas"]),
                number(o, &["spec", "replicas"])
            )),
            json!(number(o, &["status", "updatedReplicas"])),
            json!(number(o, &["status", "availableReplicas"])),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
};
const REPLICA_SET: Printer = Printer {
    columns: &[
        col("Name"),
        num("Desired"),
        num("Current"),
        num("Ready"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        vec![
            name(o),
            json!(number(o, &["spec", "replicas"])),
            json!(number(o, &["status", "replicas"])),
            json!(number(o, &["status", "readyReplicas"])),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
};
const STATEFUL_SET: Printer = Printer {
    columns: &[
        col("Name"),
        col("Ready"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
    ],
    cells: |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        let ready = format!(
            "{}/{}",
            number(o, &["status", "readyReplicas"]),
            number(o, &["spec", "replicas"])
        );
        vec![name(o), json!(ready), age(o), names, images]
    },
};
const DAEMON_SET: Printer = Printer {
    columns: &[
        col("Name"),
        num("Desired"),
        num("Current"),
        num("Ready"),
        num("Up-to-date"),
        num("Available"),
        col("Node Selector"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |o| {
        let [names, images] = workload_tail(o, TEMPLATE);
        let status = |field: &str| json!(number(o, &["status", field]));
        vec![
            name(o),
            status("desiredNumberScheduled"),
            status("currentNumberScheduled"),
            status("numberReady"),
            status("updatedNumberScheduled"),
            status("numberAvailable"),
            selector(&o["spec"]["template"]["spec"]["nodeSelector"]),
            age(o),
            names,
            images,
            selector(&o["spec"]["selector"]),
        ]
    },
};
const JOB_COLUMNS: &[BuiltinColumn] = &[
    col("Name"),
    col("Status"),
    col("Completions"),
    col("Duration"),
    col("Age"),
    wide("Containers"),
    wide("Images"),
    wide("Selector"),
];
const JOB: Printer = Printer {
    columns: JOB_COLUMNS,
    cells: job,
};
const CRON_JOB: Printer = Printer {
    columns: &[
        col("Name"),
        col("Schedule"),
        col("Timezone"),
        BuiltinColumn {
            name: "Suspend",
            kind: "boolean",
            priority: 0,
        },
        num("Active"),
        col("Last Schedule"),
        col("Age"),
        wide("Containers"),
        wide("Images"),
        wide("Selector"),
    ],
    cells: |o| {
        let [names, images] =
            workload_tail(o, &["spec", "jobTemplate", "spec", "template", "spec"]);
        let last = raw(o, &["status", "lastScheduleTime"]);
        vec![
            name(o),
            json!(raw(o, &["spec", "schedule"])),
            text(o, &["spec", "timeZone"]),
            json!(if o["spec"]["suspend"] == json!(true) {
                "True"
            } else {
                "False"
            }),
            json!(items(o, &["status", "active"]).len()),
            json!(if last.is_empty() {
                "<none>".to_owned()
            } else {
                ages::since(last)
            }),
            age(o),
            names,
            images,
            selector(&o["spec"]["jobTemplate"]["spec"]["selector"]),
        ]
    },
};
const BUDGET: Printer = Printer {
    columns: &[
        col("Name"),
        col("Min Available"),
        col("Max Unavailable"),
        num("Allowed Disruptions"),
        col("Age"),
    ],
    cells: |o| {
        let limit = |field: &str| match at(o, &["spec", field]) {
            Some(Value::String(text)) => json!(text),
            Some(Value::Number(n)) => json!(n.to_string()),
            _ => json!("N/A"),
        };
        vec![
            name(o),
            limit("minAvailable"),
            limit("maxUnavailable"),
            json!(number(o, &["status", "disruptionsAllowed"])),
            age(o),
        ]
    },
};
const INGRESS: Printer = Printer {
    columns: &[
        col("Name"),
        col("Class"),
        col("Hosts"),
        col("Address"),
        col("Ports"),
        col("Age"),
    ],
    cells: |o| {
        let hosts: Vec<String> = items(o, &["spec", "rules"])
            .iter()
            .map(|rule| {
                text_or(rule, &["host"], "*")
                    .as_str()
                    .unwrap_or_default()
                    .to_owned()
            })
            .collect();
        let addresses: Vec<&str> = items(o, &["status", "loadBalancer", "ingress"])
            .iter()
            .map(|i| {
                if raw(i, &["ip"]).is_empty() {
                    raw(i, &["hostname"])
                } else {
                    raw(i, &["ip"])
                }
            })
            .collect();
        let ports = if items(o, &["spec", "tls"]).is_empty() {
            "80"
        } else {
            "80, 443"
        };
        vec![
            name(o),
            text(o, &["spec", "ingressClassName"]),
            if hosts.is_empty() {
                json!("*")
            } else {
                joined(hosts)
            },
            json!(addresses.join(",")),
            json!(ports),
            age(o),
        ]
    },
};

/// The printer of a workload kind.
pub(super) fn printer(group: &str, kind: &str) -> Option<&'static Printer> {
    Some(match (group, kind) {
        ("", "Pod") => &POD,
        ("", "ReplicationController") | ("apps", "ReplicaSet") => &REPLICA_SET,
        ("apps", "Deployment") => &DEPLOYMENT,
        ("apps", "StatefulSet") => &STATEFUL_SET,
        ("apps", "DaemonSet") => &DAEMON_SET,
        ("batch", "Job") => &JOB,
        ("batch", "CronJob") => &CRON_JOB,
        ("policy", "PodDisruptionBudget") => &BUDGET,
        ("networking.k8s.io", "Ingress") => &INGRESS,
        _ => return None,
    })
}

fn job(o: &Value) -> Vec<Value> {
    let [names, images] = workload_tail(o, TEMPLATE);
    let has = |kind: &str| {
        items(o, &["status", "conditions"])
            .iter()
            .any(|c| raw(c, &["type"]) == kind && raw(c, &["status"]) == "True")
    };
    let status = match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if is_deleting(o) => "Terminating",
        () if has("Suspended") => "Suspended",
        () if has("FailureTarget") => "FailureTarget",
        () if has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    };
    let succeeded = number(o, &["status", "succeeded"]);
    let completions = match (
        at(o, &["spec", "completions"]),
        number(o, &["spec", "parallelism"]),
    ) {
        (Some(wanted), _) if wanted.is_i64() => format!("{succeeded}/{wanted}"),
        (_, parallelism) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        _ => format!("{succeeded}/1"),
    };
    let duration = ages::between(
        raw(o, &["status", "startTime"]),
        raw(o, &["status", "completionTime"]),
    );
    vec![
        name(o),
        json!(status),
        json!(completions),
        json!(duration),
        age(o),
        names,
        images,
        selector(&o["spec"]["selector"]),
    ]
}

fn pod(o: &Value) -> Vec<Value> {
    let statuses = items(o, &["status", "containerStatuses"]);
    let ready = statuses
        .iter()
        .filter(|c| c["ready"] == json!(true))
        .count();
    let total = items(o, &["spec", "containers"]).len();
    let restarts: i64 = statuses.iter().map(|c| number(c, &["restartCount"])).sum();
    let gates = items(o, &["spec", "readinessGates"]);
    let gates = if gates.is_empty() {
        json!("<none>")
    } else {
        let met = gates
            .iter()
            .filter(|gate| {
                items(o, &["status", "conditions"]).iter().any(|c| {
                    raw(c, &["type"]) == raw(gate, &["conditionType"])
                        && raw(c, &["status"]) == "True"
                })
            })
            .count();
        json!(format!("{met}/{}", gates.len()))
    };
    vec![
        name(o),
        json!(format!("{ready}/{total}")),
        json!(pod_status(o, statuses)),
        json!(restarts.to_string()),
        age(o),
        text(o, &["status", "podIP"]),
        text(o, &["spec", "nodeName"]),
        text(o, &["status", "nominatedNodeName"]),
        gates,
    ]
}

/// The phase, or the reason that says more.
fn pod_status(o: &Value, statuses: &[Value]) -> String {
    let mut status = raw(o, &["status", "phase"]).to_owned();
    let reason = raw(o, &["status", "reason"]);
    if !reason.is_empty() {
        reason.clone_into(&mut status);
    }
    for container in statuses.iter().rev() {
        let waiting = raw(container, &["state", "waiting", "reason"]);
        let ended = &container["state"]["terminated"];
        if !waiting.is_empty() {
            waiting.clone_into(&mut status);
        } else if !raw(ended, &["reason"]).is_empty() {
            raw(ended, &["reason"]).clone_into(&mut status);
        } else if ended.is_object() {
            status = match number(ended, &["signal"]) {
                0 => format!("ExitCode:{}", number(ended, &["exitCode"])),
                signal => format!("Signal:{signal}"),
            };
        }
    }
    if is_deleting(o) && reason == "NodeLost" {
        "Unknown".to_owned()
    } else if is_deleting(o) {
        "Terminating".to_owned()
    } else {
        status
    }
}
