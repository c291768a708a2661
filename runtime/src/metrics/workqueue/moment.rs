//! The gauges of queues that are computed at a scrape.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::gauge::ConstGauge;
use tokio::time::Instant;

use super::super::table::{self, MetricInfo};
use super::{Labels, Probes};

/// The gauges that are computed at a scrape.
pub(super) struct Moment(pub(super) Arc<Probes>);

#[derive(Default)]
struct Reading {
    depth: usize,
    unfinished: Duration,
    longest: Duration,
}

type Gauge = (MetricInfo, fn(&Reading) -> f64);

impl Moment {
    fn read(&self) -> BTreeMap<Labels, Reading> {
        let probes = self.0.lock();
        let queues = probes
            .iter()
            .map(|(labels, queues)| (labels.clone(), queues.clone()))
            .collect::<Vec<_>>();
        drop(probes);
        let now = Instant::now();
        let mut readings = BTreeMap::<_, Reading>::new();
        for (labels, queues) in queues {
            for queue in queues.iter().filter_map(Weak::upgrade) {
                let reading = readings.entry(labels.clone()).or_default();
                reading.depth += queue.depth();
                for running in queue.running_since().into_iter().map(|since| now - since) {
                    reading.unfinished += running;
                    reading.longest = reading.longest.max(running);
                }
            }
        }
        readings
    }
}

impl Collector for Moment {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), fmt::Error> {
        let readings = self.read();
        let gauges: [Gauge; 3] = [
            (table::QUEUE_DEPTH, |reading| reading.depth as f64),
            (table::UNFINISHED_WORK, |reading| {
                reading.unfinished.as_secs_f64()
            }),
            (table::LONGEST_RUNNING, |reading| {
                reading.longest.as_secs_f64()
            }),
        ];
        for (info, value) in gauges {
            let mut family = info.describe(&mut encoder)?;
            for (labels, reading) in &readings {
                ConstGauge::new(value(reading)).encode(family.encode_family(labels)?)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moment").finish_non_exhaustive()
    }
}
