//! One worker of a controller.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{Span, field};

use super::Request;
use super::gate::Gate;
use super::outcome::{Outcome, Retry};
use super::reconciler::ErasedReconciler;
use crate::leader::Leadership;
use crate::metrics::{ControllerMetrics, ReconcileResult};
use crate::store::ObjectKey;
use crate::traces::{TARGET, Trace};
use crate::workqueue::{Item, PriorityQueue};

/// Takes keys out of the queue, one at a time.
pub(super) struct Worker {
    pub(super) controller: String,
    pub(super) queue: PriorityQueue<ObjectKey>,
    pub(super) reconciler: Arc<dyn ErasedReconciler>,
    pub(super) timeout: Option<Duration>,
    pub(super) metrics: ControllerMetrics,
    pub(super) leadership: Option<Leadership>,
    pub(super) gate: Option<Arc<Gate>>,
}

impl Worker {
    /// Reconciles until `stop` is cancelled; then finishes the reconciliation in progress.
    pub(super) async fn run(&self, stop: &CancellationToken) {
        let mut stopped = std::pin::pin!(stop.cancelled());
        loop {
            let item = tokio::select! {
                biased;
                () = &mut stopped => return,
                item = self.queue.get() => item,
            };
            let Some(item) = item else { return };
            self.reconcile(item).await;
        }
    }

    async fn reconcile(&self, item: Item<ObjectKey>) {
        let Some(gate) = &self.gate else {
            return self.reconcile_in(item, self.leadership.clone()).await;
        };
        let Some(permit) = gate.enter(&item) else {
            return self.queue.forget(&item);
        };
        let key = item.clone();
        let term = permit.term();
        if term
            .fence(self.reconcile_in(item, Some(term.clone())))
            .await
            .is_err()
        {
            tracing::debug!(controller = self.controller, %key, "the object's shard was lost; its reconciliation is dropped");
            self.queue.forget(&key);
        }
    }

    async fn reconcile_in(&self, item: Item<ObjectKey>, leadership: Option<Leadership>) {
        let _busy = self.metrics.busy();
        let started = Instant::now();
        let request = Request {
            key: item.clone(),
            retries: self.queue.num_requeues(&item),
            leadership,
        };
        let trace = Trace::new(self.span(&request));
        let call = trace.run(self.reconciler.call(request));
        let outcome = match self.timeout {
            None => call.await.into(),
            Some(limit) => match timeout(limit, call).await {
                Ok(ended) => ended.into(),
                Err(_) => Outcome::TimedOut(limit),
            },
        };
        if let (Some(gate), Outcome::Done(_)) = (&self.gate, &outcome) {
            gate.done(&item);
        }
        let span = trace.span();
        span.record("result", outcome.result().as_str());
        if outcome.result() == ReconcileResult::Error {
            span.record("otel.status_code", "ERROR");
        }
        // Not within the span: the line names controller and key itself.
        trace.after(|| self.report(&item, &outcome));
        outcome.requeue(&self.queue, &item);
        self.metrics.finished(outcome.result(), started.elapsed());
    }

    /// The span of a reconciliation, which begins a trace.
    fn span(&self, request: &Request) -> Span {
        tracing::debug_span!(
            target: TARGET,
            parent: None,
            "reconcile",
            controller = self.controller,
            key = %request.key,
            retries = request.retries,
            result = field::Empty,
            otel.status_code = field::Empty,
        )
    }

    fn report(&self, key: &ObjectKey, outcome: &Outcome) {
        let controller = &self.controller;
        match outcome {
            Outcome::Done(_) => {}
            Outcome::Failed {
                message,
                retry: Retry::Never,
                ..
            } => {
                self.metrics.terminal_error();
                tracing::error!(%controller, %key, error = message, "reconciler error; not retried");
            }
            Outcome::Failed {
                message,
                conflict: true,
                ..
            } => {
                tracing::debug!(%controller, %key, error = message, "conflict with another write; retrying");
            }
            Outcome::Failed { message, .. } => {
                tracing::error!(%controller, %key, error = message, "reconciler error");
            }
            Outcome::Panicked(message) => {
                self.metrics.panicked();
                tracing::error!(%controller, %key, panic = message, "reconciler panicked");
            }
            Outcome::TimedOut(limit) => {
                self.metrics.timed_out();
                tracing::error!(%controller, %key, ?limit, "reconciler took too long");
            }
        }
    }
}
