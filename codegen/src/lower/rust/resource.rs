//! Resources: the roots among the types, with their names, scope, subresources and verbs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Cx, at_item, verbs};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{
        Conversion, PrinterColumn, Resource, ScaleSubresource, Scope, SelectableField, TypeRef,
        names,
    },
    read::{
        markers::Marker,
        rust::{Body, Field, Item, Shape},
    },
};

impl Cx<'_> {
    /// Whether the type is an API object: a root or a list of roots.
    pub(super) fn is_object(&self, item: &Item) -> bool {
        let interfaces = item.markers.all("k8s:deepcopy-gen:interfaces");
        let is_runtime_object =
            |name: &String| name == "runtime.Object" || name.ends_with("/runtime.Object");
        let by_interface = interfaces
            .flat_map(|marker| marker.texts(""))
            .any(|name| is_runtime_object(&name));
        by_interface
            || item.markers.bool("kubebuilder:object:root") == Some(true)
            || item.markers.has("genclient") && item.kube.is_none()
    }

    /// Whether the type is a root: an object that is no list.
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
        let client = markers.has("genclient")
            && !markers.has("kubebuilder:unservedversion")
            && !markers.has("kubebuilder:skipversion");
        let has_status_field = field(item, "status").is_some();
        let status = has_status_field && !markers.has("genclient:noStatus");
        self.check_status(item, has_status_field, diagnostics);
        let resource = markers.get("kubebuilder:resource");
        let text = |name: &str| resource.and_then(|marker| marker.text(name));
        let texts = |name: &str| {
            resource
                .map(|marker| marker.texts(name))
                .unwrap_or_default()
        };
        check_names(resource, diagnostics);
        let kind = item.name.clone();
        let plural = self.plural(item, diagnostics);
        let verbs = verbs::verbs(item, status, diagnostics);
        Some(Resource {
            list_kind: self.list_kind(&kind),
            singular: text("singular").map_or_else(|| kind.to_lowercase(), str::to_owned),
            accessor: names::snake_case(&names::plural(&kind)),
            client_name: names::plural(&kind),
            root: kind.clone(),
            scope: scope(item, diagnostics),
            short_names: texts("shortName"),
            categories: texts("categories"),
            status_subresource: status,
            scale_subresource: scale(item),
            printer_columns: columns(item),
            selectable_fields: selectable_fields(item),
            conversion: Conversion::None,
            storage: markers.has("kubebuilder:storageversion"),
            served: !markers.has("kubebuilder:unservedversion"),
            annotations: pairs(item, "annotations", diagnostics),
            labels: pairs(item, "labels", diagnostics),
            deprecation: markers
                .get("kubebuilder:deprecatedversion")
                .map(|marker| marker.text("warning").unwrap_or_default().to_owned()),
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
        let named = item.markers.get("resourceName");
        let path = item
            .markers
            .get("kubebuilder:resource")
            .and_then(|marker| marker.argument("path"));
        if let (Some(named), Some(path)) = (named, path)
            && named.text("") != path.value.as_str()
        {
            diagnostics.push(
                Diagnostic::error("two plurals are given")
                    .at(path.place.clone(), "this one")
                    .at(named.place.clone(), "and this one")
                    .help("remove one of them"),
            );
        }
        let given = named
            .and_then(|marker| marker.argument(""))
            .or(path)
            .and_then(|argument| Some((argument.value.as_str()?, &argument.place)));
        if let Some((plural, place)) = given {
            if !is_dns_label(plural) {
                diagnostics.push(
                    Diagnostic::error(format!("`{plural}` is no plural of a resource"))
                        .at(place.clone(), "goes into URLs")
                        .help("a plural has lower case letters, digits and hyphens, and starts with a letter"),
                );
            }
            return plural.to_owned();
        }
        names::resource_plural(&item.name)
    }
}

pub(super) fn field<'a>(item: &'a Item, name: &str) -> Option<&'a Field> {
    match &item.body {
        Body::Struct(fields) if fields.shape == Shape::Named => {
            fields.fields.iter().find(|field| field.name == name)
        }
        _ => None,
    }
}

