//! Resources: the roots among the types, with their names, scope, subresources and verbs.

use std::collections::BTreeMap;

use super::{Cx, at_item, verbs};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{
        Conversion, PrinterColumn, Resource, ScaleSubresource, Scope, SelectableField, TypeRef,
        names,
    },
    read::{
        markers::{
            At, Found,
            client::{GenClient, NoStatus, NonNamespaced, ResourceName},
            crd::{
                self as marker, DeprecatedVersion, SkipVersion, StorageVersion, UnservedVersion,
            },
            object::{DeepCopyInterfaces, ObjectRoot},
        },
        rust::{Body, Field, Item, Style},
    },
};

impl Cx<'_> {
    /// Whether the type is an API object: a root or a list of roots.
    pub(super) fn is_object(&self, item: &Item) -> bool {
        let interfaces = item.markers.all::<DeepCopyInterfaces>();
        let is_runtime_object =
            |name: &String| name == "runtime.Object" || name.ends_with("/runtime.Object");
        let by_interface = interfaces
            .flat_map(|marker| marker.marker.interfaces.0)
            .any(|name| is_runtime_object(&name));
        let root = item.markers.get::<ObjectRoot>();
        by_interface
            || root.is_some_and(|marker| marker.value)
            || item.markers.has::<GenClient>() && item.kube.is_none()
    }

    /// Whether the type is a root: an object that is not a list.
    pub(super) fn is_root(&self, item: &Item) -> bool {
        self.is_object(item) && item.kube.is_none() && self.listed_kind(item).is_none()
    }

    /// The kind that a list type lists: `FooList` with `items: Vec<Foo>`.
    pub(super) fn listed_kind(&self, item: &Item) -> Option<String> {
        let items = field(item, "items")?;
        let kind = item.name.strip_suffix("List")?;
        match self.reference(item, &items.ty, &mut Diagnostics::new()) {
            TypeRef::List(inner) => match *inner {
                TypeRef::Local(name) if name == kind => Some(name),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn resource(
        &self,
        index: usize,
        item: &Item,
        diagnostics: &mut Diagnostics,
    ) -> Option<Resource> {
        let markers = &item.markers;
        let Body::Struct(fields) = &item.body else {
            diagnostics.push(
                at_item(
                    item,
                    format!("`{}` is an API object but no struct", item.name),
                    "not a struct",
                )
                .help("write a struct with `metadata: ObjectMeta`, `spec` and `status`"),
            );
            return None;
        };
        self.check_root(index, item, fields, diagnostics);
        let client = markers.has::<GenClient>()
            && !markers.has::<UnservedVersion>()
            && !markers.has::<SkipVersion>();
        let has_status_field = field(item, "status").is_some();
        let status = has_status_field && !markers.has::<NoStatus>();
        self.check_status(item, has_status_field, diagnostics);
        let names = markers.get::<marker::Resource>();
        if let Some(names) = &names {
            check_names(names, diagnostics);
        }
        let kind = item.name.clone();
        let plural = self.plural(item, diagnostics);
        let verbs = verbs::verbs(item, status, diagnostics);
        Some(Resource {
            list_kind: self.list_kind(&kind),
            singular: names
                .as_ref()
                .and_then(|names| names.singular.as_deref().cloned())
                .unwrap_or_else(|| kind.to_lowercase()),
            accessor: names::snake_case(&names::plural(&kind)),
            client_name: names::plural(&kind),
            root: kind.clone(),
            scope: scope(item, diagnostics),
            short_names: list(names.as_ref().and_then(|names| names.short_names.as_ref())),
            categories: list(names.as_ref().and_then(|names| names.categories.as_ref())),
            status_subresource: status,
            scale_subresource: scale(item),
            printer_columns: columns(item),
            selectable_fields: selectable_fields(item),
            conversion: Conversion::None,
            storage: markers.has::<StorageVersion>(),
            served: !markers.has::<UnservedVersion>(),
            annotations: pairs(item, "annotations", |m| m.annotations, diagnostics),
            labels: pairs(item, "labels", |m| m.labels, diagnostics),
            deprecation: markers
                .get::<DeprecatedVersion>()
                .map(|found| found.marker.warning.unwrap_or_default()),
            methods: self.methods(item, &verbs, diagnostics),
            verbs,
            client,
            plural,
            kind,
        })
    }

    /// `FooList` if the version declares it so, else the same name by convention.
    pub(super) fn list_kind(&self, kind: &str) -> String {
        format!("{kind}List")
    }

    /// `+resourceName`, `path=` of `+kubebuilder:resource`, else the rule; the two must agree.
    fn plural(&self, item: &Item, diagnostics: &mut Diagnostics) -> String {
        let named = item.markers.get::<ResourceName>();
        let named = named.map(|marker| marker.marker.plural);
        let path = item.markers.get::<marker::Resource>();
        let path = path.and_then(|marker| marker.marker.path);
        if let (Some(named), Some(path)) = (&named, &path)
            && named.value != path.value
        {
            diagnostics.push(
                Diagnostic::error("two plurals are given")
                    .at(path.place.clone(), "this one")
                    .at(named.place.clone(), "and this one")
                    .help("remove one of them"),
            );
        }
        if let Some(At {
            value: plural,
            place,
        }) = named.or(path)
        {
            if !names::is_label_1035(&plural) {
                diagnostics.push(
                    Diagnostic::error(format!("invalid plural `{plural}`"))
                        .at(place, "goes into URLs")
                        .help("a plural has lower case letters, digits and hyphens, and starts with a letter"),
                );
            }
            return plural;
        }
        names::resource_plural(&item.name)
    }
}

pub(super) fn field<'a>(item: &'a Item, name: &str) -> Option<&'a Field> {
    match &item.body {
        Body::Struct(fields) if fields.style == Style::Named => {
            fields.fields.iter().find(|field| field.name == name)
        }
        _ => None,
    }
}

