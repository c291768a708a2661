//! Adopts and releases objects by their labels, like client-go's `ControllerRefManager`s.

use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Patch, PatchParams};
use kube::core::{Selector, SelectorExt};
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
    /// Before the first adoption the owner is read from the server: an owner that is being deleted, or was replaced by another
    /// object with its name, adopts no objects. Every write carries the uid and resourceVersion that the decision was based on.
    ///
    /// # Errors
    ///
    /// The server's, including conflicts. Objects that were deleted meanwhile are not an error.
    pub async fn claim(
        &self,
        objects: impl IntoIterator<Item = Arc<K>>,
    ) -> Result<Vec<Arc<K>>, kube::Error> {
        let (mut claimed, mut may_adopt) = (Vec::new(), None);
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
            let may_adopt = match may_adopt {
                Some(known) => known,
                None => *may_adopt.insert(self.may_adopt().await?),
            };
            if may_adopt && let Some(adopted) = self.adopt(&object).await? {
                claimed.push(Arc::new(adopted));
            }
        }
        Ok(claimed)
    }

    async fn may_adopt(&self) -> Result<bool, kube::Error> {
        let name = self.owner.meta().name.as_deref().unwrap_or_default();
        let fresh = Endpoint::of(&self.owners).get_opt(name).await?;
        let fresh: Option<O> = fresh.map(|fresh| client::object(&fresh)).transpose()?;
        Ok(fresh.is_some_and(|fresh| {
            fresh.meta().uid == self.owner.meta().uid && fresh.meta().deletion_timestamp.is_none()
        }))
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
