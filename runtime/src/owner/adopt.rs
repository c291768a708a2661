//! Adopts and releases objects by their labels, like client-go's `ControllerRefManager`s.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::Arc;

use kube::api::{Patch, PatchParams};
use kube::core::{Selector, SelectorExt, Status};
use kube::{Api, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::{controller_of, is_controlled_by, reference, remove_owner_reference};
use crate::client::{self, Endpoint, retry_after};

/// Determines the objects that belong to an owner: controlled objects that match the selector, and
/// matching orphans (which it adopts). Controlled objects that no longer match are released.
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
    /// Creates a manager for `owner`, whose objects match `selector`. `owners` and `objects` must
    /// be clients for the owner's namespace.
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
    /// An owner that is being deleted adopts no objects. Before the first adoption the owner is
    /// read from the server. Every write carries the uid and resourceVersion that the decision was
    /// based on. As in client-go, an object that cannot be written does not keep the others from
    /// being adopted and released.
    ///
    /// # Errors
    ///
    /// The first of the server's errors, including conflicts. Objects that were deleted meanwhile
    /// are not an error. If the server asks to wait, or does not respond, no more objects are
    /// written.
    ///
    /// A conflict, if the server shows that the owner is being deleted, is gone, or was replaced by
    /// another object with its name. The owner is outdated then, and what it lacks must not be
    /// created: its objects may just have been orphaned (client-go's `CanAdopt`).
    pub async fn claim(
        &self,
        objects: impl IntoIterator<Item = Arc<K>>,
    ) -> Result<Vec<Arc<K>>, kube::Error> {
        let (mut claimed, mut failed, mut may_adopt) = (Vec::new(), None, None);
        for object in objects {
            match self.claim_one(object, &mut may_adopt).await {
                Ok(object) => claimed.extend(object),
                Err(error) if concerns_one_object(&error) => {
                    failed.get_or_insert(error);
                }
                Err(error) => return Err(error),
            }
        }
        failed.map_or(Ok(claimed), Err)
    }

    /// Returns `object` if it belongs to the owner. `may_adopt` is the result of the check of the
    /// owner, once it was made.
    async fn claim_one(
        &self,
        object: Arc<K>,
        may_adopt: &mut Option<bool>,
    ) -> Result<Option<Arc<K>>, kube::Error> {
        let labels = object.meta().labels.as_ref();
        let matches = self.selector.matches(labels.unwrap_or(&BTreeMap::new()));
        let ending = self.owner.meta().deletion_timestamp.is_some();
        if controller_of(&*object).is_some() {
            let is_own = is_controlled_by(&*object, self.owner);
            if is_own && !matches && !ending {
                self.release(&object).await?;
            }
            return Ok(Some(object).filter(|_| is_own && matches));
        }
        if !matches || ending || object.meta().deletion_timestamp.is_some() {
            return Ok(None);
        }
        if may_adopt.is_none() {
            // If the check fails, its error is that of the first orphan.
            *may_adopt = Some(false);
            self.check_current().await?;
            *may_adopt = Some(true);
        }
        if *may_adopt == Some(false) {
            return Ok(None);
        }
        Ok(self.adopt(&object).await?.map(Arc::new))
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
        // As in client-go's strategic merge patch, a reference without `controller` to the same
        // owner becomes this one.
        let mut owned = object.clone();
        let references = owned.meta_mut().owner_references.get_or_insert_default();
        references.retain(|other| other.uid != reference.uid);
        references.push(reference);
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

/// Whether the server refused a write because of the object, so that others may succeed.
fn concerns_one_object(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(_)) && retry_after(error).is_none()
}
