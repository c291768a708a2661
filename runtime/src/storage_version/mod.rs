//! Storage migration: rewrites the objects that are stored in an older version of their kind, so
//! that the version can be removed from its CustomResourceDefinition.
//!
//! A new storage version changes how objects are written, not those that are stored. The API server
//! names every version in which objects may still be stored in `status.storedVersions`, and refuses
//! to remove one of them. [`StorageMigration`] is a controller that sends an empty patch for each
//! object of such a kind, upon which the API server writes it in the storage version, moves
//! `managedFields` of versions that are no longer served (with which server-side apply fails), and
//! then takes the old versions off the list.
//!
//! ```no_run
//! # use codegen_runtime::{informer::SharedInformerFactory, kube::Client, metrics::Metrics};
//! use codegen_runtime::storage_version::StorageMigration;
//!
//! # fn example(client: &Client, factory: &SharedInformerFactory, metrics: &Metrics)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! let migration = StorageMigration::of(["machines.example.com"]).metrics(metrics);
//! let controller = migration.controller(client, factory)?; // for the manager, under leader election
//! # let _ = controller;
//! # Ok(())
//! # }
//! ```
//!
//! Guarantees:
//!
//! - An object is never changed: a patch that changes nothing is written by the API server if, and
//!   only if, it is stored in another version. Others may write it at the same time.
//! - A version is taken off the list only after every object that existed when the pass began was
//!   written or is gone, and if the CustomResourceDefinition has not changed since. If an object
//!   cannot be written (a webhook or a rule refuses it), the others are, the version stays on the
//!   list, and the error names the object.
//! - The process may end at any time: the position in the list is an annotation of the
//!   CustomResourceDefinition ([`PROGRESS`]), at which the next leader goes on.
//!
//! Limit: with several API servers, one that has not yet seen the new storage version may write the
//! old one for some seconds after the change, as with other migrators. Change the storage version
//! and start the migration in different roll-outs.
//!
//! The program's role needs `get`, `list`, `watch` and `patch` of `customresourcedefinitions`,
//! `patch` of `customresourcedefinitions/status`, and `list`, `get` and `patch` of the kinds.

mod managers;
mod objects;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, PartialObjectMeta, Patch, PatchParams};
use kube::{Client, ResourceExt};
use serde_json::json;
use tokio::sync::Mutex;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use self::objects::Objects;
use self::plan::{Plan, Record};
use crate::controller::{
    Action, BuildError, Change, Controller, ErrorPolicy, Predicate, Reconciler, Request,
};
use crate::error::chain;
use crate::informer::SharedInformerFactory;
use crate::metrics::{Metrics, MigrationMetrics};

pub use self::plan::Progress;
pub use crate::keys::MIGRATION_PROGRESS as PROGRESS;

/// The time between two passes over a kind with an object that cannot be written.
const RETRY: Duration = Duration::from_secs(300);

/// Objects of one request for a part of the list.
const PAGE: u32 = 500;

/// Patches a second.
const RATE: NonZeroU32 = NonZeroU32::new(50).unwrap();

type Metadata = PartialObjectMeta<CustomResourceDefinition>;

/// Why a kind is not migrated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MigrationError {
    /// A request failed.
    #[error(transparent)]
    Api(#[from] kube::Error),
    /// No version is served, so no object can be read.
    #[error("{0} serves no version, so its objects cannot be read: serve one, at least for now")]
    NotServed(String),
    /// Objects could not be written.
    #[error(
        "{failed} of the objects of {crd} cannot be written, so {versions} stays among its stored \
         versions; the first: {first}"
    )]
    Objects {
        /// The name of the CustomResourceDefinition.
        crd: String,
        /// How many.
        failed: u64,
        /// The versions that stay, separated by commas.
        versions: String,
        /// The key of the first, and why.
        first: String,
    },
}

/// What a step of a migration did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// There is nothing to migrate.
    Nothing,
    /// A part of the objects was written; call again.
    Part(Progress),
    /// All objects were written, and the old versions are off the list.
    Done(Progress),
}

