//! The registry of served resources: versions, names, scopes, subresources and schemas.
//!
//! Built-in kinds come from [`kinds`](crate::kinds), kinds without a schema from
//! [`ResourceDescription`]s, and custom resources from CustomResourceDefinition objects
//! ([`crd`](crate::crd)), which may come and go at run time. [`Registry::lookup`] resolves the path
//! of a request. A [`Strategy`] holds the rules that are specific to a kind.

mod describe;
mod discovery;
mod services;
mod strategy;
mod subresource;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::metadata::rules::Rules;
use crate::schema::{Structural, apply_defaults};
use crate::status::GroupResource;
use crate::store::{ResourceId, Stored};
use crate::table::{Column, Layout};
pub use describe::{ResourceDescription, ScalePaths, Scope};
pub(crate) use kube_names::compare_versions as version_order;
pub(crate) use services::ServiceRange;
pub(crate) use strategy::{ALL_FIXED_IN_STATUS, Cluster, Plain, Strategy, label_not_supported};
pub(crate) use subresource::{Subresource, name_of};

/// Where the definition of a resource comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// One of Kubernetes' own kinds.
    Builtin,
    /// A CustomResourceDefinition.
    Custom,
    /// A description without a schema.
    Described,
}

/// A field that a field selector can select.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selectable {
    /// The label in selectors.
    pub(crate) label: String,
    /// The JSON path of the field, without the leading dot.
    pub(crate) path: String,
    /// The value that an absent field is compared as.
    pub(crate) absent: &'static str,
}

impl Selectable {
    /// Selects a field by its own path.
    pub(crate) fn at(path: &str) -> Self {
        Self {
            label: path.to_owned(),
            path: path.to_owned(),
            absent: "",
        }
    }
}

/// One version of a resource.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) name: String,
    pub(crate) served: bool,
    /// The `Warning` header for clients of a deprecated version.
    pub(crate) deprecation: Option<String>,
    /// Identifies the encoding of this version's objects.
    pub(crate) schema_id: u64,
    /// Identifies the encoding in which writes through this version are stored: its own, except for
    /// a view.
    pub(crate) stored_schema: u64,
    pub(crate) schema: Option<Structural>,
    pub(crate) columns: Vec<Column>,
    pub(crate) status: bool,
    pub(crate) scale: Option<ScalePaths>,
    /// Subresources other than `status` and `scale`.
    pub(crate) subresources: &'static [Subresource],
    /// The fields that a field selector can select, besides name and namespace.
    pub(crate) selectable: Vec<Selectable>,
    /// The conversion to and from the stored form, if they differ.
    pub(crate) conversion: Option<Conversion>,
}

impl Version {
    /// Returns the subresource with a name, if this version has it.
    pub(crate) fn subresource(&self, name: &str) -> Option<Subresource> {
        self.all_subresources().find(|it| it.name() == name)
    }

    /// Returns the subresources, with `scale` and `status`.
    fn all_subresources(&self) -> impl Iterator<Item = Subresource> {
        let scale = self.scale.is_some().then_some(Subresource::Scale);
        let status = self.status.then_some(Subresource::Status);
        let own = self.subresources.iter().copied();
        own.chain(scale).chain(status)
    }
}

/// Converts between a version and the stored form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conversion {
    pub(crate) from_stored: fn(Value) -> Value,
    pub(crate) to_stored: fn(Value) -> Value,
}

/// A group-resource.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) id: ResourceId,
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    pub(crate) origin: Origin,
    pub(crate) rules: Rules,
    pub(crate) strategy: &'static dyn Strategy,
    pub(crate) persistence: Persistence,
    /// The uid and generation of the CRD that defines the resource.
    pub(crate) uid: Box<str>,
    pub(crate) generation: i64,
    /// In order of preference.
    pub(crate) versions: Vec<Version>,
    /// The webhook that converts between versions (`spec.conversion.webhook`).
    pub(crate) webhook: Option<Value>,
}

/// Whether writes to a resource are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    Stored,
    /// Objects can only be created, and are answered without being stored: reviews.
    Virtual,
}

impl Resource {
    pub(crate) fn group_resource(&self) -> GroupResource {
        GroupResource::new(&self.group, &self.plural)
    }

    /// Returns `v1` or `apps/v1`.
    pub(crate) fn api_version(&self, version: &Version) -> String {
        if self.group.is_empty() {
            version.name.clone()
        } else {
            format!("{}/{}", self.group, version.name)
        }
    }

    pub(crate) fn is_custom(&self) -> bool {
        self.origin != Origin::Builtin
    }

    /// Returns the storage version.
    pub(crate) fn storage(&self) -> Option<&Version> {
        self.versions
            .iter()
            .find(|v| v.schema_id == v.stored_schema)
    }

    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|v| v.name == name)
    }
}

