//! `rest_client_*`: client-go's request metrics, with the buckets of Kubernetes' own components.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use http::StatusCode;
use parking_lot::Mutex;
#[cfg(feature = "prometheus")]
use prometheus_client::encoding::EncodeLabelSet;

use super::owned::{Owner, Owners};
use super::series::{Counter, Family, Histogram, Registry};
use super::table;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct ResultLabels {
    /// `<error>` if there was no answer.
    code: String,
    method: String,
    host: String,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct VerbLabels {
    verb: String,
    host: String,
}

type Histograms = Family<VerbLabels, Histogram, fn() -> Histogram>;

/// The series of clients of one host. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct RestClientMetrics {
    /// The host.
    owner: Arc<Owner<String>>,
    families: Families,
}

impl RestClientMetrics {
    /// Records that a request is sent, with a body of `size` bytes if known.
    pub(crate) fn call(&self, method: &str, size: Option<u64>, is_watch: bool) -> RestCall {
        let labels = VerbLabels {
            verb: method.to_owned(),
            host: self.owner.labels().clone(),
        };
        self.families.used.lock().verbs.insert(labels.clone());
        if let Some(size) = size {
            self.families
                .request_size
                .get_or_create(&labels)
                .observe(size as f64);
        }
        RestCall {
            labels,
            client: self.clone(),
            started: Instant::now(),
            status: None,
            received: 0,
            is_watch,
        }
    }
}

/// One request, counted when its answer has been read, given up or refused.
#[derive(Debug)]
pub(crate) struct RestCall {
    labels: VerbLabels,
    client: RestClientMetrics,
    started: Instant,
    /// The answer's status, or `Some(None)` if there was no answer; `None` while waiting for it.
    status: Option<Option<StatusCode>>,
    received: usize,
    is_watch: bool,
}

impl RestCall {
    /// Records the arrival of the answer's head, or its failure.
    pub(crate) fn answered(&mut self, status: Option<StatusCode>) {
        self.status = Some(status);
        let labels = ResultLabels {
            code: status.map_or("<error>".to_owned(), |status| status.as_str().to_owned()),
            method: self.labels.verb.clone(),
            host: self.labels.host.clone(),
        };
        let families = &self.client.families;
        families.used.lock().results.insert(labels.clone());
        families.requests.get_or_create(&labels).inc();
        if self.is_watch {
            self.observe_duration();
        }
    }

    /// Records the arrival of a part of the answer's body.
    pub(crate) fn received(&mut self, bytes: usize) {
        self.received += bytes;
    }

    fn observe_duration(&self) {
        let took = self.started.elapsed().as_secs_f64();
        let duration = &self.client.families.duration;
        duration.get_or_create(&self.labels).observe(took);
    }
}

impl Drop for RestCall {
    fn drop(&mut self) {
        // The caller gave up before an answer arrived.
        if self.status.is_none() {
            self.answered(None);
        }
        if self.is_watch {
            return;
        }
        self.observe_duration();
        if let Some(Some(_)) = self.status {
            let families = &self.client.families;
            families
                .response_size
                .get_or_create(&self.labels)
                .observe(self.received as f64);
        }
    }
}

#[derive(Debug, Clone)]
struct Families {
    requests: Family<ResultLabels, Counter>,
    duration: Histograms,
    request_size: Histograms,
    response_size: Histograms,
    /// The labels of the series that exist.
    used: Arc<Mutex<Used>>,
}

#[derive(Debug, Default)]
struct Used {
    results: BTreeSet<ResultLabels>,
    verbs: BTreeSet<VerbLabels>,
}

/// The families, and the hosts that have clients.
pub(super) struct Hosts {
    families: Families,
    owners: Owners<String>,
}

impl Hosts {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let families = Families::register(registry);
        let own = families.clone();
        let owners = Owners::new(move |host: &String| own.remove(host));
        Self { families, owners }
    }

    pub(super) fn of(&self, host: &str) -> RestClientMetrics {
        RestClientMetrics {
            owner: self.owners.of(&host.to_owned()),
            families: self.families.clone(),
        }
    }
}

/// Seconds.
const DURATIONS: [f64; 12] = [
    0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0,
];

/// Bytes.
const SIZES: [f64; 11] = [
    64.0, 256.0, 512.0, 1024.0, 4096.0, 16384.0, 65536.0, 262144.0, 1048576.0, 4194304.0,
    16777216.0,
];

impl Families {
    fn register(registry: &mut Registry) -> Self {
        let durations: fn() -> Histogram = || Histogram::new(DURATIONS);
        let sizes: fn() -> Histogram = || Histogram::new(SIZES);
        let families = Self {
            requests: Family::default(),
            duration: Family::new_with_constructor(durations),
            request_size: Family::new_with_constructor(sizes),
            response_size: Family::new_with_constructor(sizes),
            used: Arc::default(),
        };
        table::REQUESTS.register(registry, families.requests.clone());
        table::REQUEST_DURATION.register(registry, families.duration.clone());
        table::REQUEST_SIZE.register(registry, families.request_size.clone());
        table::RESPONSE_SIZE.register(registry, families.response_size.clone());
        families
    }

    /// Removes the series of `host`.
    fn remove(&self, host: &str) {
        let mut used = self.used.lock();
        used.results.retain(|labels| {
            let stays = labels.host != host;
            if !stays {
                self.requests.remove(labels);
            }
            stays
        });
        used.verbs.retain(|labels| {
            let stays = labels.host != host;
            if !stays {
                self.duration.remove(labels);
                self.request_size.remove(labels);
                self.response_size.remove(labels);
            }
            stays
        });
    }
}
