//! `event_recorder_*`: outcomes of recorded events. The names are our own: client-go has no such
//! metrics.

#[cfg(feature = "prometheus")]
use std::fmt;

#[cfg(feature = "prometheus")]
use prometheus_client::encoding::{EncodeLabelSet, EncodeLabelValue, LabelValueEncoder};

use super::series::{Counter, Family, Registry};
use super::table;

/// The `outcome` label of `event_recorder_events_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum EventOutcome {
    /// A new event was written.
    Created,
    /// An existing event was updated.
    Updated,
    /// The event only raised the count of a series in memory.
    Counted,
    /// The queue was full.
    Dropped,
    /// The event's source and object exceeded their quota.
    Filtered,
    /// The server refused the event, or every try failed.
    Failed,
}

#[cfg(feature = "prometheus")]
impl EncodeLabelValue for EventOutcome {
    fn encode(&self, encoder: &mut LabelValueEncoder) -> Result<(), fmt::Error> {
        let value = match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Counted => "counted",
            Self::Dropped => "dropped",
            Self::Filtered => "filtered",
            Self::Failed => "failed",
        };
        EncodeLabelValue::encode(&value, encoder)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "prometheus", derive(EncodeLabelSet))]
struct Labels {
    outcome: EventOutcome,
}

/// Counts of recorded events by outcome. Clones share them.
#[derive(Debug, Clone)]
pub struct EventMetrics {
    outcomes: Family<Labels, Counter>,
}

impl EventMetrics {
    pub(super) fn register(registry: &mut Registry) -> Self {
        let outcomes = Family::<Labels, Counter>::default();
        table::RECORDED_EVENTS.register(registry, outcomes.clone());
        Self { outcomes }
    }

    pub(crate) fn count(&self, outcome: EventOutcome) {
        self.outcomes.get_or_create(&Labels { outcome }).inc();
    }
}
