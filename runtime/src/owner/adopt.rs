//! Adopts and releases objects by their labels, like client-go's `ControllerRefManager`s.

use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Patch, PatchParams};
use kube::core::{Selector, SelectorExt, Status};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{controller_of, is_controlled_by, reference, remove_owner_reference};
use crate::client::{self, Endpoint};

/// Determines the objects that belong to an owner: controlled objects that match the selector, and matching orphans (which it
/// adopts). Controlled objects that no longer match are released.
#[derive(Debug)]
pub struct ControllerRefManager<'a, O, K> {
    owner: &'a O,
    owners: Api<O>,
    objects: Api<K>,
    selector: Selector,
}

impl<'a, O, K> ControllerRefManager<'a, O, K>
where
    O: Resource<DynamicType = ()> + Clone + DeserializeOwned + Debug,
    K: Resource + Clone + DeserializeOwned + Debug,
{
    /// Creates a manager for `owner`, whose objects match `selector`. `owners` and `objects` must be clients for the owner's namespace.
    pub fn new(owner: &'a O, owners: Api<O>, objects: Api<K>, selector: Selector) -> Self {
        Self {
            owner,
            owners,
            objects,
            selector,
        }
    }

    /// Returns those of `objects` that belong to the owner, after adopting and releasing as needed.
    ///
    /// An owner that is being deleted adopts no objects. Before the first adoption the owner is read from the server. Every write carries
    /// the uid and resourceVersion that the decision was based on.
    ///
    /// # Errors
    ///
    /// The server's, including conflicts. Objects that were deleted meanwhile are not an error.
    ///
    /// A conflict, if the server shows that the owner is being deleted, is gone, or was replaced by another object with its name. The
    /// owner is outdated then, and what it lacks must not be created: its objects may just have been orphaned (client-go's `CanAdopt`).
    pub async fn claim(
        &self,
        objects: impl IntoIterator<Item = Arc<K>>,
    ) -> Result<Vec<Arc<K>>, kube::Error> {
        let (mut claimed, mut is_current) = (Vec::new(), false);
        for object in objects {
            let matches = self
                .selector
                .matches(object.meta().labels.as_ref().unwrap_or(&Default::default()));
            if controller_of(&*object).is_some() {
                if !is_controlled_by(&*object, self.owner) {
                    continue;
                }
                if matches {
                    claimed.push(object);
                } else if self.owner.meta().deletion_timestamp.is_none() {
                    self.release(&object).await?;
                }
                continue;
            }
            let deleting = object.meta().deletion_timestamp.is_some()
                || self.owner.meta().deletion_timestamp.is_some();
            if !matches || deleting {
                continue;
            }
            if !is_current {
                self.check_current().await?;
                is_current = true;
            }
            if let Some(adopted) = self.adopt(&object).await? {
                claimed.push(Arc::new(adopted));
            }
        }
        Ok(claimed)
    }

    /// Checks that the owner on the server is this one, and is not being deleted.
    async fn check_current(&self) -> Result<(), kube::Error> {
        let name = self.owner.meta().name.as_deref().unwrap_or_default();
        let fresh = Endpoint::of(&self.owners).get_opt(name).await?;
        let fresh: Option<O> = fresh.map(|fresh| client::object(&fresh)).transpose()?;
        let is_current = fresh.is_some_and(|fresh| {
            fresh.meta().uid == self.owner.meta().uid && fresh.meta().deletion_timestamp.is_none()
        });
        if is_current {
            return Ok(());
        }
        let why = format!("cannot adopt: the owner {name:?} is being deleted, or is gone");
        Err(kube::Error::Api(
            Status::failure(&why, "Conflict").with_code(409).boxed(),
        ))
    }

    async fn adopt(&self, object: &K) -> Result<Option<K>, kube::Error> {
        let Ok(reference) = reference(self.owner, Some(true)) else {
            return Ok(None);
        };
        let mut owned = object.clone();
        owned
            .meta_mut()
            .owner_references
            .get_or_insert_default()
            .push(reference);
        self.write(&owned).await
    }

    async fn release(&self, object: &K) -> Result<(), kube::Error> {
        let mut orphan = object.clone();
        remove_owner_reference(self.owner, &mut orphan);
        self.write(&orphan).await.map(drop)
    }

    async fn write(&self, object: &K) -> Result<Option<K>, kube::Error> {
        let meta = object.meta();
        let patch = json!({"metadata": {
            "uid": meta.uid,
            "resourceVersion": meta.resource_version,
            "ownerReferences": meta.owner_references,
        }});
        let name = meta.name.as_deref().unwrap_or_default();
        let (patch, params) = (Patch::Merge(patch), PatchParams::default());
        let endpoint = Endpoint::of(&self.objects);
        let answer = endpoint.patch(name, &params, &patch);
        match answer.await {
            Ok(answer) => client::object(&answer).map(Some),
            Err(kube::Error::Api(status)) if status.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }
}
