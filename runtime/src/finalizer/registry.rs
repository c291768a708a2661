//! Several finalizers of one kind, each with its clean-up.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;

use super::{add, contains, is_deleting, remove};
use crate::error::message;

/// The effect of the clean-ups on the object in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Finalized {
    /// Metadata or spec changed: the caller must update the object.
    pub updated: bool,
    /// The status changed: the caller must update the status.
    pub status_updated: bool,
}

impl Finalized {
    fn merge(&mut self, other: Self) {
        self.updated |= other.updated;
        self.status_updated |= other.status_updated;
    }
}

/// The clean-up for one finalizer.
pub trait Finalize<K>: Send + Sync {
    /// The error of a clean-up.
    type Error: Into<Box<dyn Error + Send + Sync>> + Send;

    /// Cleans up what `object` created elsewhere; returns whether it changed `object`. Called again
    /// until it succeeds, so it must be idempotent.
    fn finalize(
        &self,
        object: &mut K,
    ) -> impl Future<Output = Result<Finalized, Self::Error>> + Send;
}

/// A finalizer of this name is already registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("finalizer for key {0:?} is already registered")]
pub struct RegisterError(
    /// The finalizer.
    pub String,
);

/// Some clean-ups failed; the others were completed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("finalizers failed: {}", .failed.join("; "))]
pub struct FinalizeError {
    /// One `name: error` per failed clean-up.
    pub failed: Vec<String>,
    /// The changes of the completed clean-ups, which must be written.
    pub finalized: Finalized,
}

/// Finalizers by name; they run in the order of their names.
pub struct Finalizers<K> {
    finalizers: BTreeMap<String, Box<dyn Erased<K>>>,
}

trait Erased<K>: Send + Sync {
    fn call<'a>(&'a self, object: &'a mut K) -> BoxFuture<'a, Result<Finalized, String>>;
}

impl<K: Send, F: Finalize<K>> Erased<K> for F {
    fn call<'a>(&'a self, object: &'a mut K) -> BoxFuture<'a, Result<Finalized, String>> {
        async move {
            self.finalize(object)
                .await
                .map_err(|error| message(&*error.into()))
        }
        .boxed()
    }
}

impl<K: Resource + Send> Finalizers<K> {
    /// Creates an empty registry.
    pub fn new() -> Self {
        Self {
            finalizers: BTreeMap::new(),
        }
    }

    /// Adds the finalizer `name`.
    ///
    /// # Errors
    ///
    /// The name is already registered.
    pub fn register(
        &mut self,
        name: &str,
        finalizer: impl Finalize<K> + 'static,
    ) -> Result<&mut Self, RegisterError> {
        if self.finalizers.contains_key(name) {
            return Err(RegisterError(name.to_owned()));
        }
        self.finalizers.insert(name.to_owned(), Box::new(finalizer));
        Ok(self)
    }

    /// Adds all finalizers to `object`; if it is being deleted, runs the clean-up of each finalizer
    /// that it has, and removes those that succeeded. Sends no request: the result states what the
    /// caller must write.
    ///
    /// # Errors
    ///
    /// Some clean-ups failed; their finalizers stay.
    pub async fn finalize(&self, object: &mut K) -> Result<Finalized, FinalizeError> {
        let (mut finalized, mut failed) = (Finalized::default(), Vec::new());
        for (name, finalizer) in &self.finalizers {
            if !is_deleting(object) {
                finalized.updated |= add(object, name);
            } else if contains(object, name) {
                match finalizer.call(object).await {
                    Ok(done) => {
                        finalized.merge(done);
                        finalized.updated |= remove(object, name);
                    }
                    Err(error) => failed.push(format!("{name}: {error}")),
                }
            }
        }
        if failed.is_empty() {
            Ok(finalized)
        } else {
            Err(FinalizeError { failed, finalized })
        }
    }
}

impl<K: Resource + Send> Default for Finalizers<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> fmt::Debug for Finalizers<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.finalizers.keys()).finish()
    }
}
