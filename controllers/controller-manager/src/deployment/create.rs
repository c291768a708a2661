//! Creates the replica set for a new template.

use std::sync::Arc;

use codegen_runtime::controller::Action;
use codegen_runtime::error::{self, chain};
use codegen_runtime::k8s_openapi::api::apps::v1::{ReplicaSet, ReplicaSetSpec};
use codegen_runtime::kube::Error;
use codegen_runtime::kube::api::{ObjectMeta, PostParams};
use codegen_runtime::owner::{is_controlled_by, set_controller_reference};

use super::conditions::{self, PROGRESSING, reason};
use super::limits::is_rolling;
use super::revision::{annotate, next, set_replicas};
use super::rollout::{Rollout, name};
use super::sets::{Set, size, total};
use super::template::{HASH_LABEL, equal, hash};
use super::{rolling, status};
use crate::replicaset::reconcile::is_terminating_namespace;

/// The maximum length of an object's name.
const MAX_NAME: usize = 253;

impl Rollout<'_> {
    /// Returns the new replica set and creates it if it does not exist; `Err` is the action to take
    /// when it could not be created.
    pub(super) async fn ensure_new(&mut self) -> Result<Result<Set, Action>, Error> {
        if let Some(new) = &self.new {
            return Ok(Ok(new.clone()));
        }
        let Some(planned) = self.plan() else {
            return Ok(Err(Action::done()));
        };
        let created = match self.sets().create(&planned, &PostParams::default()).await {
            Ok(created) => {
                self.cx.own_sets.record(self.key, &created);
                self.note_creation(&created);
                created
            }
            Err(Error::Api(answer)) if answer.is_already_exists() => {
                match self.existing(name(&planned)).await? {
                    Some(existing) => existing,
                    None => return self.collide().await.map(Err),
                }
            }
            Err(error) if is_terminating_namespace(&error) => return Ok(Err(Action::done())),
            Err(error) => return Err(self.fail(name(&planned), error).await),
        };
        let created: Set = Arc::new(created);
        self.new = Some(created.clone());
        self.adopt_revision();
        Ok(Ok(created))
    }

    /// Builds the replica set to create.
    fn plan(&self) -> Option<ReplicaSet> {
        let collisions = self
            .draft
            .status
            .as_ref()
            .and_then(|status| status.collision_count);
        let mut template = self.draft.spec.template.clone();
        let hash = hash(&template, collisions);
        let labels = template
            .metadata
            .get_or_insert_default()
            .labels
            .get_or_insert_default();
        labels.insert(HASH_LABEL.to_owned(), hash.clone());
        let labels = labels.clone();
        let mut selector = self.draft.spec.selector.clone();
        selector
            .match_labels
            .get_or_insert_default()
            .insert(HASH_LABEL.to_owned(), hash.clone());
        let own = self.draft.metadata.name.as_deref().unwrap_or_default();
        let prefix: String = own.chars().take(MAX_NAME - 1 - hash.len()).collect();
        let size = if is_rolling(&self.draft) {
            rolling::new_size(self.limits, total(&self.old), 0)
        } else {
            self.limits.replicas
        };
        let mut set = ReplicaSet {
            metadata: ObjectMeta {
                name: Some(format!("{prefix}-{hash}")),
                namespace: self.draft.metadata.namespace.clone(),
                labels: Some(labels),
                ..ObjectMeta::default()
            },
            spec: ReplicaSetSpec {
                replicas: Some(size),
                min_ready_seconds: self.draft.spec.min_ready_seconds,
                selector,
                template: Some(template),
            },
            status: None,
        };
        set_controller_reference(&self.draft, &mut set).ok()?;
        annotate(&self.draft, &mut set, next(&self.old));
        set_replicas(&mut set, self.limits);
        Some(set)
    }

    fn note_creation(&mut self, created: &ReplicaSet) {
        if size(created) > 0 {
            self.note_scaling(created, 0, size(created));
        }
        if status::deadline(&self.draft).is_some() {
            let message = format!("Created new replica set {:?}", name(created));
            let condition =
                conditions::new(PROGRESSING, "True", reason::CREATED, message, self.now);
            conditions::set(self.draft.status.get_or_insert_default(), condition);
        }
    }

    /// Returns the replica set `name` if it belongs to this deployment and has its template: an
    /// earlier reconciliation created it, and the cache does not show it yet.
    async fn existing(&self, name: &str) -> Result<Option<ReplicaSet>, Error> {
        let existing = self.sets().get_opt(name).await?;
        Ok(existing.filter(|set| {
            let template = set.spec.template.as_ref();
            is_controlled_by(set, &self.draft)
                && template.is_some_and(|template| equal(template, &self.draft.spec.template))
        }))
    }

    /// Handles a name taken by another template or owner: the next attempt hashes with a higher
    /// collision count.
    async fn collide(&mut self) -> Result<Action, Error> {
        let count = &mut self.draft.status.get_or_insert_default().collision_count;
        *count = Some(count.unwrap_or(0).saturating_add(1));
        tracing::info!(deployment = %self.key, count = *count, "the hash of the template is taken; trying the next one");
        self.write_status().await?;
        Ok(Action::requeue())
    }

    /// Reports that the replica set could not be created, and returns the error.
    async fn fail(&mut self, name: &str, error: Error) -> Error {
        let text = error::message(&error);
        let message = format!("Failed to create new replica set {name:?}: {text}");
        self.cx
            .recorder
            .warning(&self.draft, reason::CREATE_ERROR, "Create", message.clone());
        if status::deadline(&self.draft).is_some() {
            let condition = conditions::new(
                PROGRESSING,
                "False",
                reason::CREATE_ERROR,
                message,
                self.now,
            );
            conditions::set(self.draft.status.get_or_insert_default(), condition);
            if let Err(second) = self.write_status().await {
                tracing::debug!(deployment = %self.key, error = %chain(&second), "the failure could not be written");
            }
        }
        error
    }
}