/// A resource in one of its versions.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub(crate) resource: Arc<Resource>,
    index: usize,
    /// The objects that a webhook has converted to this version, for the current request.
    converted: Option<Arc<Mutex<Converted>>>,
}

/// Converted objects by the address of their stored body. Holding the body keeps the address
/// unique.
type Converted = BTreeMap<usize, (bytes::Bytes, Value)>;

impl Served {
    fn new(resource: Arc<Resource>, index: usize) -> Self {
        Self {
            converted: resource.webhook.is_some().then(Arc::default),
            resource,
            index,
        }
    }

    /// Records the conversion of a stored object.
    pub(crate) fn keep(&self, stored: &Stored, mut converted: Value) {
        // Stored bodies have no type either: it is prepended when they are written.
        if let Value::Object(fields) = &mut converted {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        if let Some(all) = &self.converted {
            let body = stored.body.clone();
            all.lock().insert(body.as_ptr() as usize, (body, converted));
        }
    }

    /// Drops the conversions recorded so far.
    pub(crate) fn forget(&self) {
        if let Some(all) = &self.converted {
            all.lock().clear();
        }
    }

    fn kept(&self, stored: &Stored) -> Option<Value> {
        let all = self.converted.as_ref()?.lock();
        all.get(&(stored.body.as_ptr() as usize))
            .map(|(_, it)| it.clone())
    }

    /// Returns the same resource in its storage version.
    pub(crate) fn in_storage(&self) -> Option<Self> {
        self.in_version(&self.resource.storage()?.name)
    }

    pub(crate) fn version(&self) -> &Version {
        &self.resource.versions[self.index]
    }

    pub(crate) fn api_version(&self) -> String {
        self.resource.api_version(self.version())
    }

    /// Returns the same resource in another version.
    pub(crate) fn in_version(&self, name: &str) -> Option<Self> {
        let index = self.resource.versions.iter().position(|v| v.name == name)?;
        Some(Self::new(self.resource.clone(), index))
    }

    /// Converts an object of this version to another version.
    pub(crate) fn convert(&self, to: &Self, object: Value) -> Value {
        let mut object = match to.version().conversion {
            Some(conversion) => (conversion.from_stored)(self.to_stored(object)),
            None => self.to_stored(object),
        };
        if let Some(schema) = &to.version().schema {
            schema.prune(&mut object);
        }
        to.name_type(&mut object);
        object
    }

    fn name_type(&self, object: &mut Value) {
        if let Value::Object(map) = object {
            map.insert("apiVersion".into(), Value::String(self.api_version()));
            map.insert("kind".into(), Value::String(self.resource.kind.clone()));
        }
    }

    /// Whether this is the resource with this group and plural name.
    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.resource.group == group && self.resource.plural == plural
    }

    /// Returns the printer of this version's objects.
    pub(crate) fn layout(&self) -> Layout<'_> {
        if self.resource.is_custom() {
            Layout::Columns(&self.version().columns)
        } else {
            Layout::Printer(self.resource.strategy.printer())
        }
    }

    /// Decodes a stored object in this version, with `apiVersion` and `kind`.
    pub(crate) fn decode(&self, stored: &Stored) -> Value {
        let mut value = self.decode_body(stored);
        self.name_type(&mut value);
        value
    }

    /// Whether the bytes of a stored object are already in this version's form.
    pub(crate) fn reads_as_stored(&self, stored: &Stored) -> bool {
        stored.schema == self.version().schema_id
    }

    fn decode_body(&self, stored: &Stored) -> Value {
        if let Some(converted) = self.kept(stored) {
            return converted;
        }
        let mut value = stored.decode();
        if self.reads_as_stored(stored) {
            return value;
        }
        if self.resource.webhook.is_some() {
            // Stored in this version, under an earlier definition.
            if let Some(schema) = &self.version().schema {
                schema.prune(&mut value);
                apply_defaults(schema, &mut value);
            }
            return value;
        }
        let version = self.version();
        if let Some(conversion) = version.conversion {
            return (conversion.from_stored)(value);
        }
        // Objects stored under another schema are pruned and defaulted by the storage version,
        // which alone has defaults.
        if stored.schema != version.stored_schema {
            self.settle(&mut value);
        }
        if let Some(schema) = &version.schema {
            schema.prune(&mut value);
        }
        value
    }

    /// Converts an object of this version to the stored form.
    pub(crate) fn to_stored(&self, object: Value) -> Value {
        let version = self.version();
        if let Some(conversion) = version.conversion {
            return (conversion.to_stored)(object);
        }
        let mut object = object;
        if version.schema_id != version.stored_schema {
            self.settle(&mut object);
        }
        object
    }

    /// Prunes and defaults an object by the storage version's schema.
    fn settle(&self, object: &mut Value) {
        if let Some(schema) = self.resource.storage().and_then(|v| v.schema.as_ref()) {
            schema.prune(object);
            apply_defaults(schema, object);
        }
    }

    /// Returns the JSON of an object without `apiVersion` and `kind`. It starts with a brace.
    pub(crate) fn body(&self, stored: &Stored) -> bytes::Bytes {
        if self.reads_as_stored(stored) {
            return stored.body.clone();
        }
        serde_json::to_vec(&self.decode_body(stored))
            .unwrap_or_default()
            .into()
    }

    /// Returns `"kind":"…","apiVersion":"…"`, to prepend to the fields of a body; those of custom
    /// resources are in alphabetical order.
    pub(crate) fn type_prefix(&self) -> String {
        let (api_version, kind) = (self.api_version(), &self.resource.kind);
        match self.resource.is_custom() {
            true => format!("\"apiVersion\":\"{api_version}\",\"kind\":\"{kind}\""),
            false => format!("\"kind\":\"{kind}\",\"apiVersion\":\"{api_version}\""),
        }
    }
}

