//! A factory's informer of one kind, as generated code names it.

use std::fmt;
use std::marker::PhantomData;

use super::{SharedInformer, SharedInformerFactory};
use crate::lister::Lister;
use crate::object::Object;

/// The informer of `K` that a factory holds, with `L` as its lister. Cloning is cheap.
///
/// Nothing is asked of the factory before [`informer`](Self::informer) or [`lister`](Self::lister) is called.
pub struct TypedInformer<K, L = Lister<K>> {
    factory: SharedInformerFactory,
    types: PhantomData<fn() -> (K, L)>,
}

impl<K, L> Clone for TypedInformer<K, L> {
    fn clone(&self) -> Self {
        Self::new(self.factory.clone())
    }
}

impl<K, L> fmt::Debug for TypedInformer<K, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TypedInformer")
            .field("factory", &self.factory)
            .finish_non_exhaustive()
    }
}

impl<K, L> TypedInformer<K, L> {
    /// The informer that `factory` holds.
    #[must_use]
    pub fn new(factory: SharedInformerFactory) -> Self {
        Self {
            factory,
            types: PhantomData,
        }
    }
}

impl<K: Object, L: From<Lister<K>>> TypedInformer<K, L> {
    /// The informer: the same one at every call. It runs after the factory's next [`start`](SharedInformerFactory::start).
    #[must_use]
    pub fn informer(&self) -> SharedInformer<K> {
        self.factory.informer_for()
    }

    /// Reads the informer's cache.
    #[must_use]
    pub fn lister(&self) -> L {
        self.informer().lister().into()
    }
}
