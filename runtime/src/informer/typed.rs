//! A factory's informer of one kind, as generated code exposes it.

use std::fmt;
use std::marker::PhantomData;

use super::{NotStarted, SharedInformer, SharedInformerFactory};
use crate::lister::Lister;
use crate::object::Object;

/// The informer of `K` from a factory, with `L` as its lister. Cloning is cheap.
///
/// The informer is created by the first call of [`informer`](Self::informer) or
/// [`lister`](Self::lister).
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
    /// Refers to the informer of `factory`.
    #[must_use]
    pub fn new(factory: SharedInformerFactory) -> Self {
        Self {
            factory,
            types: PhantomData,
        }
    }
}

impl<K: Object, L: From<Lister<K>>> TypedInformer<K, L> {
    /// Returns the informer, the same one at every call. It runs after the factory's next
    /// [`start`](SharedInformerFactory::start).
    #[must_use]
    pub fn informer(&self) -> SharedInformer<K> {
        self.factory.informer_for()
    }

    /// Returns a lister, which reads the informer's cache. Creates the informer if the factory has
    /// not been started.
    ///
    /// # Errors
    ///
    /// [`NotStarted`]: the factory was started without this informer, so that the lister would stay
    /// empty.
    pub fn lister(&self) -> Result<L, NotStarted> {
        Ok(self.factory.lister_for()?.into())
    }
}
