//! Reads KubeVirt's objects from informers.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::informer::{InformerError, handler};
use codegen_runtime::kube::core::Selector;
use codegen_runtime::kube::{Resource, ResourceExt};
use codegen_runtime::store::compare_resource_versions;
use parking_lot::{Mutex, MutexGuard};

use super::api::generated::clientset::Clientset;
use super::api::generated::informers::SharedInformerFactory;
use super::api::generated::informers::kubevirt::v1::V1Informers;
use super::{Vm, Vmi, object, state};
use crate::driver::{Changed, ServerRef};

/// Creates informers for the objects that this driver created.
pub(super) fn informers(clientset: &Clientset, namespaces: &[String]) -> SharedInformerFactory {
    SharedInformerFactory::builder(clientset.clone())
        .namespaces(namespaces)
        .name("driver")
        .list_options(|params| params.label_selector = Some(object::selector()))
        .build()
}

/// A cache of KubeVirt's objects that is never older than this process's own writes.
#[derive(Default)]
pub(super) struct Cache {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    informers: Option<V1Informers>,
    /// The write that the cache must show before it is used, by server.
    awaited: BTreeMap<String, Awaited>,
}

enum Awaited {
    /// This resourceVersion or a newer one.
    Version(String),
    /// The object is being deleted.
    Deletion,
}

impl Awaited {
    fn is_seen(&self, vm: &Vm) -> bool {
        match self {
            Self::Version(version) => {
                let seen = vm.resource_version().unwrap_or_default();
                seen == *version
                    || compare_resource_versions(&seen, version) == Some(Ordering::Greater)
            }
            Self::Deletion => vm.meta().deletion_timestamp.is_some(),
        }
    }
}

impl Cache {
    /// Starts reading from the informers of `factory`, once they have synced.
    pub(super) fn open(
        self: &Arc<Self>,
        factory: &SharedInformerFactory,
        changed: &Changed,
    ) -> Result<(), InformerError> {
        let informers = factory.kubevirt().v1();
        let (cache, [added, updated, deleted]) = (self.clone(), [(); 3].map(|()| changed.clone()));
        let vms = handler::funcs::<Vm>()
            .on_add(move |vm, is_in_initial_list| {
                if !is_in_initial_list {
                    tell(&added, &**vm);
                }
            })
            .on_update(move |old, new| {
                if is_other(&**old, &**new) || (&old.spec, &old.status) != (&new.spec, &new.status)
                {
                    tell(&updated, &**new);
                }
            })
            .on_delete(move |vm| {
                cache.lock().awaited.remove(&vm.object().name_any());
                tell(&deleted, &**vm.object());
            });
        let [added, updated, deleted] = [(); 3].map(|()| changed.clone());
        let vmis = handler::funcs::<Vmi>()
            .on_add(move |vmi, is_in_initial_list| {
                if !is_in_initial_list {
                    tell(&added, &**vmi);
                }
            })
            .on_update(move |old, new| {
                let (was, is) = (state::phase(old), state::phase(new));
                if is_other(&**old, &**new) || was != is || old.spec.domain != new.spec.domain {
                    tell(&updated, &**new);
                }
            })
            .on_delete(move |vmi| tell(&deleted, &**vmi.object()));
        informers
            .virtual_machines()
            .informer()
            .add_event_handler(vms)?;
        informers
            .virtual_machine_instances()
            .informer()
            .add_event_handler(vmis)?;
        // Set before the informers list: earlier writes are in the list, later ones are awaited.
        self.lock().informers = Some(informers);
        Ok(())
    }

    /// Stops reading from the informers.
    pub(super) fn close(&self) {
        *self.lock() = Inner::default();
    }

    /// Returns the server's machine and its instance; `None` if the cache does not have the
    /// machine, or only an outdated one.
    pub(super) fn get(&self, server: &ServerRef) -> Option<(Arc<Vm>, Option<Arc<Vmi>>)> {
        let mut inner = self.lock();
        let informers = inner.informers.as_ref()?;
        let (vms, vmis) = (
            informers.virtual_machines(),
            informers.virtual_machine_instances(),
        );
        if !vms.informer().has_synced() || !vmis.informer().has_synced() {
            return None;
        }
        let id = server.id();
        let vm = vms
            .informer()
            .lister()
            .namespace(&server.namespace)
            .get(&id);
        let vm = vm.ok().filter(|vm| object::owns(server, &**vm))?;
        if let Some(awaited) = inner.awaited.get(&id) {
            if !awaited.is_seen(&vm) {
                return None;
            }
            inner.awaited.remove(&id);
        }
        let vmis = vmis.informer().lister().namespace(&server.namespace);
        let vmi = vmis.get(&id).ok();
        Some((vm, vmi.filter(|vmi| object::owns(server, &**vmi))))
    }

    /// Returns all cached machines; `None` before the cache has synced.
    pub(super) fn all(&self) -> Option<Vec<Arc<Vm>>> {
        let inner = self.lock();
        let vms = inner.informers.as_ref()?.virtual_machines();
        let synced = vms.informer().has_synced();
        synced.then(|| vms.informer().lister().list(&Selector::default()))
    }

    /// Records that this process wrote `vm`.
    pub(super) fn wrote(&self, server: &ServerRef, vm: &Vm) {
        let version = vm.resource_version().unwrap_or_default();
        let mut inner = self.lock();
        if inner.informers.is_some() {
            inner.awaited.insert(server.id(), Awaited::Version(version));
        }
    }

    /// Records that this process deleted the server.
    pub(super) fn deleted(&self, server: &ServerRef) {
        let mut inner = self.lock();
        let Some(informers) = &inner.informers else {
            return;
        };
        // Each cached object gets an event that ends the wait. For one that has left the cache,
        // that event may have passed already.
        let lister = informers.virtual_machines().informer().lister();
        let namespace = lister.namespace(&server.namespace);
        if namespace.get(&server.id()).is_ok() {
            inner.awaited.insert(server.id(), Awaited::Deletion);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

/// Whether an object was recreated, or its deletion started.
fn is_other(old: &impl Resource, new: &impl Resource) -> bool {
    let (old, new) = (old.meta(), new.meta());
    (&old.uid, &old.deletion_timestamp) != (&new.uid, &new.deletion_timestamp)
}

fn tell(changed: &Changed, object: &impl Resource) {
    if let Some(key) = object::key_of(object) {
        changed(key);
    }
}