/// `+genclient:nonNamespaced` and `scope=` of `+kubebuilder:resource` say the same.
fn scope(item: &Item, diagnostics: &mut Diagnostics) -> Scope {
    let cluster = item.markers.get("genclient:nonNamespaced");
    let given = item
        .markers
        .get("kubebuilder:resource")
        .and_then(|marker| marker.argument("scope"));
    let scope = given.and_then(|argument| argument.value.as_str());
    if let (Some(marker), Some("Namespaced"), Some(argument)) = (cluster, scope, given) {
        diagnostics.push(
            Diagnostic::error("the scope is both Cluster and Namespaced")
                .at(argument.place.clone(), "Namespaced")
                .at(marker.place.clone(), "Cluster")
                .help("remove one of them"),
        );
    }
    if cluster.is_some() || scope == Some("Cluster") {
        Scope::Cluster
    } else {
        Scope::Namespaced
    }
}

fn scale(item: &Item) -> Option<ScaleSubresource> {
    let marker = item.markers.get("kubebuilder:subresource:scale")?;
    Some(ScaleSubresource {
        spec_replicas_path: marker.text("specpath")?.to_owned(),
        status_replicas_path: marker.text("statuspath")?.to_owned(),
        label_selector_path: marker.text("selectorpath").map(str::to_owned),
    })
}

fn selectable_fields(item: &Item) -> Vec<SelectableField> {
    item.markers
        .all("kubebuilder:selectablefield")
        .filter_map(|marker| marker.text("JSONPath"))
        .map(|json_path| SelectableField {
            json_path: json_path.to_owned(),
        })
        .collect()
}

fn columns(item: &Item) -> Vec<PrinterColumn> {
    item.markers
        .all("kubebuilder:printcolumn")
        .filter_map(|marker| {
            let text = |name: &str| marker.text(name).map(str::to_owned);
            let priority = marker.value("priority").and_then(Value::as_i64);
            Some(PrinterColumn {
                name: text("name")?,
                type_: text("type")?,
                format: text("format"),
                description: text("description"),
                priority: priority.and_then(|n| i32::try_from(n).ok()).unwrap_or(0),
                json_path: text("JSONPath")?,
            })
        })
        .collect()
}

/// The names of a resource beside its plural go into URLs and commands too.
fn check_names(resource: Option<&Marker>, diagnostics: &mut Diagnostics) {
    for name in ["singular", "shortName", "categories"] {
        let Some(argument) = resource.and_then(|marker| marker.argument(name)) else {
            continue;
        };
        let words = match &argument.value {
            Value::Array(words) => words.iter().filter_map(Value::as_str).collect(),
            word => vec![word.as_str().unwrap_or_default()],
        };
        for word in words.into_iter().filter(|word| !is_dns_label(word)) {
            diagnostics.push(
                Diagnostic::error(format!("`{word}` is no name of a resource"))
                    .at(argument.place.clone(), "goes into URLs and commands")
                    .help("a name has lower case letters, digits and hyphens, and starts with a letter"),
            );
        }
    }
}

/// The `key=value` pairs of `+kubebuilder:metadata`.
fn pairs(item: &Item, name: &str, diagnostics: &mut Diagnostics) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for marker in item.markers.all("kubebuilder:metadata") {
        for pair in marker.texts(name) {
            match pair.split_once('=') {
                Some((key, value)) => {
                    pairs.insert(key.to_owned(), value.to_owned());
                }
                None => diagnostics.push(
                    Diagnostic::error(format!("`{pair}` is no pair of key and value"))
                        .at(marker.place.clone(), "without a `=`")
                        .help(format!("write `{name}=\"key=value\"`")),
                ),
            }
        }
    }
    pairs
}

/// Lower case letters, digits and hyphens, with a letter first and no hyphen last.
pub(super) fn is_dns_label(text: &str) -> bool {
    text.len() <= 63
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && !text.ends_with('-')
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
}
