//! What there is to migrate of a kind, and how far that is.

use std::collections::BTreeSet;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::{
    CustomResourceDefinition, CustomResourceDefinitionVersion,
};
use kube::ResourceExt;
use kube::api::ApiResource;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{MigrationError, PROGRESS};

/// How many objects of a kind a pass has come to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Objects that were written, or gone.
    pub written: u64,
    /// Objects that could not be written.
    pub failed: u64,
}

/// The versions of a kind.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Versions {
    pub(super) group: String,
    pub(super) served: BTreeSet<String>,
    pub(super) storage: String,
    /// The version through which objects are read: the storage version if it is served.
    pub(super) request: String,
    /// The schema of that version.
    pub(super) schema: Value,
}

impl Versions {
    fn of(crd: &CustomResourceDefinition) -> Result<Self, MigrationError> {
        let versions = &crd.spec.versions;
        let served = |version: &&CustomResourceDefinitionVersion| version.served;
        let storage = versions.iter().find(|version| version.storage);
        let request = storage.filter(served).or(versions.iter().find(served));
        let (Some(storage), Some(request)) = (storage, request) else {
            return Err(MigrationError::NotServed(crd.name_any()));
        };
        let schema = request.schema.as_ref();
        let schema = schema.and_then(|it| it.open_api_v3_schema.as_ref());
        Ok(Self {
            group: crd.spec.group.clone(),
            served: versions
                .iter()
                .filter(served)
                .map(|it| it.name.clone())
                .collect(),
            storage: storage.name.clone(),
            request: request.name.clone(),
            schema: schema
                .and_then(|it| serde_json::to_value(it).ok())
                .unwrap_or_default(),
        })
    }
}

/// The migration of one kind, as its definition asks for it.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) crd: String,
    pub(super) resource: ApiResource,
    pub(super) versions: Versions,
    /// The stored versions besides the storage version.
    pub(super) old: Vec<String>,
    /// What was done of it.
    pub(super) record: Record,
}

impl Plan {
    /// Returns what `crd` asks for; `None` if every object is stored in the storage version.
    pub(super) fn of(crd: &CustomResourceDefinition) -> Result<Option<Self>, MigrationError> {
        let status = crd.status.as_ref();
        let stored = status.and_then(|status| status.stored_versions.clone());
        let storage = crd.spec.versions.iter().find(|version| version.storage);
        let is_old = |version: &String| storage.is_some_and(|storage| *version != storage.name);
        let old: Vec<String> = stored.into_iter().flatten().filter(is_old).collect();
        if old.is_empty() || crd.metadata.deletion_timestamp.is_some() {
            return Ok(None);
        }
        let versions = Versions::of(crd)?;
        Ok(Some(Self {
            crd: crd.name_any(),
            resource: ApiResource {
                group: crd.spec.group.clone(),
                version: versions.request.clone(),
                api_version: format!("{}/{}", crd.spec.group, versions.request),
                kind: crd.spec.names.kind.clone(),
                plural: crd.spec.names.plural.clone(),
            },
            old,
            record: Record::of(crd),
            versions,
        }))
    }

    /// Whether `crd` still asks for this: its specification is the same, and no version was stored
    /// that is not known here.
    pub(super) fn is_of(&self, crd: &CustomResourceDefinition) -> bool {
        Record::generation(crd) == self.record.generation
    }
}

/// The position in a pass over the objects of one specification.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    generation: i64,
    /// The token of the list's next part.
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    pub(super) position: Option<String>,
    #[serde(flatten)]
    pub(super) progress: Progress,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) first_failure: Option<String>,
}

impl Record {
    /// Returns the position that `crd` states, or the beginning: of a changed specification, and
    /// for an annotation that somebody else wrote.
    fn of(crd: &CustomResourceDefinition) -> Self {
        let generation = Self::generation(crd);
        let stated = crd.annotations().get(PROGRESS);
        let stated = stated.and_then(|text| serde_json::from_str::<Self>(text).ok());
        let same = stated.filter(|record| record.generation == generation);
        same.unwrap_or(Self {
            generation,
            ..Self::default()
        })
    }

    pub(super) fn is_in(crd: &CustomResourceDefinition) -> bool {
        crd.annotations().contains_key(PROGRESS)
    }

    fn generation(crd: &CustomResourceDefinition) -> i64 {
        crd.metadata.generation.unwrap_or_default()
    }

    pub(super) fn continues(&self) -> bool {
        self.position.is_some()
    }

    pub(super) fn text(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}
