//! The served group-resources with their versions, names, scopes, subresources and schemas.
//!
//! Built-in kinds come from [`kinds`](crate::kinds), kinds without a schema from [`ResourceDescription`]s, and custom
//! resources from CustomResourceDefinition objects ([`crd`](crate::crd)), at any time. [`Registry::lookup`] answers a
//! request's path, [`Strategy`] says what a kind does besides the common rules.

mod describe;
mod discovery;
pub(crate) mod openapi;
mod strategy;
mod subresource;

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::metadata::rules::Rules;
use crate::schema::Structural;
use crate::status::GroupResource;
use crate::store::{ResourceId, Stored};
use crate::table::{Column, Layout};
pub use describe::{ResourceDescription, ScalePaths, Scope};
pub(crate) use kube_names::compare_versions as version_order;
pub(crate) use strategy::{Cluster, Plain, Strategy, label_not_supported};
pub(crate) use subresource::Subresource;

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

/// A field that a field selector can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Selectable {
    /// The name in selectors.
    pub(crate) label: String,
    /// The JSON path of the field, without the leading dot.
    pub(crate) path: String,
    /// The text of an absent field.
    pub(crate) absent: &'static str,
}

impl Selectable {
    /// A field under the name of its own path.
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
    /// The `Warning` text for clients of a deprecated version.
    pub(crate) deprecation: Option<String>,
    /// Identifies the form of this version's objects.
    pub(crate) schema_id: u64,
    /// Identifies the form in which a write through this version is stored: its own, but for a view.
    pub(crate) stored_schema: u64,
    pub(crate) schema: Option<Structural>,
    pub(crate) columns: Vec<Column>,
    pub(crate) status: bool,
    pub(crate) scale: Option<ScalePaths>,
    /// Other subresources.
    pub(crate) subresources: &'static [Subresource],
    /// The fields that a field selector can name, besides the name and the namespace.
    pub(crate) selectable: Vec<Selectable>,
    /// How this version's objects differ from the stored form.
    pub(crate) conversion: Option<Conversion>,
}

/// Translates between a version and the stored form.
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
    /// The uid and generation of the CRD that it comes from.
    pub(crate) uid: Box<str>,
    pub(crate) generation: i64,
    /// In the order of preference.
    pub(crate) versions: Vec<Version>,
    /// What converts between versions (`spec.conversion.webhook`).
    pub(crate) webhook: Option<Value>,
}

/// Whether a write to a resource is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Persistence {
    Stored,
    /// Objects are only created, and answered at once: reviews.
    Virtual,
}

impl Resource {
    pub(crate) fn group_resource(&self) -> GroupResource {
        GroupResource::new(&self.group, &self.plural)
    }

    /// `v1` or `apps/v1`.
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

    /// The version whose form objects are stored in.
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
    /// What a webhook converted to this version, for the request that this belongs to.
    converted: Option<Arc<Mutex<Converted>>>,
}

/// Converted objects by the address of their stored form, which is held meanwhile.
type Converted = BTreeMap<usize, (bytes::Bytes, Value)>;

impl Served {
    fn new(resource: Arc<Resource>, index: usize) -> Self {
        Self {
            converted: resource.webhook.is_some().then(Arc::default),
            resource,
            index,
        }
    }

    /// Keeps a stored object as a webhook converted it.
    pub(crate) fn keep(&self, stored: &Stored, mut converted: Value) {
        // As stored objects are: their type is written before them.
        if let Value::Object(fields) = &mut converted {
            fields.remove("apiVersion");
            fields.remove("kind");
        }
        if let Some(all) = &self.converted {
            let body = stored.body.clone();
            all.lock().insert(body.as_ptr() as usize, (body, converted));
        }
    }

    /// Forgets what was converted so far.
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

    /// The same resource in the version that is stored.
    pub(crate) fn in_storage(&self) -> Option<Self> {
        self.in_version(&self.resource.storage()?.name)
    }

    pub(crate) fn version(&self) -> &Version {
        &self.resource.versions[self.index]
    }

    pub(crate) fn api_version(&self) -> String {
        self.resource.api_version(self.version())
    }

    /// The same resource in another of its versions.
    pub(crate) fn in_version(&self, name: &str) -> Option<Self> {
        let index = self.resource.versions.iter().position(|v| v.name == name)?;
        Some(Self::new(self.resource.clone(), index))
    }

    /// Translates an object of this version to another one.
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

