//! The server's state, shared by every request.

use std::sync::Arc;

use jiff::Timestamp;

use crate::faults::Faults;
use crate::reactor::Reactors;
use crate::recorder::Recorder;
use crate::registry::{Registry, Served};
use crate::single::Single;
use crate::store::{Key, Store, Stored};

/// Which of the cluster's controllers run inside the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    pub(crate) garbage_collector: bool,
    pub(crate) namespace_lifecycle: bool,
}

/// Everything behind the HTTP surface.
pub(crate) struct Core {
    pub(crate) store: Store,
    pub(crate) registry: Registry,
    pub(crate) recorder: Recorder,
    pub(crate) reactors: Reactors,
    pub(crate) faults: Faults,
    pub(crate) options: Options,
    /// Namespaces and CRDs whose end is being worked on.
    pub(crate) endings: Single,
}

impl Core {
    /// The time that goes into objects.
    #[allow(clippy::unused_self, reason = "the clock belongs to the server")]
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    /// A stored object of a served resource.
    pub(crate) fn find(&self, served: &Served, key: &Key) -> Option<Arc<Stored>> {
        self.store.get(served.resource.id, key)
    }

    /// A built-in resource in its only version.
    pub(crate) fn builtin(&self, group: &str, plural: &str) -> Option<Served> {
        let resource = self.registry.resource(group, plural)?;
        let version = resource.versions.first()?.name.clone();
        self.registry.lookup(group, &version, plural)
    }
}

impl std::fmt::Debug for Core {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Core")
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
