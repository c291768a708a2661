//! The requests for a kind's objects, of which only the metadata is read.

use kube::api::{
    Api, DynamicObject, ListParams, ObjectMeta, PartialObjectMeta, Patch, PatchParams,
};
use kube::{Client, ResourceExt};
use serde_json::json;

use super::managers::moved;
use super::plan::{Plan, Versions};
use crate::store::ObjectKey;

type Metadata = PartialObjectMeta<DynamicObject>;

/// Tries of one object that others write at the same time.
const TRIES: usize = 5;

pub(super) struct Objects<'a> {
    client: &'a Client,
    plan: &'a Plan,
}

impl<'a> Objects<'a> {
    pub(super) fn of(client: &'a Client, plan: &'a Plan) -> Self {
        Self { client, plan }
    }

    /// Returns a part of the list and the token of the next one.
    ///
    /// A token whose list the server no longer has leads on in the list as it is now: objects that
    /// are new since then are stored in the storage version anyway.
    pub(super) async fn page(
        &self,
        limit: u32,
        token: Option<&str>,
    ) -> Result<(Vec<Metadata>, Option<String>), kube::Error> {
        let api: Api<DynamicObject> = Api::all_with(self.client.clone(), &self.plan.resource);
        let mut params = ListParams::default().limit(limit);
        params.continue_token = token.map(str::to_owned);
        let mut answer = api.list_metadata(&params).await;
        if let Some(expired) = answer.as_ref().err().and_then(expired) {
            params.continue_token = expired.filter(|token| !token.is_empty());
            answer = api.list_metadata(&params).await;
        }
        let list = answer?;
        let next = list.metadata.continue_.filter(|token| !token.is_empty());
        Ok((list.items, next))
    }

    /// Lets the server write an object in the storage version, and moves its managers of versions
    /// that are not served. An object that is gone is no error.
    pub(super) async fn write(
        &self,
        listed: &Metadata,
        versions: &Versions,
    ) -> Result<(), kube::Error> {
        let api: Api<DynamicObject> = match listed.metadata.namespace.as_deref() {
            Some(namespace) => {
                Api::namespaced_with(self.client.clone(), namespace, &self.plan.resource)
            }
            None => Api::all_with(self.client.clone(), &self.plan.resource),
        };
        let name = listed.name_any();
        let mut metadata = listed.metadata.clone();
        for _ in 1..TRIES {
            match patch(&api, &name, &metadata, versions).await {
                Err(kube::Error::Api(status)) if status.code == 409 => {}
                answer => return unless_gone(answer),
            }
            match api.get_metadata_opt(&name).await? {
                Some(now) => metadata = now.metadata,
                None => return Ok(()),
            }
        }
        unless_gone(patch(&api, &name, &metadata, versions).await)
    }
}

async fn patch(
    api: &Api<DynamicObject>,
    name: &str,
    metadata: &ObjectMeta,
    versions: &Versions,
) -> Result<(), kube::Error> {
    let managers = metadata.managed_fields.as_deref().unwrap_or_default();
    let patch = match moved(managers, versions) {
        // The version makes the server refuse if another client wrote in between.
        Some(moved) => json!({"metadata": {
            "managedFields": moved,
            "resourceVersion": metadata.resource_version,
            "uid": metadata.uid,
        }}),
        None => json!({}),
    };
    let params = PatchParams::default();
    api.patch_metadata(name, &params, &Patch::Merge(patch))
        .await
        .map(drop)
}

fn unless_gone(answer: Result<(), kube::Error>) -> Result<(), kube::Error> {
    match answer {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        answer => answer,
    }
}

/// Returns the token with which a list goes on that has expired; `Some(None)` begins it anew.
fn expired(error: &kube::Error) -> Option<Option<String>> {
    let kube::Error::Api(status) = error else {
        return None;
    };
    (status.code == 410).then(|| status.metadata.as_ref()?.continue_.clone())
}

pub(super) fn key(object: &Metadata) -> String {
    ObjectKey::of(object).to_string()
}