fn list(argument: Option<&At<Vec<String>>>) -> Vec<String> {
    argument.map_or_else(Vec::new, |list| list.value.clone())
}

/// `+genclient:nonNamespaced` and `scope=` of `+kubebuilder:resource` say the same.
fn scope(item: &Item, diagnostics: &mut Diagnostics) -> Scope {
    let cluster = item.markers.get::<NonNamespaced>();
    let resource = item.markers.get::<marker::Resource>();
    let scope = resource.and_then(|resource| resource.marker.scope);
    match (cluster, scope) {
        (Some(marker), Some(scope)) if scope.value == Scope::Namespaced => {
            diagnostics.push(
                Diagnostic::error("the scope is both Cluster and Namespaced")
                    .at(scope.place, "Namespaced")
                    .at(marker.place.clone(), "Cluster")
                    .help("remove one of them"),
            );
            Scope::Cluster
        }
        (Some(_), _) => Scope::Cluster,
        (None, Some(scope)) => scope.value,
        (None, None) => Scope::Namespaced,
    }
}

fn scale(item: &Item) -> Option<ScaleSubresource> {
    let scale = item.markers.get::<marker::ScaleSubresource>()?.marker;
    Some(ScaleSubresource {
        spec_replicas_path: scale.spec_path.value,
        status_replicas_path: scale.status_path.value,
        label_selector_path: scale.selector_path.map(|path| path.value),
    })
}

fn selectable_fields(item: &Item) -> Vec<SelectableField> {
    item.markers
        .all::<marker::SelectableField>()
        .map(|field| SelectableField {
            json_path: field.marker.json_path.value,
        })
        .collect()
}

fn columns(item: &Item) -> Vec<PrinterColumn> {
    item.markers
        .all::<marker::PrintColumn>()
        .map(|Found { marker, .. }| PrinterColumn {
            name: marker.name,
            type_: marker.column_type.0.to_owned(),
            format: marker.format,
            description: marker.description,
            priority: marker
                .priority
                .and_then(|priority| i32::try_from(priority).ok())
                .unwrap_or(0),
            json_path: marker.json_path.value,
        })
        .collect()
}

/// The names of a resource beside its plural go into URLs and commands too.
fn check_names(names: &marker::Resource, diagnostics: &mut Diagnostics) {
    let mut check = |name: &str, place: &Place| {
        if !names::is_label_1035(name) {
            diagnostics.push(
                Diagnostic::error(format!("invalid name `{name}` of a resource"))
                    .at(place.clone(), "goes into URLs and commands")
                    .help("a name has lower case letters, digits and hyphens, and starts with a letter"),
            );
        }
    };
    if let Some(singular) = &names.singular {
        check(singular, &singular.place);
    }
    for list in [&names.short_names, &names.categories]
        .into_iter()
        .flatten()
    {
        for name in &list.value {
            check(name, &list.place);
        }
    }
}

/// The `key=value` pairs of `+kubebuilder:metadata`.
fn pairs(
    item: &Item,
    name: &str,
    list: fn(marker::Metadata) -> Option<At<Vec<String>>>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for marker in item.markers.all::<marker::Metadata>() {
        for pair in list(marker.marker).map_or_else(Vec::new, |list| list.value) {
            match pair.split_once('=') {
                Some((key, value)) => {
                    pairs.insert(key.to_owned(), value.to_owned());
                }
                None => diagnostics.push(
                    Diagnostic::error(format!("invalid pair `{pair}`: expected key=value"))
                        .at(marker.place.clone(), "without a `=`")
                        .help(format!("write `{name}=\"key=value\"`")),
                ),
            }
        }
    }
    pairs
}
