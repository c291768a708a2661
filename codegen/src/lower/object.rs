//! Builds the resource of a root from its markers: names, scope, columns, subresources.

use std::collections::BTreeMap;

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{
        Conversion, PrinterColumn, Resource, ScaleSubresource, Scope, SelectableField, VerbSet,
        kind_method, names,
    },
    options::Compat,
    read::markers::{
        At, Found, MarkerSet,
        client::{NonNamespaced, ResourceName},
        crd::{self, DeprecatedVersion, StorageVersion, UnservedVersion},
    },
};

/// Builds the resource of a root as far as its markers determine it: without conversion, methods
/// and status subresource.
pub(super) fn resource(
    kind: &str,
    (root, place): (&str, &Place),
    verbs: VerbSet,
    (markers, compat): (&MarkerSet, Compat),
    diagnostics: &mut Diagnostics,
) -> Resource {
    let named = markers.get::<crd::Resource>();
    if let Some(named) = &named {
        check_names(named, diagnostics);
    }
    let named = named.as_ref();
    let singular = named.and_then(|names| names.singular.as_deref().cloned());
    Resource {
        kind: kind.to_owned(),
        list_kind: list_kind(kind),
        singular: singular.unwrap_or_else(|| kind.to_lowercase()),
        plural: plural((kind, place), (markers, compat), diagnostics),
        accessor: kind_method(&names::plural(kind)),
        client_name: names::plural(kind),
        root: root.to_owned(),
        scope: scope((kind, place), (markers, compat), diagnostics),
        short_names: list(named.and_then(|names| names.short_names.as_ref())),
        categories: list(named.and_then(|names| names.categories.as_ref())),
        status_subresource: false,
        scale_subresource: scale(markers),
        printer_columns: columns(markers),
        selectable_fields: selectable_fields(markers),
        conversion: Conversion::None,
        storage: markers.has::<StorageVersion>(),
        served: !markers.has::<UnservedVersion>(),
        annotations: pairs(markers, "annotations", |m| m.annotations, diagnostics),
        labels: pairs(markers, "labels", |m| m.labels, diagnostics),
        foreign: false,
        rest: None,
        deprecation: markers
            .get::<DeprecatedVersion>()
            .map(|found| found.marker.warning.unwrap_or_default()),
        methods: Vec::new(),
        verbs,
        client: !markers.has::<UnservedVersion>(),
    }
}

/// Returns the plural: from `path=` of `+kubebuilder:resource`, from `+resourceName`, or by the
/// default rule.
///
/// The rule is controller-gen's, so that clients use the plural that its CRDs and ours serve,
/// regardless of what a run generates. Warns about kinds for which client-gen has a different
/// plural.
fn plural(
    (kind, place): (&str, &Place),
    (markers, compat): (&MarkerSet, Compat),
    diagnostics: &mut Diagnostics,
) -> String {
    let named = markers.get::<ResourceName>();
    // controller-gen does not read client-gen's markers.
    let named = named.filter(|_| compat.is_strict());
    let named = named.map(|marker| marker.marker.plural);
    let path = markers.get::<crd::Resource>();
    let path = path.and_then(|marker| marker.marker.path);
    if let Some(At {
        value: plural,
        place,
    }) = path.or(named)
    {
        if !names::is_label_1035(&plural) {
            diagnostics.push(
                Diagnostic::error(format!("invalid plural `{plural}`"))
                    .at(place, "goes into URLs")
                    .help("a plural consists of lower-case letters, digits and hyphens, and starts with a letter"),
            );
        }
        return plural;
    }
    let plural = names::controller_gen_plural(kind);
    let other = names::resource_plural(kind);
    if plural != other {
        let message = format!(
            "the plural of {kind} is `{plural}` for controller-gen and `{other}` for client-gen"
        );
        diagnostics.push(
            Diagnostic::warning(message)
                .at(place.clone(), format!("`{plural}` is used"))
                .help(format!(
                    "settle it: `// +kubebuilder:resource:path={plural}`"
                )),
        );
    }
    plural
}

/// Returns the list kind of a kind.
pub(super) fn list_kind(kind: &str) -> String {
    format!("{kind}List")
}

