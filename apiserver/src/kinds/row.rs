//! A row of the table of built-in kinds, and the resource that it describes.

use crate::metadata::rules::Rules;
use crate::registry::{
    Conversion, Origin, Persistence, Plain, Resource, ScalePaths, Selectable, Strategy,
    Subresource, Version,
};
use crate::store::ResourceId;
use kube_names::NameRule;

/// A row of the table. `flags`: `n` namespaced, `s` status, `c` scale, `g` generation, `u` no
/// unconditional update, `p` updates may create, `d` deletions return the object, `x` collections
/// cannot be deleted, `v` virtual: answered but not stored, `o` served to operators that use it,
/// without rules of its own, and not among the kinds that controllers are made for.
pub(super) struct Row {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) kind: &'static str,
    pub(super) plural: &'static str,
    pub(super) flags: &'static str,
    pub(super) short: &'static [&'static str],
    pub(super) categories: &'static [&'static str],
    pub(super) subresources: &'static [Subresource],
    pub(super) selectable: &'static [Field],
    pub(super) names: NameRule,
    /// The metadata whose changes increment the generation.
    pub(super) counted_metadata: &'static [&'static str],
    /// The path of the scale's selector, if that is a map of labels.
    pub(super) scale_selector: Option<&'static str>,
    pub(super) strategy: &'static dyn Strategy,
    /// The warning in every answer about a deprecated kind.
    pub(super) deprecation: Option<&'static str>,
    /// For a view of a kind in another group: that group, and the conversion.
    pub(super) view_of: Option<(&'static str, Conversion)>,
}

/// A selectable field: its label, its path, and the value that an absent field is compared as.
pub(super) struct Field(
    pub(super) &'static str,
    pub(super) &'static str,
    pub(super) &'static str,
);

pub(super) const fn field(path: &'static str) -> Field {
    Field(path, path, "")
}

impl Field {
    pub(super) const fn or(self, absent: &'static str) -> Self {
        Self(self.0, self.1, absent)
    }
}

pub(super) const fn row(
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    plural: &'static str,
    flags: &'static str,
    short: &'static [&'static str],
) -> Row {
    Row {
        group,
        version,
        kind,
        plural,
        flags,
        short,
        categories: &[],
        subresources: &[],
        selectable: &[],
        names: NameRule::Subdomain,
        counted_metadata: &[],
        scale_selector: None,
        strategy: &Plain,
        deprecation: None,
        view_of: None,
    }
}

impl Row {
    pub(super) const fn all(self) -> Self {
        self.of_category(&["all"])
    }

    pub(super) const fn of_category(mut self, categories: &'static [&'static str]) -> Self {
        self.categories = categories;
        self
    }

    pub(super) const fn sub(mut self, subresources: &'static [Subresource]) -> Self {
        self.subresources = subresources;
        self
    }

    pub(super) const fn fields(mut self, selectable: &'static [Field]) -> Self {
        self.selectable = selectable;
        self
    }

    pub(super) const fn names(mut self, rule: NameRule) -> Self {
        self.names = rule;
        self
    }

    pub(super) const fn counting(mut self, metadata: &'static [&'static str]) -> Self {
        self.counted_metadata = metadata;
        self
    }

    pub(super) const fn scaled_by(mut self, selector: &'static str) -> Self {
        self.scale_selector = Some(selector);
        self
    }

    /// Sets the strategy with the kind's specific rules.
    pub(super) const fn with(mut self, strategy: &'static dyn Strategy) -> Self {
        self.strategy = strategy;
        self
    }

    pub(super) const fn deprecated(mut self, warning: &'static str) -> Self {
        self.deprecation = Some(warning);
        self
    }

    pub(super) const fn view_of(mut self, group: &'static str, conversion: Conversion) -> Self {
        self.view_of = Some((group, conversion));
        self
    }
}

/// The groups whose kinds may have finalizers without a domain, besides events.
const UNQUALIFIED: &[&str] = &[
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "policy",
];

impl Row {
    fn has(&self, flag: char) -> bool {
        self.flags.contains(flag)
    }

    pub(super) fn resource(&self, id: ResourceId, version: Version) -> Resource {
        let owned = |list: &[&str]| list.iter().map(|&s| s.to_owned()).collect::<Vec<_>>();
        Resource {
            id,
            group: self.group.to_owned(),
            plural: self.plural.to_owned(),
            singular: self.kind.to_lowercase(),
            kind: self.kind.to_owned(),
            list_kind: format!("{}List", self.kind),
            short_names: owned(self.short),
            categories: owned(self.categories),
            namespaced: self.has('n'),
            origin: Origin::Builtin,
            strategy: self.strategy,
            persistence: if self.has('v') {
                Persistence::Virtual
            } else {
                Persistence::Stored
            },
            uid: Box::default(),
            generation: 0,
            rules: self.rules(),
            versions: vec![version],
            webhook: None,
        }
    }

    fn rules(&self) -> Rules {
        Rules {
            names: self.names,
            qualified_finalizers: self.kind != "Event" && !UNQUALIFIED.contains(&self.group),
            unconditional_update: !self.has('u'),
            create_on_update: self.has('p'),
            generation: self.has('g'),
            counted_metadata: self.counted_metadata,
            returns_deleted: self.has('d'),
            delete_collection: !self.has('x'),
        }
    }

    pub(super) fn version(&self, schema_id: u64, stored_schema: u64) -> Version {
        let selectable = self
            .selectable
            .iter()
            .map(|Field(label, path, absent)| Selectable {
                label: (*label).to_owned(),
                path: (*path).to_owned(),
                absent,
            });
        Version {
            name: self.version.to_owned(),
            served: true,
            deprecation: self.deprecation.map(str::to_owned),
            schema_id,
            stored_schema,
            schema: None,
            columns: Vec::new(),
            status: self.has('s'),
            scale: self.has('c').then(|| ScalePaths {
                spec_replicas: ".spec.replicas".to_owned(),
                status_replicas: ".status.replicas".to_owned(),
                label_selector: self.scale_selector.map(str::to_owned),
            }),
            subresources: self.subresources,
            selectable: selectable.collect(),
            conversion: self.view_of.map(|(_, conversion)| conversion),
        }
    }
}
