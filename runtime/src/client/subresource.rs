//! Verbs with any input and result, for `+genclient:method=` and `scale`: on subresources, and for kinds that are requests.

use std::fmt::Debug;

use kube::api::{Patch, PatchParams, PostParams};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Result, Scale, TypedClient, json};
use crate::object::Object;

impl<K: Object> TypedClient<K> {
    /// Posts `input` where objects are created and reads the answer as an `R`: kinds that are requests, such as reviews,
    /// may take and return other types.
    pub async fn create_as<I: Serialize, R: DeserializeOwned>(
        &self,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let body = json(input)?;
        self.object(self.path().create(params, body)).await
    }

    /// Reads `subresource` of the named object as an `R`.
    pub async fn get_subresource<R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
    ) -> Result<R> {
        self.object(self.path().get_subresource(subresource, name))
            .await
    }

    /// Posts `input` to `subresource` of the named object (`pods/eviction`, `serviceaccounts/token`).
    pub async fn create_subresource<I: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let body = json(input)?;
        self.object(
            self.path()
                .create_subresource(subresource, name, params, body),
        )
        .await
    }

    /// Replaces `subresource` of the named object with `input`.
    pub async fn update_subresource<I: Serialize, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        input: &I,
        params: &PostParams,
    ) -> Result<R> {
        let body = json(input)?;
        self.object(
            self.path()
                .replace_subresource(subresource, name, params, body),
        )
        .await
    }

    /// Patches `subresource` of the named object.
    pub async fn patch_subresource<P: Serialize + Debug, R: DeserializeOwned>(
        &self,
        name: &str,
        subresource: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<R> {
        self.object(
            self.path()
                .patch_subresource(subresource, name, params, patch),
        )
        .await
    }

    /// Reads the scale of the named object.
    pub async fn get_scale(&self, name: &str) -> Result<Scale> {
        self.get_subresource(name, "scale").await
    }

    /// Replaces the scale of the named object.
    pub async fn update_scale(
        &self,
        name: &str,
        scale: &Scale,
        params: &PostParams,
    ) -> Result<Scale> {
        self.update_subresource(name, "scale", scale, params).await
    }

    /// Patches the scale of the named object.
    pub async fn patch_scale<P: Serialize + Debug>(
        &self,
        name: &str,
        params: &PatchParams,
        patch: &Patch<P>,
    ) -> Result<Scale> {
        self.patch_subresource(name, "scale", params, patch).await
    }
}
