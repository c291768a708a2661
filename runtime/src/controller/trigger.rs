//! Keys from outside: reasons to reconcile that informers cannot see.

use std::fmt;
use std::sync::{Arc, Weak};
use std::time::Duration;

use futures::future::BoxFuture;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use super::source::Source;
use crate::informer::InformerError;
use crate::metrics::ControllerMetrics;
use crate::store::ObjectKey;
use crate::workqueue::{AddOptions, PriorityQueue};

/// The queue of a controller, while it runs.
type Slot = Mutex<Option<PriorityQueue<ObjectKey>>>;

/// Makes controllers reconcile a key for reasons of the program's own: an event of an external
/// system, the work of another controller. Like controller-runtime's `source.Channel`. Clones are
/// handles of the same trigger.
///
/// Keys are not kept for a controller that is not running: when it starts it reconciles every
/// object anyway.
///
/// ```no_run
/// # use std::time::Duration;
/// # use codegen_runtime::controller::{Action, BuildError, Controller, Trigger, reconcile_fn};
/// # use codegen_runtime::{informer::SharedInformerFactory, k8s_openapi::api::core::v1::ConfigMap, store::ObjectKey};
/// # fn build(factory: &SharedInformerFactory) -> Result<(), BuildError> {
/// let trigger = Trigger::new();
/// let controller = Controller::builder("settings", factory)
///     .for_::<ConfigMap>()
///     .triggered_by(&trigger)
///     .build(reconcile_fn(|_| async { Ok::<_, String>(Action::done()) }))?;
/// // From anywhere, while the controller runs: many reasons within a second are one reconciliation.
/// trigger.add_after(ObjectKey::new(Some("default"), "settings"), Duration::from_secs(1));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Trigger {
    /// One slot per controller, as long as that exists.
    slots: Arc<Mutex<Vec<Weak<Slot>>>>,
}

impl Trigger {
    /// Creates a trigger without controllers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reconciles `key` as soon as a worker is free. A key that is already queued is reconciled
    /// once.
    pub fn add(&self, key: ObjectKey) {
        self.add_after(key, Duration::ZERO);
    }

    /// Reconciles `key` after `delay`. Of several delays of one key, the earliest deadline counts.
    pub fn add_after(&self, key: ObjectKey, delay: Duration) {
        let options = AddOptions {
            after: delay,
            ..AddOptions::default()
        };
        for slot in self.live() {
            if let Some(queue) = &*slot.lock() {
                queue.add_with(key.clone(), options);
            }
        }
    }

    /// Returns the slots of the controllers that exist, and drops the others.
    fn live(&self) -> Vec<Arc<Slot>> {
        let mut slots = self.slots.lock();
        slots.retain(|slot| slot.strong_count() > 0);
        slots.iter().filter_map(Weak::upgrade).collect()
    }

    pub(super) fn source(&self) -> Box<dyn Source> {
        let slot = Arc::<Slot>::default();
        self.slots.lock().push(Arc::downgrade(&slot));
        Box::new(Triggered(slot))
    }
}

impl fmt::Debug for Trigger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trigger")
            .field("controllers", &self.live().len())
            .finish()
    }
}

/// A controller's end of a trigger.
struct Triggered(Arc<Slot>);

/// Empties the slot at the end of the controller's run.
struct Registered(Arc<Slot>);

impl Drop for Registered {
    fn drop(&mut self) {
        self.0.lock().take();
    }
}

impl Source for Triggered {
    fn resource(&self) -> String {
        "trigger".to_owned()
    }

    fn start(
        &self,
        queue: &PriorityQueue<ObjectKey>,
        _metrics: &ControllerMetrics,
    ) -> Result<Box<dyn Send + Sync>, InformerError> {
        *self.0.lock() = Some(queue.clone());
        Ok(Box::new(Registered(Arc::clone(&self.0))))
    }

    fn run_unclaimed<'a>(&'a self, _stop: &'a CancellationToken) -> Option<BoxFuture<'a, ()>> {
        None
    }

    fn is_started(&self) -> bool {
        true
    }

    fn has_synced(&self) -> bool {
        true
    }

    fn wait_for_sync(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(true))
    }
}
