//! Resources defined by a description instead of a schema, as in fake clientsets.

use super::{Origin, Persistence, Plain, Registry, Resource, Version};
use crate::metadata::rules::Rules;

/// Whether objects live in namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Objects live in namespaces.
    #[default]
    Namespaced,
    /// Objects belong to the whole cluster.
    Cluster,
}

/// The fields of the scale subresource, as dotted JSON paths (`.spec.replicas`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalePaths {
    /// The desired number of replicas, under `.spec`.
    pub spec_replicas: String,
    /// The observed number of replicas, under `.status`.
    pub status_replicas: String,
    /// The serialised label selector, if there is one.
    pub label_selector: Option<String>,
}

/// One version of a resource. Objects are stored unchanged: beyond metadata, nothing is pruned,
/// defaulted or validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceDescription {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version (`v1alpha1`).
    pub version: String,
    /// The kind (`VirtualMachine`).
    pub kind: String,
    /// The plural, lower-case name (`virtualmachines`).
    pub plural: String,
    /// The singular, lower-case name (`virtualmachine`).
    pub singular: String,
    /// Whether objects live in namespaces.
    pub scope: Scope,
    /// Short names (`vm`).
    pub short_names: Vec<String>,
    /// Whether there is a status subresource.
    pub status: bool,
    /// The scale subresource, if there is one.
    pub scale: Option<ScalePaths>,
}

impl ResourceDescription {
    /// Describes a namespaced resource without subresources; its names derive from the kind in
    /// lower case.
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        kind: impl Into<String>,
        plural: impl Into<String>,
    ) -> Self {
        let kind = kind.into();
        Self {
            group: group.into(),
            version: version.into(),
            singular: kind.to_lowercase(),
            kind,
            plural: plural.into(),
            scope: Scope::Namespaced,
            short_names: Vec::new(),
            status: false,
            scale: None,
        }
    }
}

impl Registry {
    /// Serves a described resource. Ignores a description of a built-in kind or a custom resource;
    /// adds a further version to the resource of the same group and plural name.
    pub(crate) fn describe(&self, description: ResourceDescription) {
        let existing = self.resource(&description.group, &description.plural);
        let mut versions = match &existing {
            Some(resource) if resource.origin != Origin::Described => return,
            Some(resource) => resource.versions.iter().map(plain_copy).collect(),
            None => Vec::new(),
        };
        // All versions of a described resource share one storage schema.
        let schema_id = versions
            .first()
            .map_or_else(|| self.next_schema(""), |v: &Version| v.schema_id);
        versions.retain(|v: &Version| v.name != description.version);
        versions.push(Version {
            name: description.version,
            served: true,
            deprecation: None,
            schema_id,
            stored_schema: schema_id,
            schema: None,
            columns: Vec::new(),
            status: description.status,
            scale: description.scale,
            subresources: &[],
            selectable: Vec::new(),
            conversion: None,
        });
        self.put(Resource {
            id: self.id(&description.group, &description.plural),
            list_kind: format!("{}List", description.kind),
            group: description.group,
            plural: description.plural,
            singular: description.singular,
            kind: description.kind,
            short_names: description.short_names,
            categories: Vec::new(),
            namespaced: description.scope == Scope::Namespaced,
            origin: Origin::Described,
            strategy: &Plain,
            persistence: Persistence::Stored,
            uid: Box::default(),
            generation: 0,
            rules: Rules::CUSTOM,
            versions,
            webhook: None,
        });
    }
}

fn plain_copy(version: &Version) -> Version {
    Version {
        name: version.name.clone(),
        served: version.served,
        deprecation: None,
        schema_id: version.schema_id,
        stored_schema: version.stored_schema,
        schema: None,
        columns: Vec::new(),
        status: version.status,
        scale: version.scale.clone(),
        subresources: &[],
        selectable: Vec::new(),
        conversion: None,
    }
}
