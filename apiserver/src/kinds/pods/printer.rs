//! The columns of pods.

use serde_json::{Value, json};

use crate::metadata::object::{is_deleting, text};
use crate::table::cells::{self, age, items, name, number};
use crate::table::{Printer, col, columns, wide};

pub(super) static PRINTER: &Printer = columns! { |o| with conditions, {
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
                    text(c, &["type"]) == text(gate, &["conditionType"])
                        && text(c, &["status"]) == "True"
                })
            })
            .count();
        json!(format!("{met}/{}", gates.len()))
    };
}
    col("Name") => name(o),
    col("Ready") => format!("{ready}/{total}"),
    col("Status") => pod_status(o, statuses),
    col("Restarts") => restarts.to_string(),
    col("Age") => age(o),
    wide("IP") => cells::text(o, &["status", "podIP"]),
    wide("Node") => cells::text(o, &["spec", "nodeName"]),
    wide("Nominated Node") => cells::text(o, &["status", "nominatedNodeName"]),
    wide("Readiness Gates") => gates,
};

/// Returns the condition of a completed pod.
fn conditions(pod: &Value) -> Value {
    let phase = text(pod, &["status", "phase"]);
    let message = match phase {
        "Succeeded" => "The pod has completed successfully.",
        "Failed" => "The pod failed.",
        _ => return Value::Null,
    };
    json!([{"type": "Completed", "status": "True", "reason": phase, "message": message}])
}

/// Returns the phase, or a more specific reason.
fn pod_status(o: &Value, statuses: &[Value]) -> String {
    let mut status = text(o, &["status", "phase"]).to_owned();
    let reason = text(o, &["status", "reason"]);
    if !reason.is_empty() {
        reason.clone_into(&mut status);
    }
    for container in statuses.iter().rev() {
        let waiting = text(container, &["state", "waiting", "reason"]);
        let ended = &container["state"]["terminated"];
        if !waiting.is_empty() {
            waiting.clone_into(&mut status);
        } else if !text(ended, &["reason"]).is_empty() {
            text(ended, &["reason"]).clone_into(&mut status);
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