#[derive(Debug, Default)]
struct Tables {
    resources: BTreeMap<(String, String), Arc<Resource>>,
    ids: BTreeMap<(String, String), ResourceId>,
    next_schema: u64,
    /// The version that each schema belongs to.
    schemas: BTreeMap<u64, String>,
}

/// All served resources.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tables: RwLock<Tables>,
}

impl Registry {
    /// Returns the identity of a group-resource; a name keeps its identity for the life of the
    /// server.
    pub(crate) fn id(&self, group: &str, plural: &str) -> ResourceId {
        let mut tables = self.tables.write();
        let next = u32::try_from(tables.ids.len()).unwrap_or(u32::MAX);
        *tables
            .ids
            .entry((group.to_owned(), plural.to_owned()))
            .or_insert(ResourceId(next))
    }

    /// Allocates the number of a new schema of a version.
    pub(crate) fn next_schema(&self, version: &str) -> u64 {
        let mut tables = self.tables.write();
        tables.next_schema += 1;
        let schema = tables.next_schema;
        tables.schemas.insert(schema, version.to_owned());
        schema
    }

    /// Returns the version of a schema, including schemas of earlier definitions.
    pub(crate) fn version_of(&self, schema: u64) -> Option<String> {
        self.tables.read().schemas.get(&schema).cloned()
    }

    /// Serves a resource; replaces an existing one of the same name.
    pub(crate) fn put(&self, resource: Resource) -> Arc<Resource> {
        let resource = Arc::new(resource);
        let key = (resource.group.clone(), resource.plural.clone());
        let mut tables = self.tables.write();
        tables.resources.insert(key, resource.clone());
        resource
    }

    pub(crate) fn remove(&self, group: &str, plural: &str) {
        let mut tables = self.tables.write();
        tables
            .resources
            .remove(&(group.to_owned(), plural.to_owned()));
    }

    /// Returns a group-resource, whether or not any of its versions is served.
    pub(crate) fn resource(&self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        let tables = self.tables.read();
        tables
            .resources
            .get(&(group.to_owned(), plural.to_owned()))
            .cloned()
    }

    /// Returns the served version that a path names.
    pub(crate) fn lookup(&self, group: &str, version: &str, plural: &str) -> Option<Served> {
        let resource = self.resource(group, plural)?;
        let index = resource
            .versions
            .iter()
            .position(|v| v.served && v.name == version)?;
        Some(Served::new(resource, index))
    }

    /// Returns the served resource of a kind and version.
    pub(crate) fn lookup_kind(&self, group: &str, version: &str, kind: &str) -> Option<Served> {
        self.all().into_iter().find_map(|resource| {
            if resource.group != group || resource.kind != kind {
                return None;
            }
            let index = resource
                .versions
                .iter()
                .position(|v| v.served && v.name == version)?;
            Some(Served::new(resource, index))
        })
    }

    /// Returns a resource by its identity, in its preferred served version.
    pub(crate) fn by_id(&self, id: ResourceId) -> Option<Served> {
        let resource = self.all().into_iter().find(|r| r.id == id)?;
        let index = resource.versions.iter().position(|v| v.served)?;
        Some(Served::new(resource, index))
    }

    /// Returns a resource in its preferred served version.
    pub(crate) fn by_name(&self, resource: &Arc<Resource>) -> Option<Served> {
        let index = resource.versions.iter().position(|v| v.served)?;
        Some(Served::new(resource.clone(), index))
    }

    /// Returns all resources, sorted by group and name.
    pub(crate) fn all(&self) -> Vec<Arc<Resource>> {
        let tables = self.tables.read();
        tables.resources.values().cloned().collect()
    }

    /// Whether a group-version has any served resource.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        let tables = self.tables.read();
        let mut resources = tables.resources.values().filter(|r| r.group == group);
        resources.any(|r| r.versions.iter().any(|v| v.served && v.name == version))
    }
}