/// Migrates the stored objects of kinds: see the [module](self).
#[derive(Debug)]
pub struct StorageMigration {
    crds: Arc<BTreeSet<String>>,
    rate: NonZeroU32,
    page: u32,
    metrics: Option<Metrics>,
}

impl StorageMigration {
    /// Creates a migration of the kinds whose CustomResourceDefinitions have these names
    /// (`machines.example.com`). One that does not exist is waited for.
    pub fn of(crds: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            crds: Arc::new(crds.into_iter().map(Into::into).collect()),
            rate: RATE,
            page: PAGE,
            metrics: None,
        }
    }

    /// Sets how many objects are written a second, over all kinds; 50 by default.
    pub fn objects_per_second(mut self, rate: NonZeroU32) -> Self {
        self.rate = rate;
        self
    }

    /// Sets how many objects are read at a time; 500 by default. After each such part the position
    /// is saved.
    pub fn page_size(mut self, page: NonZeroU32) -> Self {
        self.page = page.get();
        self
    }

    /// Counts in the `storage_migration_*` series.
    pub fn metrics(mut self, metrics: &Metrics) -> Self {
        self.metrics = Some(metrics.clone());
        self
    }

    /// Returns the controller `storage-migration`, which watches the metadata of
    /// CustomResourceDefinitions and needs leader election.
    ///
    /// # Errors
    ///
    /// See [`Builder::build`](crate::controller::Builder::build).
    pub fn controller(
        self,
        client: &Client,
        factory: &SharedInformerFactory,
    ) -> Result<Controller, BuildError> {
        let informer = factory.metadata_informer::<CustomResourceDefinition>();
        let crds = Arc::clone(&self.crds);
        let named = Predicate::new(move |change: &Change<'_, Metadata>| {
            crds.contains(&change.object().name_any())
        });
        let mut builder = Controller::builder("storage-migration", factory);
        if let Some(metrics) = &self.metrics {
            builder = builder.metrics(metrics);
        }
        builder
            .for_informer(&informer, named)
            .build(self.migrator(client))
    }

    /// Returns what does the work, for programs without a manager.
    pub fn migrator(self, client: &Client) -> Migrator {
        let mut pace = interval(Duration::from_secs(1) / self.rate.get());
        pace.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Migrator {
            client: client.clone(),
            pace: Mutex::new(pace),
            page: self.page,
            metrics: self.metrics.unwrap_or_default(),
            series: parking_lot::Mutex::default(),
        }
    }
}

/// Migrates one kind at a time: the reconciler of [`StorageMigration::controller`].
pub struct Migrator {
    client: Client,
    pace: Mutex<Interval>,
    page: u32,
    metrics: Metrics,
    /// Of the kinds that were migrated; series last as long as their handles.
    series: parking_lot::Mutex<BTreeMap<String, MigrationMetrics>>,
}

impl Migrator {
    /// Migrates a kind to its end. `crd` is the name of its CustomResourceDefinition.
    ///
    /// # Errors
    ///
    /// The first error; a second call goes on where this one ended.
    pub async fn finish(&self, crd: &str) -> Result<Step, MigrationError> {
        loop {
            match self.step(crd).await? {
                Step::Part(_) => {}
                end => return Ok(end),
            }
        }
    }

    /// Writes the next part of a kind's objects, and saves the position; after the last part, takes
    /// the old versions off the list.
    ///
    /// # Errors
    ///
    /// A request failed. [`MigrationError::Objects`] ends a pass; the next call begins another.
    pub async fn step(&self, crd: &str) -> Result<Step, MigrationError> {
        let api: Api<CustomResourceDefinition> = Api::all(self.client.clone());
        let Some(definition) = api.get_opt(crd).await? else {
            return Ok(Step::Nothing);
        };
        let Some(plan) = Plan::of(&definition)? else {
            if Record::is_in(&definition) {
                save(&api, crd, None).await?;
            }
            return Ok(Step::Nothing);
        };
        let metrics = self.series(crd);
        let record = self.part(&plan, &metrics).await?;
        if record.continues() {
            save(&api, crd, Some(&record)).await?;
            return Ok(Step::Part(record.progress));
        }
        if let Some(first) = record.first_failure {
            save(&api, crd, None).await?;
            return Err(MigrationError::Objects {
                crd: crd.to_owned(),
                failed: record.progress.failed,
                versions: plan.old.join(", "),
                first,
            });
        }
        if !take_off(&api, &plan).await? {
            return Ok(Step::Part(record.progress));
        }
        save(&api, crd, None).await?;
        metrics.ended();
        tracing::info!(crd, written = record.progress.written, versions = ?plan.old, "storage migrated");
        Ok(Step::Done(record.progress))
    }

