//! The settings of a factory.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::api::ListParams;

use super::factory::SharedInformerFactory;
use crate::object::Cacheable;
use crate::reflector::{Deadlines, Transform};

pub(super) type Tweak = Arc<dyn Fn(&mut ListParams) + Send + Sync>;

/// The settings of a factory.
#[derive(Clone, Default)]
pub(super) struct Settings {
    /// The namespaces of namespaced kinds; empty for all.
    pub(super) namespaces: BTreeSet<String>,
    pub(super) resync: Duration,
    pub(super) resync_for: BTreeMap<TypeId, Duration>,
    pub(super) transforms: BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>,
    pub(super) tweak: Option<Tweak>,
    pub(super) tweak_for: BTreeMap<TypeId, Tweak>,
    pub(super) tweak_of: BTreeMap<(String, String), Tweak>,
    pub(super) name: String,
    pub(super) keep_managed_fields: bool,
    #[cfg(feature = "packed")]
    pub(super) packed: Packed,
    pub(super) deadlines: Deadlines,
}

/// Which informers pack their caches.
#[cfg(feature = "packed")]
#[derive(Clone, Default)]
pub(super) struct Packed {
    pub(super) all: bool,
    pub(super) types: BTreeSet<TypeId>,
}

/// Builds a factory `F`: a [`SharedInformerFactory`], or the generated one around it.
pub struct FactoryBuilder<F> {
    client: Client,
    settings: Settings,
    factory: PhantomData<fn() -> F>,
}

impl<F> std::fmt::Debug for FactoryBuilder<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FactoryBuilder")
            .field("namespaces", &self.settings.namespaces)
            .field("resync", &self.settings.resync)
            .field("name", &self.settings.name)
            .finish_non_exhaustive()
    }
}

impl<F: From<SharedInformerFactory>> FactoryBuilder<F> {
    /// Creates a builder for all namespaces, without resyncs.
    pub fn new(client: Client) -> Self {
        Self {
            client,
            settings: Settings::default(),
            factory: PhantomData,
        }
    }

    /// Restricts namespaced kinds to this namespace; empty for all.
    #[must_use]
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        self.namespaces([namespace])
    }

    /// Restricts namespaced kinds to these namespaces; none, or an empty one among them, for all.
    ///
    /// Each informer then lists and watches each namespace, for which a Role in each of them
    /// suffices, and is one cache of all: listers, handlers and controllers span them. It has
    /// synced when all namespaces have been listed. Its resourceVersion is that of the namespace
    /// that is furthest behind; one without changes catches up with a bookmark, about every minute.
    #[must_use]
    pub fn namespaces(mut self, namespaces: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let namespaces: BTreeSet<String> = namespaces.into_iter().map(Into::into).collect();
        self.settings.namespaces = if namespaces.contains("") {
            BTreeSet::new()
        } else {
            namespaces
        };
        self
    }

    /// Notifies handlers of every object every `period`, unless they request another one. The
    /// minimum is one second; zero, the default, means never.
    #[must_use]
    pub fn resync(mut self, period: Duration) -> Self {
        self.settings.resync = period;
        self
    }

    /// Like [`Self::resync`], for `K` only.
    #[must_use]
    pub fn resync_for<K: Cacheable>(mut self, period: Duration) -> Self {
        self.settings.resync_for.insert(TypeId::of::<K>(), period);
        self
    }

    /// Changes every `K` once, when it is received and before anything else sees it.
    #[must_use]
    pub fn transform<K: Cacheable>(
        mut self,
        transform: impl Fn(&mut K) + Send + Sync + 'static,
    ) -> Self {
        let transform: Transform<K> = Arc::new(transform);
        self.settings
            .transforms
            .insert(TypeId::of::<K>(), Arc::new(transform));
        self
    }

    /// Sets label selector, field selector and page size (`limit`) of every list and watch. Other
    /// fields have no effect: the reflector sets versions and tokens.
    #[must_use]
    pub fn list_options(mut self, tweak: impl Fn(&mut ListParams) + Send + Sync + 'static) -> Self {
        self.settings.tweak = Some(Arc::new(tweak));
        self
    }

    /// Like [`Self::list_options`], for `K` only, and applied after the options of all kinds.
    /// `DynamicObject` matches all dynamic resources; use [`Self::list_options_of`] for one of
    /// them.
    #[must_use]
    pub fn list_options_for<K: Cacheable>(
        mut self,
        tweak: impl Fn(&mut ListParams) + Send + Sync + 'static,
    ) -> Self {
        self.settings
            .tweak_for
            .insert(TypeId::of::<K>(), Arc::new(tweak));
        self
    }

    /// Like [`Self::list_options`], for one resource regardless of its type, and applied after the
    /// options of all kinds.
    #[must_use]
    pub fn list_options_of(
        mut self,
        group: impl Into<String>,
        plural: impl Into<String>,
        tweak: impl Fn(&mut ListParams) + Send + Sync + 'static,
    ) -> Self {
        self.settings
            .tweak_of
            .insert((group.into(), plural.into()), Arc::new(tweak));
        self
    }

    /// Sets a prefix for the names of informers in logs and metrics.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.settings.name = name.into();
        self
    }

    /// Keeps `metadata.managedFields`, which are otherwise dropped while decoding.
    #[must_use]
    pub fn keep_managed_fields(mut self) -> Self {
        self.settings.keep_managed_fields = true;
        self
    }

    /// Keeps the objects of every informer compressed, and decodes them when they are read: a
    /// fraction of the memory, for processor time. docs/caches.md says when to use which. An
    /// informer of a type that does not read all of what it writes keeps its objects whole, with a
    /// warning.
    #[cfg(feature = "packed")]
    #[must_use]
    pub fn packed(mut self) -> Self {
        self.settings.packed.all = true;
        self
    }

    /// Like [`Self::packed`], for `K` only.
    #[cfg(feature = "packed")]
    #[must_use]
    pub fn packed_for<K: Cacheable>(mut self) -> Self {
        self.settings.packed.types.insert(TypeId::of::<K>());
        self
    }

    /// Sets the deadlines for a silent server, for every informer.
    #[must_use]
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.settings.deadlines = deadlines;
        self
    }

    /// Builds the factory. It sends no requests before it is started.
    pub fn build(self) -> F {
        SharedInformerFactory::new(self.client, self.settings).into()
    }
}
