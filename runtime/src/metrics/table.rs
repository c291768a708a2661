//! The one table of the runtime's metrics, from which their registration, the page
//! `docs/metrics.md`, the dashboard and the alerts derive.

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::{DescriptorEncoder, MetricEncoder};
#[cfg(feature = "prometheus")]
use prometheus_client::metrics::MetricType;

use super::series::{Metric, Registry};

/// What a metric measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MetricKind {
    /// A sum that only grows. Its name ends with `_total`.
    Counter,
    /// A value that grows and falls.
    Gauge,
    /// Counts of observations by buckets, and their sum.
    Histogram,
}

/// The declaration of a metric. Its unit is in its name, as Prometheus advises: `_seconds`,
/// `_bytes`.
///
/// ```
/// use codegen_runtime::metrics::{MetricInfo, MetricKind::Counter};
///
/// const ROUNDS: MetricInfo =
///     MetricInfo::new(Counter, "game_rounds_total", &["player"], "Rounds won");
/// assert_eq!(ROUNDS.labels, ["player"]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct MetricInfo {
    /// The name of its series; those of a histogram have `_bucket`, `_sum` and `_count` after it.
    pub name: &'static str,
    /// What it measures.
    pub kind: MetricKind,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it means, without a full stop.
    pub help: &'static str,
}

/// Metrics of one subject.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct MetricGroup {
    /// The subject.
    pub title: &'static str,
    /// Its metrics.
    pub metrics: &'static [MetricInfo],
}

impl MetricGroup {
    /// Groups metrics of one subject.
    pub const fn new(title: &'static str, metrics: &'static [MetricInfo]) -> Self {
        Self { title, metrics }
    }
}

impl MetricInfo {
    /// Declares a metric. The name of a counter ends with `_total`.
    pub const fn new(
        kind: MetricKind,
        name: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self {
            name,
            kind,
            labels,
            help,
        }
    }

    /// Registers its series under its name. Does nothing without the feature `prometheus`.
    pub fn register(&self, registry: &mut Registry, series: impl Metric) {
        registry.register(self.registered_name(), self.help, series);
    }

    /// Begins its series in a scrape.
    #[cfg(feature = "prometheus")]
    pub(crate) fn describe<'e>(
        &self,
        encoder: &'e mut DescriptorEncoder<'_>,
    ) -> Result<MetricEncoder<'e>, std::fmt::Error> {
        let name = self.registered_name();
        encoder.encode_descriptor(name, self.help, None, self.kind.into())
    }

    /// The name without the suffix that the encoder gives to counters.
    fn registered_name(&self) -> &'static str {
        match self.kind {
            MetricKind::Counter => self.name.strip_suffix("_total").unwrap_or(self.name),
            MetricKind::Gauge | MetricKind::Histogram => self.name,
        }
    }
}

#[cfg(feature = "prometheus")]
impl From<MetricKind> for MetricType {
    fn from(kind: MetricKind) -> Self {
        match kind {
            MetricKind::Counter => Self::Counter,
            MetricKind::Gauge => Self::Gauge,
            MetricKind::Histogram => Self::Histogram,
        }
    }
}

macro_rules! table {
    ($($title:literal { $($name:ident = $kind:ident $metric:ident($($label:ident),*) $help:literal;)+ })+) => {
        $($(pub(crate) const $name: MetricInfo =
            MetricInfo::new(MetricKind::$kind, stringify!($metric), &[$(stringify!($label)),*], $help);)+)+

        /// All metrics of the runtime, in the order of the documentation.
        pub const GROUPS: &[MetricGroup] = &[
            $(MetricGroup { title: $title, metrics: &[$($name),+] }),+
        ];
    };
}

