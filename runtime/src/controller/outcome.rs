//! Requeueing after a reconciliation.

use std::time::Duration;

use super::action::Next;
use super::reconciler::Ended;
use super::{Action, ErrorPolicy};
use crate::metrics::ReconcileResult;
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, Item, PriorityQueue};

/// The outcome of a reconciliation.
#[derive(Debug)]
pub(super) enum Outcome {
    Done(Action),
    Failed {
        message: String,
        retry: Retry,
        /// Whether the cause is a conflict with another write, which is normal.
        conflict: bool,
    },
    Panicked(String),
    TimedOut(Duration),
}

/// When to retry a failed reconciliation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    Never,
    After(Duration),
    /// After the key's back-off, and at least this long.
    BackOff(Duration),
}

impl From<Ended> for Outcome {
    fn from(ended: Ended) -> Self {
        match ended {
            Ended::Ok(action) => Self::Done(action),
            Ended::Panicked(message) => Self::Panicked(message),
            Ended::Failed {
                message,
                policy,
                conflict,
                least,
            } => {
                let retry = match policy {
                    ErrorPolicy::Retry => Retry::BackOff(least),
                    ErrorPolicy::RetryAfter(after) => Retry::After(after),
                    ErrorPolicy::Terminal => Retry::Never,
                };
                Self::Failed {
                    message,
                    retry,
                    conflict,
                }
            }
        }
    }
}

impl Outcome {
    /// Returns the outcome's value of the `result` label.
    pub(super) fn result(&self) -> ReconcileResult {
        match self {
            Self::Done(Action(Next::Done)) => ReconcileResult::Success,
            Self::Done(Action(Next::Requeue)) => ReconcileResult::Requeue,
            Self::Done(Action(Next::After(_))) => ReconcileResult::RequeueAfter,
            Self::Failed { .. } | Self::Panicked(_) | Self::TimedOut(_) => ReconcileResult::Error,
        }
    }

    /// Requeues the key if the outcome requires it, and resets or grows its back-off. A requeued
    /// key keeps its priority.
    pub(super) fn requeue(&self, queue: &PriorityQueue<ObjectKey>, item: &Item<ObjectKey>) {
        let mut options = AddOptions {
            priority: item.priority(),
            ..AddOptions::default()
        };
        match self {
            Self::Done(Action(Next::Done))
            | Self::Failed {
                retry: Retry::Never,
                ..
            } => {
                return queue.forget(item);
            }
            Self::Done(Action(Next::After(after))) => {
                queue.forget(item);
                options.after = *after;
            }
            Self::Failed {
                retry: Retry::After(after),
                ..
            } => options.after = *after,
            Self::Failed {
                retry: Retry::BackOff(least),
                ..
            } => options = options.after(*least).rate_limited(),
            Self::Done(Action(Next::Requeue)) | Self::Panicked(_) | Self::TimedOut(_) => {
                options.rate_limited = true
            }
        }
        queue.add_with((**item).clone(), options);
    }
}