pub(super) fn list(argument: Option<&At<Vec<String>>>) -> Vec<String> {
    argument.map_or_else(Vec::new, |list| list.value.clone())
}

/// Returns the scope: from `scope=` of `+kubebuilder:resource`, or from `+genclient:nonNamespaced`.
fn scope(
    (kind, place): (&str, &Place),
    (markers, compat): (&MarkerSet, Compat),
    diagnostics: &mut Diagnostics,
) -> Scope {
    let resource = markers.get::<crd::Resource>();
    match resource.and_then(|resource| resource.marker.scope) {
        Some(scope) => scope.value,
        None if !markers.has::<NonNamespaced>() => Scope::Namespaced,
        None if compat.is_strict() => Scope::Cluster,
        None => {
            let message =
                format!("{kind} is namespaced for controller-gen, and not for client-gen");
            diagnostics.push(
                Diagnostic::warning(message)
                    .at(place.clone(), "it is namespaced")
                    .help("settle it: `// +kubebuilder:resource:scope=Cluster`"),
            );
            Scope::Namespaced
        }
    }
}

/// Reports markers of client-gen that contradict controller-gen's, which decide what a cluster
/// serves.
pub(super) fn contradictions(markers: &MarkerSet) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let Some(resource) = markers.get::<crd::Resource>() else {
        return found;
    };
    let named = markers.get::<ResourceName>();
    if let (Some(named), Some(path)) = (named, resource.marker.path)
        && named.marker.plural.value != path.value
    {
        let error = Diagnostic::error("two different plurals")
            .at(path.place, "this one")
            .at(named.marker.plural.place, "and this one");
        found.push(error.help("remove one of them"));
    }
    if let (Some(cluster), Some(scope)) = (markers.get::<NonNamespaced>(), resource.marker.scope)
        && scope.value == Scope::Namespaced
    {
        let error = Diagnostic::error("the scope is both Cluster and Namespaced")
            .at(scope.place, "Namespaced")
            .at(cluster.place.clone(), "Cluster");
        found.push(error.help("remove one of them"));
    }
    found
}

pub(super) fn scale(markers: &MarkerSet) -> Option<ScaleSubresource> {
    let scale = markers.get::<crd::ScaleSubresource>()?.marker;
    Some(ScaleSubresource {
        spec_replicas_path: scale.spec_path.value,
        status_replicas_path: scale.status_path.value,
        label_selector_path: scale.selector_path.map(|path| path.value),
    })
}

pub(super) fn selectable_fields(markers: &MarkerSet) -> Vec<SelectableField> {
    markers
        .all::<crd::SelectableField>()
        .map(|field| SelectableField {
            json_path: field.marker.json_path.value,
        })
        .collect()
}

pub(super) fn columns(markers: &MarkerSet) -> Vec<PrinterColumn> {
    markers
        .all::<crd::PrintColumn>()
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

/// Checks the other names of a resource, which are used in URLs and commands too.
pub(super) fn check_names(names: &crd::Resource, diagnostics: &mut Diagnostics) {
    let mut check = |name: &str, place: &Place| {
        if !names::is_label_1035(name) {
            diagnostics.push(
                Diagnostic::error(format!("invalid resource name `{name}`"))
                    .at(place.clone(), "goes into URLs and commands")
                    .help("a name consists of lower-case letters, digits and hyphens, and starts with a letter"),
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

/// Parses the `key=value` pairs of `+kubebuilder:metadata`.
pub(super) fn pairs(
    markers: &MarkerSet,
    name: &str,
    list: fn(crd::Metadata) -> Option<At<Vec<String>>>,
    diagnostics: &mut Diagnostics,
) -> BTreeMap<String, String> {
    let mut pairs = BTreeMap::new();
    for marker in markers.all::<crd::Metadata>() {
        for pair in list(marker.marker).map_or_else(Vec::new, |list| list.value) {
            match pair.split_once('=') {
                Some((key, value)) => {
                    pairs.insert(key.to_owned(), value.to_owned());
                }
                None => diagnostics.push(
                    Diagnostic::error(format!("invalid pair `{pair}`: expected key=value"))
                        .at(marker.place.clone(), "missing `=`")
                        .help(format!("write `{name}=\"key=value\"`")),
                ),
            }
        }
    }
    pairs
}
