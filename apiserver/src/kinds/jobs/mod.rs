//! Jobs and cron jobs.

mod validation;

use serde_json::{Map, Value, json};

use super::check::{non_negative, one_of};
use super::cron::{schedule_fault, time_zone_fault};
use super::defaults::{objects, set};
use super::pods::default_job_template;
use super::workloads::{TEMPLATE, workload_tail};
use crate::field::FieldError;
use crate::metadata::object::{at, child, fields, is_deleting, metadata, name, text, uid};
use crate::registry::{Cluster, Strategy};
use crate::table::cells::{self, age, items, number, selector};
use crate::table::{Printer, between, boolean, col, columns, num, since, wide};

#[derive(Debug)]
pub(super) struct Job;

impl Strategy for Job {
    fn set_defaults(&self, object: &mut Value) {
        default_job(child(fields(object), "spec"));
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({}));
        if object["spec"]["manualSelector"] != json!(true) {
            generate_selector(object);
        }
    }

    fn prepare_stored(&self, object: &mut Value) {
        if object["spec"]["manualSelector"] != json!(true) {
            generate_selector(object);
        }
    }

    /// As in the first versions of batch/v1.
    fn orphans(&self) -> bool {
        true
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        validation::validate(object)
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        validation::validate_update(old, new)
    }

    fn unknown_field(&self, kind: &str, field: &str) -> String {
        format!("field label \"{field}\" not supported for {kind}")
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let [names, images] = workload_tail(o, TEMPLATE);
            let has = |kind: &str| {
                items(o, &["status", "conditions"])
                    .iter()
                    .any(|c| text(c, &["type"]) == kind && text(c, &["status"]) == "True")
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
            let duration = between(
                text(o, &["status", "startTime"]),
                text(o, &["status", "completionTime"]),
            );
        }
            col("Name") => cells::name(o),
            col("Status") => status,
            col("Completions") => completions,
            col("Duration") => duration,
            col("Age") => age(o),
            wide("Containers") => names,
            wide("Images") => images,
            wide("Selector") => selector(&o["spec"]["selector"]),
        }
    }
}

/// Checks the time zone of a cron job, if it has one.
fn time_zone(object: &Value) -> Option<FieldError> {
    let name = object["spec"]["timeZone"].as_str()?;
    let fault = time_zone_fault(name)?;
    Some(FieldError::invalid("spec.timeZone", name, fault))
}

#[derive(Debug)]
pub(super) struct CronJob;

impl Strategy for CronJob {
    fn set_defaults(&self, object: &mut Value) {
        let spec = child(fields(object), "spec");
        set(spec, "concurrencyPolicy", "Allow");
        set(spec, "suspend", false);
        set(spec, "successfulJobsHistoryLimit", 3);
        set(spec, "failedJobsHistoryLimit", 1);
        default_job_template(child(child(spec, "jobTemplate"), "spec"));
    }

    fn prepare_create(&self, _cluster: &dyn Cluster, object: &mut Value) {
        fields(object).insert("status".into(), json!({}));
    }

    fn validate(&self, object: &Value) -> Vec<FieldError> {
        let schedule = text(object, &["spec", "schedule"]);
        let mut errors = Vec::new();
        if schedule.is_empty() {
            errors.push(FieldError::required("spec.schedule", ""));
        } else if let Some(fault) = schedule_fault(schedule) {
            errors.push(FieldError::invalid("spec.schedule", schedule, fault));
        }
        one_of(
            "spec.concurrencyPolicy".to_owned(),
            &object["spec"]["concurrencyPolicy"],
            &["Allow", "Forbid", "Replace"],
            &mut errors,
        );
        for field in [
            "startingDeadlineSeconds",
            "successfulJobsHistoryLimit",
            "failedJobsHistoryLimit",
        ] {
            non_negative(format!("spec.{field}"), &object["spec"][field], &mut errors);
        }
        validation::job_template(
            &object["spec"]["jobTemplate"]["spec"],
            "spec.jobTemplate.spec",
            &mut errors,
        );
        errors
    }

