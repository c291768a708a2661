//! What stands for `packed` without the feature: nothing is ever packed.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

/// An object that cannot exist.
pub(super) struct Packed<K>(Infallible, PhantomData<fn() -> K>);

impl<K> Packed<K> {
    pub(super) fn object(&self) -> Option<Arc<K>> {
        match self.0 {}
    }

    pub(super) fn uid(&self) -> Option<&str> {
        match self.0 {}
    }

    pub(super) fn resource_version(&self) -> Option<&str> {
        match self.0 {}
    }

    pub(super) fn labels(&self) -> BTreeMap<String, String> {
        match self.0 {}
    }
}

/// A packer that cannot exist.
pub(super) struct Packer<K>(Infallible, PhantomData<fn() -> K>);

impl<K> Packer<K> {
    pub(super) fn pack(&self, _: &Arc<K>) -> Option<Arc<Packed<K>>> {
        match self.0 {}
    }
}