    fn series(&self, crd: &str) -> MigrationMetrics {
        let mut series = self.series.lock();
        let new = || self.metrics.storage_migration(crd);
        series.entry(crd.to_owned()).or_insert_with(new).clone()
    }

    /// Writes the objects of one page; returns the record after it.
    async fn part(
        &self,
        plan: &Plan,
        metrics: &MigrationMetrics,
    ) -> Result<Record, MigrationError> {
        let mut record = plan.record.clone();
        if record.progress == Progress::default() {
            tracing::info!(crd = plan.crd, versions = ?plan.old, "storage migration begins");
        }
        metrics.began();
        let objects = Objects::of(&self.client, plan);
        let (page, next) = objects.page(self.page, record.position.as_deref()).await?;
        for object in page {
            self.pace.lock().await.tick().await;
            match objects.write(&object, &plan.versions).await {
                Ok(()) => {
                    record.progress.written += 1;
                    metrics.wrote();
                }
                Err(error) => {
                    let why = chain(&error);
                    let key = objects::key(&object);
                    tracing::warn!(crd = plan.crd, object = key, error = %why, "cannot be written");
                    record.progress.failed += 1;
                    metrics.failed();
                    record.first_failure.get_or_insert(format!("{key}: {why}"));
                }
            }
        }
        record.position = next;
        Ok(record)
    }
}

impl fmt::Debug for Migrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Migrator").finish_non_exhaustive()
    }
}

/// Saves the position, or removes it. The metadata alone changes, which needs no precondition: a
/// record of another generation is ignored.
async fn save(
    api: &Api<CustomResourceDefinition>,
    crd: &str,
    record: Option<&Record>,
) -> Result<(), MigrationError> {
    let record = record.map(Record::text);
    let patch = json!({"metadata": {"annotations": {PROGRESS: record}}});
    let params = PatchParams::default();
    api.patch_metadata(crd, &params, &Patch::Merge(patch))
        .await?;
    Ok(())
}

/// Takes the old versions off the list, if the CustomResourceDefinition is still the one of the
/// plan; returns whether it is.
async fn take_off(
    api: &Api<CustomResourceDefinition>,
    plan: &Plan,
) -> Result<bool, MigrationError> {
    let Some(now) = api.get_opt(&plan.crd).await? else {
        return Ok(false);
    };
    if !plan.is_of(&now) {
        return Ok(false);
    }
    // The version makes the server refuse if the definition changed since.
    let patch = json!({
        "metadata": {"resourceVersion": now.resource_version()},
        "status": {"storedVersions": [plan.versions.storage]},
    });
    let params = PatchParams::default();
    api.patch_status(&plan.crd, &params, &Patch::Merge(patch))
        .await?;
    Ok(true)
}

impl Reconciler for Migrator {
    type Error = MigrationError;

    async fn reconcile(&self, request: Request) -> Result<Action, MigrationError> {
        let began = Instant::now();
        let step = self.step(request.key.name()).await?;
        tracing::debug!(crd = request.key.name(), ?step, took = ?began.elapsed(), "storage migration");
        Ok(match step {
            Step::Part(_) => Action::requeue_after(Duration::ZERO),
            Step::Nothing | Step::Done(_) => Action::done(),
        })
    }

    fn error_policy(&self, _request: &Request, error: &MigrationError) -> ErrorPolicy {
        match error {
            MigrationError::Api(_) => ErrorPolicy::Retry,
            MigrationError::Objects { .. } => ErrorPolicy::RetryAfter(RETRY),
            // A change of the definition leads to another try.
            MigrationError::NotServed(_) => ErrorPolicy::Terminal,
        }
    }
}
