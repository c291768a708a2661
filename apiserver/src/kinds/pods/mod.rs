//! Pods.

mod container;
mod ephemeral;
mod image;
mod printer;
mod scheduling;
mod template;
mod update;
mod validation;
mod volumes;

use serde_json::{Value, json};

use crate::field::FieldError;
use crate::metadata::object::{child, fields, list, text};
use crate::registry::{Cluster, Strategy, label_not_supported};
use crate::table::Printer;
use crate::table::cells::items;
use crate::types::scalars::rfc3339;
pub(super) use template::{default_job_template, default_template};
pub(super) use validation::{pod_spec, pod_template};
pub(super) use volumes::default_source;

#[derive(Debug)]
pub(super) struct Pod;

impl Strategy for Pod {
    fn fixed_in_status(&self) -> &'static [&'static str] {
        &["ownerReferences"]
    }

    fn set_defaults(&self, object: &mut Value) {
        template::default_pod(child(fields(object), "spec"));
    }

    fn prepare_create(&self, cluster: &dyn Cluster, object: &mut Value) {
        template::admit_pod(child(fields(object), "spec"));
        let mut status = json!({"phase": "Pending", "qosClass": qos_class(object)});
        if is_gated(object) {
            status["conditions"] = json!([{"type": "PodScheduled", "status": "False", "lastProbeTime": null,
                "lastTransitionTime": rfc3339(cluster.now()), "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates"}]);
        }
        fields(object).insert("status".into(), status);
    }

    fn prepare_update(&self, old: &Value, new: &mut Value) {
        template::admit_update(&old["spec"], child(fields(new), "spec"));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let mut errors = pod_spec(&object["spec"], "spec");
        errors.extend(validation::trimmed_images(&object["spec"]));
        errors
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        let spec = &object["spec"];
        let mut errors = ephemeral::forbidden(spec, "spec", "cannot be set on create");
        if is_gated(object) && !text(spec, &["nodeName"]).is_empty() {
            let detail = "cannot be set until all schedulingGates have been cleared";
            errors.push(FieldError::forbidden("spec.nodeName", detail));
        }
        errors
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        update::validate(old, new)
    }

    fn validate_ephemeral_containers(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        ephemeral::validate_update(old, new)
    }

    /// Only running pods get a grace period. A negative one becomes one second.
    fn grace_period(&self, object: &Value, asked: Option<i64>) -> i64 {
        let phase = text(object, &["status", "phase"]);
        let unscheduled = text(object, &["spec", "nodeName"]).is_empty();
        if unscheduled || matches!(phase, "Failed" | "Succeeded") {
            return 0;
        }
        let own = object["spec"]["terminationGracePeriodSeconds"].as_i64();
        match asked.or(own).unwrap_or(30) {
            ..0 => 1,
            seconds => seconds,
        }
    }

    fn marks_before_removal(&self) -> bool {
        true
    }

    fn unknown_field(&self, _kind: &str, field: &str) -> String {
        label_not_supported(field)
    }

    fn printer(&self) -> &'static Printer {
        printer::PRINTER
    }
}

/// Whether a pod has scheduling gates, which keep it from a node.
pub(crate) fn is_gated(pod: &Value) -> bool {
    !items(pod, &["spec", "schedulingGates"]).is_empty()
}

fn qos_class(pod: &Value) -> &'static str {
    let containers = list(&pod["spec"]["containers"]);
    let has = |c: &Value, field: &str| {
        c["resources"][field]
            .as_object()
            .is_some_and(|m| !m.is_empty())
    };
    if !containers
        .iter()
        .any(|c| has(c, "limits") || has(c, "requests"))
    {
        return "BestEffort";
    }
    let guaranteed = containers.iter().all(|c| {
        let limits = &c["resources"]["limits"];
        let same = |key: &str| {
            let request = c["resources"]["requests"].get(key);
            limits
                .get(key)
                .is_some_and(|limit| request.is_none_or(|r| r == limit))
        };
        same("cpu") && same("memory")
    });
    if guaranteed {
        "Guaranteed"
    } else {
        "Burstable"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quality_of_service_follows_from_requests_and_limits() {
        let check = |resources: Value, expected: &str| {
            let pod = json!({"spec": {"containers": [{"resources": resources}]}});
            assert_eq!(qos_class(&pod), expected);
        };
        check(json!({}), "BestEffort");
        check(json!({"requests": {"cpu": "1"}}), "Burstable");
        check(
            json!({"limits": {"cpu": "1", "memory": "1Gi"}}),
            "Guaranteed",
        );
    }
}
