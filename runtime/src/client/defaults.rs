//! Short forms of the verbs, for callers that pass no parameters, or the same ones to every call.

use std::fmt;
use std::ops::Deref;

use kube::api::{DeleteParams, ListParams, ObjectList, PostParams};
use kube::core::Status;

use super::{Either, Result, TypedClient, verbs};
use crate::object::Object;

/// A typed client whose methods take no parameters and whose writes share the same ones; see
/// [`TypedClient::defaults`]. For methods without a short form use the [`TypedClient`].
pub struct Defaults<K, V = verbs::All> {
    client: TypedClient<K, V>,
    params: PostParams,
}

impl<K: Clone, V> TypedClient<K, V> {
    /// Returns a client with short forms of the verbs: `create(&object)` for
    /// `create(&object, &PostParams::default())`.
    ///
    /// ```
    /// # async fn example(client: kube::Client) -> Result<(), kube::Error> {
    /// use codegen_runtime::client::TypedClient;
    /// use k8s_openapi::api::core::v1::ConfigMap;
    ///
    /// let maps = TypedClient::<ConfigMap>::namespaced(client, "default")
    ///     .defaults()
    ///     .field_manager("settings-controller");
    /// for map in maps.list().await? {
    ///     maps.update(&map).await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn defaults(&self) -> Defaults<K, V> {
        Defaults {
            client: self.clone(),
            params: PostParams::default(),
        }
    }
}

impl<K, V> Defaults<K, V> {
    /// Writes under the specified field manager instead of the client's `User-Agent`.
    #[must_use]
    pub fn field_manager(mut self, name: impl Into<String>) -> Self {
        self.params.field_manager = Some(name.into());
        self
    }

    /// Makes every write a dry run: the API server checks each request and answers as if it had
    /// been stored.
    #[must_use]
    pub fn dry_run(mut self) -> Self {
        self.params.dry_run = true;
        self
    }
}

impl<K: Object, V> Defaults<K, V> {
    /// Calls [`TypedClient::create`].
    ///
    /// # Errors
    ///
    /// See [`TypedClient::create`].
    pub async fn create(&self, new: &K) -> Result<K>
    where
        V: verbs::Create,
    {
        self.client.create(new, &self.params).await
    }

    /// Calls [`TypedClient::update`].
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update`].
    pub async fn update(&self, new: &K) -> Result<K>
    where
        V: verbs::Update,
    {
        self.client.update(new, &self.params).await
    }

    /// Calls [`TypedClient::update_status`].
    ///
    /// # Errors
    ///
    /// See [`TypedClient::update_status`].
    pub async fn update_status(&self, new: &K) -> Result<K>
    where
        V: verbs::UpdateStatus,
    {
        self.client.update_status(new, &self.params).await
    }

    /// Calls [`TypedClient::delete`], with the kind's default propagation.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::delete`].
    pub async fn delete(&self, name: &str) -> Result<Either<K, Status>>
    where
        V: verbs::Delete,
    {
        let params = DeleteParams {
            dry_run: self.params.dry_run,
            ..DeleteParams::default()
        };
        self.client.delete(name, &params).await
    }

    /// Calls [`TypedClient::list`] for all objects.
    ///
    /// # Errors
    ///
    /// See [`TypedClient::list`].
    pub async fn list(&self) -> Result<ObjectList<K>>
    where
        V: verbs::List,
    {
        self.client.list(&ListParams::default()).await
    }
}

impl<K, V> Deref for Defaults<K, V> {
    type Target = TypedClient<K, V>;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

impl<K: Clone, V> Clone for Defaults<K, V> {
    fn clone(&self) -> Self {
        Self {
            client: self.client.clone(),
            params: self.params.clone(),
        }
    }
}

impl<K, V> fmt::Debug for Defaults<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Defaults")
            .field("client", &self.client)
            .field("params", &self.params)
            .finish()
    }
}
