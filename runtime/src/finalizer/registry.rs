//! Several finalizers of one kind, each with its clean-up.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::Resource;

use super::{add, contains, is_deleting, remove};

/// The effect of a clean-up on the object in memory.
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

/// The clean-up behind one finalizer.
pub trait Finalize<K>: Send + Sync {
    /// Errors.
    type Error: fmt::Display + Send;

    /// Cleans up what `object` left outside, and says whether it changed `object`. Called again until it succeeds, so that it
    /// must be idempotent.
    fn finalize(
        &self,
        object: &mut K,
    ) -> impl Future<Output = Result<Finalized, Self::Error>> + Send;
}

/// The name is taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("finalizer for key {0:?} is already registered")]
pub struct RegisterError(
    /// The finalizer.
    pub String,
);

/// Some clean-ups failed. The others were done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("finalizers failed: {}", .failed.join("; "))]
pub struct FinalizeError {
    /// `name: error` of each.
    pub failed: Vec<String>,
    /// The remaining change, which must be written.
    pub finalized: Finalized,
}

/// Finalizers by name, run in the order of their names.
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
                .map_err(|error| format!("{error:#}"))
        }
        .boxed()
    }
}

impl<K: Resource + Send> Finalizers<K> {
    /// None yet.
    pub fn new() -> Self {
        Self {
            finalizers: BTreeMap::new(),
        }
    }

    /// Adds the finalizer `name`.
    ///
    /// # Errors
    ///
    /// If the name is taken.
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

    /// Adds all finalizers to `object`; if it is being deleted, runs the clean-up of each that it has, and removes those that
    /// succeeded. Nothing is sent: the result says what the caller must write.
    ///
    /// # Errors
    ///
    /// If some clean-ups failed; their finalizers stay.
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