    /// Whether this is the resource of a name.
    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.resource.group == group && self.resource.plural == plural
    }

    /// The printer of this version's objects.
    pub(crate) fn layout(&self) -> Layout<'_> {
        if self.resource.is_custom() {
            Layout::Columns(&self.version().columns)
        } else {
            Layout::Printer(self.resource.strategy.printer())
        }
    }

    /// A stored object in this version, with `apiVersion` and `kind`.
    pub(crate) fn decode(&self, stored: &Stored) -> Value {
        let mut value = self.decode_body(stored);
        self.name_type(&mut value);
        value
    }

    /// Whether a stored object's bytes are this version's form already.
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
            // It was stored in this version, under an earlier definition.
            if let Some(schema) = &self.version().schema {
                schema.prune(&mut value);
                schema.apply_defaults(&mut value);
            }
            return value;
        }
        let version = self.version();
        if let Some(conversion) = version.conversion {
            return (conversion.from_stored)(value);
        }
        // Objects stored under another schema are read under that of the storage version, which alone has defaults.
        if stored.schema != version.stored_schema {
            self.settle(&mut value);
        }
        if let Some(schema) = &version.schema {
            schema.prune(&mut value);
        }
        value
    }

    /// Translates an object of this version to the stored form.
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

    /// Prunes and defaults an object as the storage version does.
    fn settle(&self, object: &mut Value) {
        if let Some(schema) = self.resource.storage().and_then(|v| v.schema.as_ref()) {
            schema.prune(object);
            schema.apply_defaults(object);
        }
    }

    /// The JSON text of an object after its `apiVersion` and `kind`: starts with a brace.
    pub(crate) fn body(&self, stored: &Stored) -> bytes::Bytes {
        if self.reads_as_stored(stored) {
            return stored.body.clone();
        }
        serde_json::to_vec(&self.decode_body(stored))
            .unwrap_or_default()
            .into()
    }

    /// `"apiVersion":"…","kind":"…"`, as it stands before a body.
    pub(crate) fn type_prefix(&self) -> String {
        let (api_version, kind) = (self.api_version(), &self.resource.kind);
        format!("\"apiVersion\":\"{api_version}\",\"kind\":\"{kind}\"")
    }
}

#[derive(Debug, Default)]
struct Tables {
    resources: BTreeMap<(String, String), Arc<Resource>>,
    ids: BTreeMap<(String, String), ResourceId>,
    next_schema: u64,
    /// The versions that schemas are of.
    schemas: BTreeMap<u64, String>,
}

/// All served resources.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    tables: RwLock<Tables>,
}

impl Registry {
    /// The identity of a group-resource; the same name keeps it for the life of the server.
    pub(crate) fn id(&self, group: &str, plural: &str) -> ResourceId {
        let mut tables = self.tables.write();
        let next = u32::try_from(tables.ids.len()).unwrap_or(u32::MAX);
        *tables
            .ids
            .entry((group.to_owned(), plural.to_owned()))
            .or_insert(ResourceId(next))
    }

    /// A number that no schema has yet, for one of a version.
    pub(crate) fn next_schema(&self, version: &str) -> u64 {
        let mut tables = self.tables.write();
        tables.next_schema += 1;
        let schema = tables.next_schema;
        tables.schemas.insert(schema, version.to_owned());
        schema
    }

    /// The version that a schema is of, also of a definition that has changed since.
    pub(crate) fn version_of(&self, schema: u64) -> Option<String> {
        self.tables.read().schemas.get(&schema).cloned()
    }

    /// Serves a resource, in place of another of its name.
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

    /// A group-resource in any state.
    pub(crate) fn resource(&self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        let tables = self.tables.read();
        tables
            .resources
            .get(&(group.to_owned(), plural.to_owned()))
            .cloned()
    }

    /// The served version that a path names.
    pub(crate) fn lookup(&self, group: &str, version: &str, plural: &str) -> Option<Served> {
        let resource = self.resource(group, plural)?;
        let index = resource
            .versions
            .iter()
            .position(|v| v.served && v.name == version)?;
        Some(Served::new(resource, index))
    }

    /// The resource of a kind, in a version.
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

    /// The preferred served version of the resource with an identity.
    pub(crate) fn by_id(&self, id: ResourceId) -> Option<Served> {
        let resource = self.all().into_iter().find(|r| r.id == id)?;
        let index = resource.versions.iter().position(|v| v.served)?;
        Some(Served::new(resource, index))
    }

    /// A resource in its preferred served version.
    pub(crate) fn by_name(&self, resource: &Arc<Resource>) -> Option<Served> {
        let index = resource.versions.iter().position(|v| v.served)?;
        Some(Served::new(resource.clone(), index))
    }

    /// All resources, by group and name.
    pub(crate) fn all(&self) -> Vec<Arc<Resource>> {
        let tables = self.tables.read();
        tables.resources.values().cloned().collect()
    }

    /// Whether any resource is served in a group-version.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        let tables = self.tables.read();
        let mut resources = tables.resources.values().filter(|r| r.group == group);
        resources.any(|r| r.versions.iter().any(|v| v.served && v.name == version))
    }
}