#[rustfmt::skip]
table! {
    "Controllers" {
        RECONCILES = Counter controller_runtime_reconcile_total(controller, result)
            "Reconciliations by result: `success`, `requeue`, `requeue_after`, `error`";
        RECONCILE_ERRORS = Counter controller_runtime_reconcile_errors_total(controller)
            "Reconciliations that returned an error";
        TERMINAL_RECONCILE_ERRORS = Counter controller_runtime_terminal_reconcile_errors_total(controller)
            "Errors that are not retried";
        RECONCILE_PANICS = Counter controller_runtime_reconcile_panics_total(controller)
            "Reconciliations that panicked";
        RECONCILE_TIMEOUTS = Counter controller_runtime_reconcile_timeouts_total(controller)
            "Reconciliations that ran out of time";
        RECONCILE_TIME = Histogram controller_runtime_reconcile_time_seconds(controller)
            "How long a reconciliation takes";
        MAX_CONCURRENT_RECONCILES = Gauge controller_runtime_max_concurrent_reconciles(controller)
            "Most reconciliations at a time";
        ACTIVE_WORKERS = Gauge controller_runtime_active_workers(controller)
            "Workers at work now";
        // The name is our own: such a panic ends a process of controller-runtime.
        MAPPING_PANICS = Counter controller_mapping_panics_total(controller)
            "Panics of predicates and of mappings to keys";
    }
    "Work queues" {
        QUEUE_DEPTH = Gauge workqueue_depth(controller, name)
            "Items that wait";
        QUEUE_ADDS = Counter workqueue_adds_total(controller, name)
            "Items added";
        QUEUE_RETRIES = Counter workqueue_retries_total(controller, name)
            "Items added again after an error";
        QUEUE_DURATION = Histogram workqueue_queue_duration_seconds(controller, name)
            "How long an item waits";
        WORK_DURATION = Histogram workqueue_work_duration_seconds(controller, name)
            "How long the processing of an item takes";
        UNFINISHED_WORK = Gauge workqueue_unfinished_work_seconds(controller, name)
            "Seconds of work in progress; large values mean stuck workers";
        LONGEST_RUNNING = Gauge workqueue_longest_running_processor_seconds(controller, name)
            "How long the longest running worker has been at work";
    }
    "Informers" {
        LISTS = Counter reflector_lists_total(name, group, version, resource)
            "Lists started, streamed ones included";
        LISTED_OBJECTS = Counter reflector_listed_objects_total(name, group, version, resource)
            "Objects received in lists";
        LIST_DURATION = Histogram reflector_list_duration_seconds(name, group, version, resource)
            "How long lists took to come and decode, streamed ones included";
        ITEMS_PER_LIST = Histogram reflector_items_per_list(name, group, version, resource)
            "Objects of each list";
        WATCHES = Counter reflector_watches_total(name, group, version, resource)
            "Watches started, streamed lists included";
        SHORT_WATCHES = Counter reflector_short_watches_total(name, group, version, resource)
            "Watches that ended in under a second without an event";
        SILENT_WATCHES = Counter reflector_silent_watches_total(name, group, version, resource)
            "Watches that were silent although bookmarks should have come";
        WATCH_DURATION = Histogram reflector_watch_duration_seconds(name, group, version, resource)
            "How long watches lasted";
        ITEMS_PER_WATCH = Histogram reflector_items_per_watch(name, group, version, resource)
            "Events of each watch";
        EVENTS = Counter reflector_events_total(name, group, version, resource)
            "Watch events received, bookmarks included";
        ERRORS = Counter reflector_errors_total(name, group, version, resource)
            "Lists and watches that failed";
        FOREIGN_OBJECTS = Counter reflector_foreign_objects_total(name, group, version, resource)
            "Objects and events of other shards, which the server should not have sent";
        FAILING = Gauge reflector_failing(name, group, version, resource)
            "1 while lists or watches fail, 0 while they work";
        VERSION_RESETS = Counter reflector_version_resets_total(name, group, version, resource)
            "How often the server's resourceVersions went back";
        UNDECODABLE_OBJECTS = Counter reflector_undecodable_objects_total(name, group, version, resource)
            "Objects skipped because they could not be decoded or transformed";
        // client-go's older and newer name.
        LAST_RESOURCE_VERSION = Gauge reflector_last_resource_version(name, group, version, resource)
            "The 15 least significant digits of the version that the cache reflects";
        STORE_RESOURCE_VERSION = Gauge informer_store_resource_version(name, group, version, resource)
            "The 15 least significant digits of the version that the cache reflects";
        OBJECTS = Gauge informer_objects(name, group, version, resource)
            "Objects in the cache";
        QUEUED_ITEMS = Gauge informer_queued_items(name, group, version, resource)
            "Events received and not yet in the cache";
        PROCESSING_LATENCY = Histogram informer_processing_latency_seconds(name, group, version, resource)
            "From the hand-out of a batch of events until the cache has it and handlers' queues too";
        HANDLERS = Gauge informer_handlers(name, group, version, resource)
            "Event handlers";
        PENDING_CALLS = Gauge informer_handler_pending_calls(name, group, version, resource)
            "Calls of event handlers that wait, of all handlers";
        MAX_PENDING_CALLS = Gauge informer_handler_pending_calls_max(name, group, version, resource)
            "The longest queue of one event handler";
        HANDLER_PANICS = Counter informer_handler_panics_total(name, group, version, resource)
            "Calls of event handlers that panicked";
        INDEXER_PANICS = Counter informer_indexer_panics_total(name, group, version, resource)
            "Objects or lists skipped because an indexer panicked";
    }
    "Leader election" {
        LEADER_STATUS = Gauge leader_election_master_status(name)
            "1 if this process holds the lease, 0 if it does not";
        LEADER_SLOWPATH = Counter leader_election_slowpath_total(name)
            "Renewals that had to read the lease first";
        LEADER_CONFLICTS = Counter leader_election_identity_conflicts_total(name)
            "Times that another process was seen to contend under this identity";
    }
    "Shards" {
        SHARD_MEMBERS = Gauge shard_group_members(name)
            "Replicas that share the work; 0 while this process is none of them";
        SHARD_SLOTS = Gauge shard_group_slots(name)
            "Slots of the hash space, of 256, that this process holds";
        SHARD_RANGES = Gauge shard_group_ranges(name)
            "Ranges of hashes that this process holds";
        SHARD_MOVES = Counter shard_group_moves_total(name)
            "Slots that this process took or gave up";
    }
    "Storage migration" {
        MIGRATION_PENDING = Gauge storage_migration_pending(crd)
            "1 while objects of the kind may be stored in an old version";
        MIGRATION_OBJECTS = Counter storage_migration_objects_total(crd)
            "Objects that were written in the storage version";
        MIGRATION_FAILURES = Counter storage_migration_failures_total(crd)
            "Objects that could not be written";
    }
    "Requests" {
        REQUESTS = Counter rest_client_requests_total(code, method, host)
            "Requests to API servers by status code";
        REQUEST_DURATION = Histogram rest_client_request_duration_seconds(verb, host)
            "How long it took until an answer was read; of a watch, until it began";
        REQUEST_SIZE = Histogram rest_client_request_size_bytes(verb, host)
            "Bytes of requests' bodies";
        RESPONSE_SIZE = Histogram rest_client_response_size_bytes(verb, host)
            "Bytes of answers' bodies, watches apart";
    }
    "Webhooks" {
        WEBHOOK_REQUESTS = Counter controller_runtime_webhook_requests_total(webhook, code)
            "Requests to webhooks by HTTP status code";
        WEBHOOK_LATENCY = Histogram controller_runtime_webhook_latency_seconds(webhook)
            "How long an answer takes";
        WEBHOOK_IN_FLIGHT = Gauge controller_runtime_webhook_requests_in_flight(webhook)
            "Requests that are being answered";
    }
    "Certificates" {
        CERTIFICATE_EXPIRY = Gauge certificate_expiration_timestamp_seconds(task, name)
            "When the certificate expires that is served now, in seconds since 1970";
    }
    "Background tasks and events" {
        TASK_FAILING = Gauge background_task_failing(task, name)
            "1 while the task fails, 0 while it works";
        TASK_FAILURES = Counter background_task_failures_total(task, name)
            "Tries that failed";
        RECORDED_EVENTS = Counter event_recorder_events_total(outcome)
            "Recorded events: `created`, `updated`, `counted`, `dropped`, `filtered`, `failed`";
    }
    "The process" {
        PROCESS_CPU = Counter process_cpu_seconds_total()
            "User and system processor time";
        PROCESS_RESIDENT = Gauge process_resident_memory_bytes()
            "Resident memory";
        PROCESS_VIRTUAL = Gauge process_virtual_memory_bytes()
            "Virtual memory";
        PROCESS_VIRTUAL_MAX = Gauge process_virtual_memory_max_bytes()
            "Most virtual memory that the process may have";
        PROCESS_FDS = Gauge process_open_fds()
            "Open file descriptors";
        PROCESS_FDS_MAX = Gauge process_max_fds()
            "Most file descriptors that the process may have open";
        PROCESS_START = Gauge process_start_time_seconds()
            "When the process started, in seconds since 1970";
        PROCESS_RECEIVED = Counter process_network_receive_bytes_total()
            "Bytes received from the network";
        PROCESS_TRANSMITTED = Counter process_network_transmit_bytes_total()
            "Bytes sent to the network";
    }
}

