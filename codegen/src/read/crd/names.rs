//! Reads names, scope and versions of a CRD, and checks them by the API server's rules.

use std::collections::BTreeMap;

use super::{Crd, CrdVersion, fields::Reader, is_wanted};
use crate::{
    model::{
        PrinterColumn, ScaleSubresource, Scope, SelectableField,
        names::{is_label_1035, is_subdomain},
    },
    options::Options,
    read::yaml::{Node, Yaml},
};

/// The annotation in which `kubectl apply` stores the full object.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// `spec.names`.
pub(super) struct Names {
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) short_names: Vec<String>,
    pub(super) categories: Vec<String>,
}

impl Reader<'_> {
    pub(super) fn read_names(&mut self, spec: &Node) -> Option<Names> {
        let names = self.map(spec, "names")?;
        self.within("names", |reader| {
            let kind = reader.string(
                names,
                "kind",
                "name the kind in camel case, such as `kind: VirtualMachine`",
            );
            let plural = reader.string(
                names,
                "plural",
                "name the resource in lower case, such as `plural: virtualmachines`",
            );
            if let Some(kind) = &kind {
                let label = kind.to_ascii_lowercase();
                reader.check_label(
                    names.get("kind").unwrap_or(names),
                    "kind",
                    kind,
                    is_label_1035(&label),
                );
            }
            if let Some(plural) = &plural {
                reader.check_label(
                    names.get("plural").unwrap_or(names),
                    "plural",
                    plural,
                    is_label_1035(plural),
                );
            }
            let (kind, plural) = (kind?, plural?);
            let or = |name: Option<String>, default: String| {
                name.filter(|name| !name.is_empty()).unwrap_or(default)
            };
            Some(Names {
                list_kind: or(
                    reader.optional_string(names, "listKind"),
                    format!("{kind}List"),
                ),
                singular: or(
                    reader.optional_string(names, "singular"),
                    kind.to_lowercase(),
                ),
                short_names: reader.strings(names, "shortNames"),
                categories: reader.strings(names, "categories"),
                kind,
                plural,
            })
        })
    }

    fn check_label(&mut self, node: &Node, key: &str, name: &str, legal: bool) {
        if !legal {
            self.error(
                node,
                format!("`{key}` is not a valid name: {name:?}"),
                "the API server accepts at most 63 letters, digits and `-`, starting with a letter and not ending with `-`",
            );
        }
    }

    pub(super) fn read_group(&mut self, spec: &Node) -> Option<String> {
        let group = self.string(
            spec,
            "group",
            "name the API group, such as `group: cloudnative.czs`",
        )?;
        if is_subdomain(&group) {
            return Some(group);
        }
        self.error(
            spec.get("group").unwrap_or(spec),
            format!("`group` is not a DNS name: {group:?}"),
            "write lower-case letters, digits, `-` and `.`, such as `cloudnative.czs`",
        );
        None
    }

    pub(super) fn read_scope(&mut self, spec: &Node) -> Option<Scope> {
        let help = "write `scope: Namespaced` or `scope: Cluster`";
        let scope = self.string(spec, "scope", help)?;
        match scope.as_str() {
            "Namespaced" => Some(Scope::Namespaced),
            "Cluster" => Some(Scope::Cluster),
            other => {
                self.error(
                    spec.get("scope").unwrap_or(spec),
                    format!("`scope` is unknown: {other:?}"),
                    help,
                );
                None
            }
        }
    }

    /// Checks that `metadata.name` is `<plural>.<group>`, as the API server requires.
    pub(super) fn check_name(&mut self, document: &Node, crd: &Crd) {
        let Some(name) = document
            .get("metadata")
            .and_then(|metadata| metadata.get("name"))
        else {
            return;
        };
        let wanted = format!("{}.{}", crd.plural, crd.group);
        if name.as_str().is_some_and(|name| name != wanted) {
            self.error(
                name,
                "the CRD's name must be `<plural>.<group>`",
                format!("write `name: {wanted}`"),
            );
        }
    }

    /// Returns the entries of `metadata.annotations` or `metadata.labels`, without kubectl's own.
    pub(super) fn read_pairs(&mut self, document: &Node, key: &str) -> BTreeMap<String, String> {
        let pairs = document
            .get("metadata")
            .and_then(|metadata| metadata.get(key));
        let Some(Yaml::Map(entries)) = pairs.map(|pairs| &pairs.value) else {
            return BTreeMap::new();
        };
        let mut texts = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.key != LAST_APPLIED) {
            match entry.value.as_str() {
                Some(text) => drop(texts.insert(entry.key.clone(), text.to_owned())),
                None => self.wrong_type(&entry.value, &entry.key, "a string"),
            }
        }
        texts
    }

    /// Adds the versions to generate types for and, if CRDs are to be written, the others.
    pub(super) fn read_versions(&mut self, spec: &mut Node, options: &Options, crd: &mut Crd) {
        let help = "list each version with `name`, `served`, `storage` and `schema`";
        let Some(versions) = spec.get_mut("versions") else {
            self.missing(spec, "versions", help);
            return;
        };
        if !matches!(versions.value, Yaml::List(_)) {
            self.wrong_type(versions, "versions", "a list");
            return;
        }
        if versions.items().is_empty() {
            self.error(versions, "`versions` is empty", help);
        }
        let mut names: Vec<String> = Vec::new();
        let mut unserved: Vec<String> = Vec::new();
        let mut stored: Vec<String> = Vec::new();
        for (index, version) in versions.items_mut().iter_mut().enumerate() {
            self.within(&format!("versions[{index}]"), |reader| {
                let Some(name) = reader.version_name(version, &names) else {
                    return;
                };
                names.push(name.clone());
                let served = version
                    .get("served")
                    .is_none_or(|node| reader.bool(node, "served"));
                let storage = version
                    .get("storage")
                    .is_some_and(|node| reader.bool(node, "storage"));
                if storage {
                    stored.push(name.clone());
                }
                if served {
                    crd.served.push(name.clone());
                }
                let wanted = is_wanted(&options.filters.versions, &name)
                    && (storage || !options.filters.stored_only);
                let has_types = wanted && (served || options.filters.unserved);
                if wanted && !has_types {
                    unserved.push(name.clone());
                }
                if !has_types && !options.writes_crds() {
                    return;
                }
                let version = CrdVersion {
                    served,
                    storage,
                    ..reader.read_version(version, name)
                };
                if has_types {
                    crd.versions.push(version);
                } else {
                    crd.left_out.push(version);
                }
            });
        }
        self.check_stored(versions, &stored);
        if crd.versions.is_empty() && !unserved.is_empty() && options.writes_crds() {
            // The CRD is written for its kind, which has to have a version then.
            let left_out = std::mem::take(&mut crd.left_out);
            (crd.versions, crd.left_out) = left_out
                .into_iter()
                .partition(|version| unserved.contains(&version.name));
        } else if crd.versions.is_empty() && !unserved.is_empty() {
            let unserved = unserved.join(", ");
            self.warn(
                versions,
                format!("nothing is generated for versions that are not served: {unserved}"),
                "generate their types with `--all-versions`, or write `served: true` on a version to generate clients for it",
            );
        }
    }

    /// Checks that exactly one version is stored.
    fn check_stored(&mut self, versions: &Node, stored: &[String]) {
        match stored {
            [_] => {}
            [] if versions.items().is_empty() => {}
            [] => self.warn(
                versions,
                "no version is stored",
                "write `storage: true` on exactly one version: the API server rejects the CRD without it",
            ),
            _ => self.error(
                versions,
                format!("several versions are stored: {}", stored.join(", ")),
                "write `storage: true` on exactly one version",
            ),
        }
    }

    fn version_name(&mut self, version: &Node, before: &[String]) -> Option<String> {
        let name = self.string(
            version,
            "name",
            "name the version, such as `name: v1alpha1`",
        )?;
        let node = version.get("name").unwrap_or(version);
        if !is_label_1035(&name) {
            self.error(
                node,
                format!("invalid version name: {name:?}"),
                "write one such as `v1`, `v1beta1` or `v1alpha1`",
            );
            return None;
        }
        if before.contains(&name) {
            self.error(node, format!("version {name} is declared twice"), "");
            return None;
        }
        Some(name)
    }

    fn read_version(&mut self, version: &mut Node, name: String) -> CrdVersion {
        let deprecated = version
            .get("deprecated")
            .is_some_and(|node| self.bool(node, "deprecated"));
        let warning = self.optional_string(version, "deprecationWarning");
        let subresources = version.get("subresources").filter(|node| !node.is_null());
        let scale = subresources
            .and_then(|node| node.get("scale"))
            .filter(|node| !node.is_null());
        let mut read = CrdVersion {
            storage: false,
            served: true,
            deprecation: deprecated.then(|| warning.unwrap_or_default()),
            status: subresources
                .and_then(|node| node.get("status"))
                .is_some_and(|node| !node.is_null()),
            scale: scale.map(|node| {
                let key = "subresources.scale";
                self.within_version(key, key, |reader| reader.read_scale(node))
            }),
            printer_columns: self.read_columns(version),
            selectable_fields: version
                .get("selectableFields")
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .filter_map(|field| {
                    self.string(field, "jsonPath", "")
                        .map(|json_path| SelectableField { json_path })
                })
                .collect(),
            schema: None,
            name,
        };
        let schema = version
            .get_mut("schema")
            .and_then(|node| node.get_mut("openAPIV3Schema"))
            .filter(|node| !node.is_null());
        read.schema = schema.map(|node| {
            let (key, shared) = ("schema.openAPIV3Schema", "validation.openAPIV3Schema");
            self.within_version(key, shared, |reader| reader.read_schema(node))
        });
        if read.schema.is_none() && !self.keeps_unknown {
            let name = &read.name;
            self.warn(
                version.get("name").unwrap_or(version),
                format!("version {name} has no schema: its type keeps every property as JSON"),
                "write `schema.openAPIV3Schema`: the API server rejects the CRD without it",
            );
        }
        read
    }

    fn read_scale(&mut self, node: &Node) -> ScaleSubresource {
        let help = "name the path, such as `.spec.replicas`";
        ScaleSubresource {
            spec_replicas_path: self
                .string(node, "specReplicasPath", help)
                .unwrap_or_default(),
            status_replicas_path: self
                .string(node, "statusReplicasPath", help)
                .unwrap_or_default(),
            label_selector_path: self.optional_string(node, "labelSelectorPath"),
        }
    }

    fn read_columns(&mut self, version: &Node) -> Vec<PrinterColumn> {
        let columns = version
            .get("additionalPrinterColumns")
            .map(Node::items)
            .unwrap_or_default();
        let key = "additionalPrinterColumns";
        self.within_version(key, key, |reader| {
            columns
                .iter()
                .filter_map(|column| {
                    let name = reader.string(column, "name", "");
                    let type_ = reader.string(
                        column,
                        "type",
                        "write string, integer, number, boolean or date",
                    );
                    let json_path = reader.string(
                        column,
                        "jsonPath",
                        "name the path, such as `.spec.replicas`",
                    );
                    let priority = column
                        .get("priority")
                        .and_then(|node| reader.count(node, "priority"))
                        .unwrap_or(0);
                    Some(PrinterColumn {
                        name: name?,
                        type_: type_?,
                        format: reader.optional_string(column, "format"),
                        description: reader.optional_string(column, "description"),
                        priority: i32::try_from(priority).unwrap_or(i32::MAX),
                        json_path: json_path?,
                    })
                })
                .collect()
        })
    }
}
