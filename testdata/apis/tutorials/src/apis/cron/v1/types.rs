//! The types of `cron.example.com/v1`.

use codegen_runtime::k8s_openapi::api::core::v1::ObjectReference;
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{
    Condition, ObjectMeta, Time,
};
use serde::{Deserialize, Serialize};

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:conversion:webhook
// +kubebuilder:storageversion
/// Runs jobs at times.
#[derive(Debug, Default, PartialEq)]
pub struct CronJob {
    /// Name, namespace, labels and the rest that every object has.
    pub metadata: ObjectMeta,
    /// Which jobs run when.
    pub spec: CronJobSpec,
    /// What has run.
    pub status: Option<CronJobStatus>,
}

/// Which jobs run when.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CronJobSpec {
    /// When it runs, in the format of cron: five fields.
    // +kubebuilder:example="*/5 * * * 1-5"
    // +kubebuilder:validation:Pattern=`^[^ ]+( [^ ]+){4}$`
    pub schedule: String,
    /// How late a job may start, in seconds.
    // +kubebuilder:validation:Minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starting_deadline_seconds: Option<i64>,
    /// Whether jobs may run at the same time.
    // +kubebuilder:default="Allow"
    #[serde(default)]
    pub concurrency_policy: ConcurrencyPolicy,
    /// Whether no job starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspend: Option<bool>,
    /// How many finished jobs stay.
    // +kubebuilder:validation:Minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successful_jobs_history_limit: Option<i32>,
    /// How many failed jobs stay.
    // +kubebuilder:validation:Minimum=0
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_jobs_history_limit: Option<i32>,
}

/// Whether jobs may run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConcurrencyPolicy {
    /// They may.
    #[default]
    Allow,
    /// The next one is left out.
    Forbid,
    /// The next one ends the one that runs.
    Replace,
}

/// What has run.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CronJobStatus {
    /// The jobs that run.
    // +listType=atomic
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub active: Vec<ObjectReference>,
    /// When a job started last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_schedule_time: Option<Time>,
    /// What holds for it.
    // +listType=map
    // +listMapKey=type
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<Condition>,
}
