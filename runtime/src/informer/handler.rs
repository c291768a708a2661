//! Event handlers: implemented by users of an informer, or built from closures.

use std::sync::Arc;

use crate::store::ObjectKey;

/// A deleted object.
#[derive(Debug)]
pub enum Deleted<K> {
    /// The deletion was observed; this is the object's last state.
    Known(Arc<K>),
    /// The deletion was missed while disconnected: client-go's `DeletedFinalStateUnknown`. The
    /// object may have changed since this state, and may even have been recreated and deleted
    /// again.
    FinalStateUnknown {
        /// The object's key.
        key: ObjectKey,
        /// The last observed state.
        object: Arc<K>,
    },
}

impl<K> Clone for Deleted<K> {
    fn clone(&self) -> Self {
        match self {
            Self::Known(object) => Self::Known(object.clone()),
            Self::FinalStateUnknown { key, object } => Self::FinalStateUnknown {
                key: key.clone(),
                object: object.clone(),
            },
        }
    }
}

impl<K> Deleted<K> {
    /// Returns the last known state.
    pub fn object(&self) -> &Arc<K> {
        match self {
            Self::Known(object) | Self::FinalStateUnknown { object, .. } => object,
        }
    }

    /// Whether the deletion itself was missed.
    pub fn is_final_state_unknown(&self) -> bool {
        matches!(self, Self::FinalStateUnknown { .. })
    }
}

impl<K: kube::Resource> Deleted<K> {
    /// Returns the key of the object.
    pub fn key(&self) -> ObjectKey {
        match self {
            Self::Known(object) => ObjectKey::of(&**object),
            Self::FinalStateUnknown { key, .. } => key.clone(),
        }
    }
}

/// Receives every change of a cache, after the cache holds it.
///
/// Calls to one handler are serial, in the order of each object's changes. Different handlers are
/// not coordinated. A panic is counted and logged, and the next call is made as if the handler had
/// returned. Calls run on the tokio runtime: a handler with work to do should add a key to a queue,
/// since one that blocks keeps a worker thread from other tasks.
pub trait EventHandler<K>: Send + Sync + 'static {
    /// An object appeared. `is_in_initial_list` is set for objects that existed when the informer,
    /// or a late handler, started.
    fn on_add(&self, object: &Arc<K>, is_in_initial_list: bool) {
        let _ = (object, is_in_initial_list);
    }

    /// An object changed, or a resync is due (then `old` and `new` are the same). An object deleted
    /// and recreated under one name while disconnected is an update with another uid.
    fn on_update(&self, old: &Arc<K>, new: &Arc<K>) {
        let _ = (old, new);
    }

    /// An object was deleted.
    fn on_delete(&self, deleted: &Deleted<K>) {
        let _ = deleted;
    }

    /// An object left a [sharded](crate::shard) cache: it still exists, but belongs to another
    /// process now.
    fn on_leave(&self, object: &Arc<K>) {
        let _ = object;
    }
}

impl<K, H: EventHandler<K> + ?Sized> EventHandler<K> for Arc<H> {
    fn on_add(&self, object: &Arc<K>, is_in_initial_list: bool) {
        (**self).on_add(object, is_in_initial_list);
    }

    fn on_update(&self, old: &Arc<K>, new: &Arc<K>) {
        (**self).on_update(old, new);
    }

    fn on_delete(&self, deleted: &Deleted<K>) {
        (**self).on_delete(deleted);
    }

    fn on_leave(&self, object: &Arc<K>) {
        (**self).on_leave(object);
    }
}

type AddFn<K> = Box<dyn Fn(&Arc<K>, bool) + Send + Sync>;
type UpdateFn<K> = Box<dyn Fn(&Arc<K>, &Arc<K>) + Send + Sync>;
type DeleteFn<K> = Box<dyn Fn(&Deleted<K>) + Send + Sync>;
type LeaveFn<K> = Box<dyn Fn(&Arc<K>) + Send + Sync>;

/// A handler built from closures; see [`funcs`].
pub struct HandlerFuncs<K> {
    add: Option<AddFn<K>>,
    update: Option<UpdateFn<K>>,
    delete: Option<DeleteFn<K>>,
    leave: Option<LeaveFn<K>>,
}

/// Creates a handler without closures; add them with its methods.
///
/// ```
/// use codegen_runtime::informer::handler;
/// use codegen_runtime::k8s_openapi::api::core::v1::Pod;
///
/// let handler = handler::funcs::<Pod>()
///     .on_add(|pod, is_in_initial_list| { let _ = (pod, is_in_initial_list); })
///     .on_delete(|deleted| { let _ = deleted.key(); });
/// # let _ = handler;
/// ```
pub fn funcs<K>() -> HandlerFuncs<K> {
    HandlerFuncs {
        add: None,
        update: None,
        delete: None,
        leave: None,
    }
}

impl<K> HandlerFuncs<K> {
    /// Calls `add` for [`EventHandler::on_add`].
    #[must_use]
    pub fn on_add(mut self, add: impl Fn(&Arc<K>, bool) + Send + Sync + 'static) -> Self {
        self.add = Some(Box::new(add));
        self
    }

    /// Calls `update` for [`EventHandler::on_update`].
    #[must_use]
    pub fn on_update(mut self, update: impl Fn(&Arc<K>, &Arc<K>) + Send + Sync + 'static) -> Self {
        self.update = Some(Box::new(update));
        self
    }

    /// Calls `delete` for [`EventHandler::on_delete`].
    #[must_use]
    pub fn on_delete(mut self, delete: impl Fn(&Deleted<K>) + Send + Sync + 'static) -> Self {
        self.delete = Some(Box::new(delete));
        self
    }

    /// Calls `leave` for [`EventHandler::on_leave`].
    #[must_use]
    pub fn on_leave(mut self, leave: impl Fn(&Arc<K>) + Send + Sync + 'static) -> Self {
        self.leave = Some(Box::new(leave));
        self
    }
}

impl<K> std::fmt::Debug for HandlerFuncs<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HandlerFuncs")
            .field("add", &self.add.is_some())
            .field("update", &self.update.is_some())
            .field("delete", &self.delete.is_some())
            .field("leave", &self.leave.is_some())
            .finish()
    }
}

impl<K: 'static> EventHandler<K> for HandlerFuncs<K> {
    fn on_add(&self, object: &Arc<K>, is_in_initial_list: bool) {
        if let Some(add) = &self.add {
            add(object, is_in_initial_list);
        }
    }

    fn on_update(&self, old: &Arc<K>, new: &Arc<K>) {
        if let Some(update) = &self.update {
            update(old, new);
        }
    }

    fn on_delete(&self, deleted: &Deleted<K>) {
        if let Some(delete) = &self.delete {
            delete(deleted);
        }
    }

    fn on_leave(&self, object: &Arc<K>) {
        if let Some(leave) = &self.leave {
            leave(object);
        }
    }
}