    fn validate_create(&self, object: &Value) -> Vec<FieldError> {
        time_zone(object).into_iter().collect()
    }

    fn validate_update(&self, old: &Value, new: &Value) -> Vec<FieldError> {
        let changes = old["spec"].get("timeZone") != new["spec"].get("timeZone");
        time_zone(new).filter(|_| changes).into_iter().collect()
    }

    fn printer(&self) -> &'static Printer {
        columns! { |o| {
            let [names, images] = workload_tail(o, &["spec", "jobTemplate", "spec", "template", "spec"]);
            let last = text(o, &["status", "lastScheduleTime"]);
        }
            col("Name") => cells::name(o),
            col("Schedule") => text(o, &["spec", "schedule"]),
            col("Timezone") => cells::text(o, &["spec", "timeZone"]),
            boolean("Suspend") => if o["spec"]["suspend"] == json!(true) { "True" } else { "False" },
            num("Active") => items(o, &["status", "active"]).len(),
            col("Last Schedule") => if last.is_empty() { "<none>".to_owned() } else { since(last) },
            col("Age") => age(o),
            wide("Containers") => names,
            wide("Images") => images,
            wide("Selector") => selector(&o["spec"]["jobTemplate"]["spec"]["selector"]),
        }
    }
}

fn default_failure_policy(policy: &mut Map<String, Value>) {
    for rule in objects(policy, "rules") {
        for condition in objects(rule, "onPodConditions") {
            if matches!(condition.get("status"), None | Some(Value::Null))
                || condition["status"] == ""
            {
                condition.insert("status".into(), json!("True"));
            }
        }
    }
}

fn default_job(spec: &mut Map<String, Value>) {
    let counts_per_index = !spec.get("backoffLimitPerIndex").is_none_or(Value::is_null);
    let limit = if counts_per_index { i32::MAX } else { 6 };
    set(spec, "backoffLimit", limit);
    set(spec, "completionMode", "NonIndexed");
    set(spec, "suspend", false);
    set(spec, "manualSelector", false);
    let replaced = match spec.get_mut("podFailurePolicy") {
        Some(Value::Object(policy)) => {
            default_failure_policy(policy);
            "Failed"
        }
        _ => "TerminatingOrFailed",
    };
    set(spec, "podReplacementPolicy", replaced);
    if spec.get("completions").is_none() && spec.get("parallelism").is_none() {
        set(spec, "completions", 1);
    }
    set(spec, "parallelism", 1);
    default_job_template(spec);
}

/// The labels of a job's pods: the uid and the name of the job, also without the prefix of
/// Kubernetes.
fn generated_labels(job: &Value) -> [(&'static str, &str); 4] {
    [
        ("controller-uid", uid(job)),
        ("job-name", name(job)),
        (CONTROLLER_UID, uid(job)),
        ("batch.kubernetes.io/job-name", name(job)),
    ]
}

fn is_indexed(spec: &Value) -> bool {
    spec["completionMode"] == json!("Indexed")
}

const CONTROLLER_UID: &str = "batch.kubernetes.io/controller-uid";

/// Selects a job's pods by labels with its uid and name. Keeps labels and requirements that are
/// set: validation refuses those that conflict.
fn generate_selector(job: &mut Value) {
    let labels = generated_labels(job).map(|(key, value)| (key, value.to_owned()));
    let uid = uid(job).to_owned();
    let spec = child(fields(job), "spec");
    let pod = child(child(child(spec, "template"), "metadata"), "labels");
    for (key, value) in labels {
        pod.entry(key).or_insert(json!(value));
    }
    let pod_labels = pod.clone();
    spec.insert("manualSelector".into(), json!(false));
    let selected = child(child(spec, "selector"), "matchLabels");
    selected.entry(CONTROLLER_UID).or_insert(json!(uid));
    let own = child(metadata(job), "labels");
    if own.is_empty() {
        *own = pod_labels;
    }
}