#[cfg(all(test, feature = "prometheus"))]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::time::Duration;

    use super::*;
    use crate::metrics::{EventOutcome, Metrics, ReconcileResult};

    fn kind_name(kind: MetricKind) -> &'static str {
        match kind {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
        }
    }

    /// The labels of a series, without that of a histogram's buckets.
    fn labels(line: &str) -> BTreeSet<&str> {
        let inside = line.split_once('{').and_then(|(_, it)| it.split_once('}'));
        let pairs = inside.map_or("", |(inside, _)| inside).split(',');
        pairs
            .filter_map(|pair| Some(pair.split_once('=')?.0))
            .filter(|name| *name != "le")
            .collect()
    }

    #[test]
    fn series_have_the_kinds_and_labels_of_the_table() {
        let metrics = Metrics::new();
        let _queue = crate::workqueue::WorkQueue::<String>::builder()
            .name("a")
            .metrics(&metrics)
            .build();
        let controller = metrics.controller("a");
        controller.finished(ReconcileResult::Error, Duration::ZERO);
        let _held = (
            metrics.workqueue("a"),
            metrics.leader("a"),
            metrics.shards("a"),
            metrics.storage_migration("a"),
            metrics.task("a", "b"),
        );
        #[cfg(any(feature = "webhooks", feature = "secure-metrics"))]
        let _certificate = metrics.certificate("a", "b");
        metrics.events().count(EventOutcome::Created);
        let text = metrics.encode().unwrap();

        let known: BTreeMap<&str, &MetricInfo> = GROUPS
            .iter()
            .flat_map(|group| group.metrics)
            .map(|metric| (metric.registered_name(), metric))
            .collect();
        let mut current = None;
        let mut seen = BTreeSet::new();
        for line in text.lines() {
            if let Some(declared) = line.strip_prefix("# TYPE ") {
                let (name, kind) = declared.split_once(' ').unwrap();
                let metric = known.get(name);
                let metric = *metric.unwrap_or_else(|| panic!("{name} is not in the table"));
                assert_eq!(kind, kind_name(metric.kind), "{name}");
                current = Some(metric);
            } else if let Some(metric) = current.filter(|_| !line.starts_with('#')) {
                let declared: BTreeSet<&str> = metric.labels.iter().copied().collect();
                assert_eq!(labels(line), declared, "{line}");
                seen.insert(metric.name);
            }
        }
        // Without those of informers, requests and webhooks, which something has to use.
        assert!(seen.len() > 35, "{seen:?}");
    }
}
