//! `#[derive(CustomResource)]`: the resource for which kube-derive generates the root from the spec
//! type.

use std::collections::BTreeSet;

use super::super::object;
use super::{Cx, at_item, attributes, resolve::Resolved};
use crate::{
    diag::{Diagnostic, Diagnostics},
    lower::{apply_unchanged, crate_markers::conversion, validation, verbs},
    model::{
        CodedSchema, CustomMethod, DeclaredAt, DerivedSchema, ExternalType, Field, KnownType,
        PrinterColumn, Resource, RustItem, RustPath, ScaleSubresource, Scope, SelectableField,
        StructDef, TypeDef, TypeKind, TypeRef, VerbSet, WireType, kind_method, names,
    },
    read::{
        markers::client::NoStatus,
        rust::{Body, Fields, Item, Kind, KubeDerive, PathType, SchemaMode, Style, Type},
    },
};

/// Returns the plural of a kind, which kube-derive derives from the singular by its own rules.
pub(super) fn plural(kube: &KubeDerive) -> String {
    let derived = || {
        let singular = kube.singular.clone();
        names::kube_derive_plural(&singular.unwrap_or_else(|| kube.kind.to_ascii_lowercase()))
    };
    kube.plural.clone().unwrap_or_else(derived)
}

impl Cx<'_> {
    /// Returns the root that kube-derive generates, as a type, and its resource.
    pub(super) fn kube_resource(
        &self,
        group: &str,
        item: &Item,
        kube: &KubeDerive,
        diagnostics: &mut Diagnostics,
    ) -> (TypeDef, Option<Resource>) {
        self.check_kube(group, item, kube, diagnostics);
        let root = self.key_in(item.module, kube.root_name());
        let served = kube.served != Some(false);
        let status = kube.status.is_some() && !item.markers.has::<NoStatus>();
        let verbs = verbs::verbs(&item.markers, status, diagnostics);
        let resource = Resource {
            kind: kube.kind.clone(),
            list_kind: object::list_kind(&kube.kind),
            plural: plural(kube),
            singular: kube
                .singular
                .clone()
                .unwrap_or_else(|| kube.kind.to_ascii_lowercase()),
            accessor: kind_method(&names::plural(&kube.kind)),
            client_name: names::plural(&kube.kind),
            root: root.to_owned(),
            scope: if kube.namespaced {
                Scope::Namespaced
            } else {
                Scope::Cluster
            },
            short_names: kube.short_names.clone(),
            categories: kube.categories.clone(),
            status_subresource: kube.status.is_some(),
            scale_subresource: kube.scale.as_ref().map(|scale| ScaleSubresource {
                spec_replicas_path: scale.spec_replicas_path.clone(),
                status_replicas_path: scale.status_replicas_path.clone(),
                label_selector_path: scale.label_selector_path.clone(),
            }),
            printer_columns: columns(kube),
            selectable_fields: selectable_fields(kube),
            conversion: conversion::conversion(&item.markers, diagnostics),
            // kube-derive stores every version unless `storage` says otherwise.
            storage: kube.storage == Some(true),
            served,
            annotations: kube.annotations.iter().cloned().collect(),
            labels: kube.labels.iter().cloned().collect(),
            foreign: kube.schema == SchemaMode::Disabled,
            rest: None,
            deprecation: kube.deprecated.clone(),
            methods: self.kube_methods(item, &verbs, kube.scale.is_some(), diagnostics),
            verbs,
            client: served,
        };
        let path = self.path_outside(item, kube.root_name());
        self.check_path_outside(item, path.as_ref(), diagnostics);
        let def = self.kube_root(item, kube, (root, path));
        (def, Some(resource))
    }

    /// Returns the methods that markers add, plus those of the scale subresource unless a marker
    /// defines them.
    fn kube_methods(
        &self,
        item: &Item,
        verbs: &VerbSet,
        scale: bool,
        diagnostics: &mut Diagnostics,
    ) -> Vec<CustomMethod> {
        let mut methods = self.methods(item, verbs, diagnostics);
        let more = if scale {
            CustomMethod::of_scale()
        } else {
            Vec::new()
        };
        for method in more {
            if methods.iter().all(|known| known.name != method.name) {
                methods.push(method);
            }
        }
        methods
    }

    fn kube_root(
        &self,
        item: &Item,
        kube: &KubeDerive,
        (root, path): (&str, Option<RustPath>),
    ) -> TypeDef {
        let (rules, mut findings) = attributes::kube_rules(item);
        let spec = self.spec(item);
        let code = self.schema_of_root(item, kube);
        if kube.schema == SchemaMode::Manual && code.is_none() {
            findings.push(unknown_root(item, kube));
        }
        let mut fields = vec![
            Field::required("metadata", TypeRef::Known(KnownType::ObjectMeta)),
            Field {
                flatten: kube.no_spec,
                ..Field::required("spec", spec)
            },
        ];
        let status = kube.status.as_deref();
        fields.extend(status.map(|status| self.kube_status(item, status)));
        TypeDef {
            name: root.to_owned(),
            docs: kube.doc.clone().unwrap_or_else(|| item.docs.clone()),
            path: kube.kind.clone(),
            shared: false,
            kind: TypeKind::Struct(StructDef {
                fields,
                ..StructDef::default()
            }),
            validation: validation::of_markers(
                &rules,
                WireType::Object,
                WireType::Unknown,
                &mut Diagnostics::new(),
            ),
            item: Some(RustItem {
                module: self.module(item),
                derives: derives(kube),
                impls: vec!["Resource".to_owned()],
                deepcopy: false,
                object: true,
                kube_derive: true,
                exported: true,
                path,
                cfg: self.conditions(item),
                derived: Some(Box::new(DerivedSchema {
                    code,
                    findings,
                    ..DerivedSchema::default()
                })),
                ..RustItem::default()
            }),
            marshals: None,
            whole: apply_unchanged::is_marked(&item.markers, &self.package.markers),
            converted_by_hand: crate::lower::conversion::is_by_hand(&item.markers),
            declared: DeclaredAt::marked(
                &item.place,
                [item.markers.places(), rules.places()].concat(),
            ),
        }
    }

    /// The type of the spec, with the defaults of its parameters.
    fn spec(&self, item: &Item) -> TypeRef {
        if item.generics.names.is_empty() {
            return TypeRef::Local(self.key(item).to_owned());
        }
        let ty = Type {
            place: item.place.clone(),
            kind: Kind::Path(PathType {
                global: false,
                segments: vec![item.name.clone()],
                arguments: Vec::new(),
                arguments_text: String::new(),
            }),
        };
        self.reference(item, &ty, &mut Diagnostics::new())
    }

    /// The schema of the root that an implementation by hand returns, if it is known.
    fn schema_of_root(&self, item: &Item, kube: &KubeDerive) -> Option<CodedSchema<TypeRef>> {
        if kube.schema != SchemaMode::Manual {
            return None;
        }
        let root = kube.root_name();
        let mut impls = self.package.impls.iter();
        let found = impls.find(|it| {
            let is_root = it.path.last().is_some_and(|last| last == root);
            is_root && it.trait_name == "JsonSchema"
        })?;
        self.schema_of_impl(item, found)
    }

    /// The field of the status, whose type is at a path.
    fn kube_status(&self, item: &Item, path: &str) -> Field {
        let segments: Vec<String> = path.split("::").map(str::to_owned).collect();
        let ty = match self.resolver.resolve(item.module, &segments) {
            Resolved::Item(index) => {
                let found = self.package.items.get(index);
                found.map_or(TypeRef::Any, |found| {
                    TypeRef::Local(self.key(found).to_owned())
                })
            }
            Resolved::External(path) => TypeRef::External(ExternalType {
                missing: self.missing(item.module, &path),
                ..ExternalType::new(path)
            }),
        };
        let derived = DerivedSchema {
            nullable: attributes::derives_schema(item),
            ..DerivedSchema::default()
        };
        Field {
            derived: Some(Box::new(derived)),
            ..Field::optional("status", ty)
        }
    }

    fn check_kube(
        &self,
        group: &str,
        item: &Item,
        kube: &KubeDerive,
        diagnostics: &mut Diagnostics,
    ) {
        if kube.group != group {
            diagnostics.push(
                at_item(
                    item,
                    format!(
                        "`#[kube(group = {:?})]` does not match the package's group, `{group}`",
                        kube.group
                    ),
                    "a different group",
                )
                .help("put types of one group and version into one directory"),
            );
        }
        if kube.version != self.version_name() {
            diagnostics.push(
                at_item(item, format!("`#[kube(version = {:?})]` does not match the directory's version, `{}`", kube.version, self.version_name()), "a different version")
                    .help("put types of one group and version into one directory, or name it with `+versionName`"),
            );
        }
        check_names(item, kube, diagnostics);
        check_no_spec(item, kube, diagnostics);
        let root = kube.root_name();
        self.check_kube_export(item, root, diagnostics);
        if let Some(other) = self.item(self.key_in(item.module, root)) {
            diagnostics.push(
                at_item(
                    item,
                    format!("kube derives `{root}`, but a type of that name is declared"),
                    "derives it",
                )
                .at(other.place.clone(), "declared here"),
            );
        }
        let markers = item.markers.0.iter();
        for marker in markers.filter(|marker| marker.def.in_kube_attribute) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "`+{}` cannot be combined with `#[derive(CustomResource)]`",
                    marker.def.name
                ))
                .at(marker.place.clone(), "kube's own attribute sets this")
                .help("set it in `#[kube(…)]`"),
            );
        }
    }
}

/// Reports a root whose schema is written by hand and not known.
fn unknown_root(item: &Item, kube: &KubeDerive) -> Diagnostic {
    let root = kube.root_name();
    let message = format!("the schema of `{root}` is not known: code creates it");
    Diagnostic::error(message)
        .at(item.place.clone(), "has `#[kube(schema = \"manual\")]`")
        .help(format!(
            "return a literal `json_schema!({{…}})`, or the schema of a type with keywords set, in `impl JsonSchema for {root}`"
        ))
}

/// Checks the names in `#[kube(…)]`, which go into URLs, paths and identifiers.
fn check_names(item: &Item, kube: &KubeDerive, diagnostics: &mut Diagnostics) {
    let labels = kube.plural.iter().chain(&kube.singular);
    let short = kube.short_names.iter().chain(&kube.categories);
    let wrong = (!names::is_subdomain(&kube.group))
        .then_some(&kube.group)
        .into_iter()
        .chain(
            std::iter::once(&kube.kind)
                .chain(&kube.root)
                .chain(&kube.struct_)
                .filter(|name| !is_kind(name)),
        )
        .chain(
            labels
                .chain(short)
                .filter(|name| !names::is_label_1035(name)),
        );
    for name in wrong {
        diagnostics.push(
            at_item(
                item,
                format!("`{name}` in `#[kube(…)]` is not a valid name"),
                "named by kube",
            )
            .help("groups are DNS names and plurals DNS labels, in lower case; kinds are letters and digits"),
        );
    }
}

/// Whether the API server accepts the kind, which is in camel case by convention only, and Rust the
/// type of that name.
fn is_kind(name: &str) -> bool {
    let label = name.to_ascii_lowercase();
    names::is_label_1035(&label) && !name.contains('-') && name != "Self"
}

/// Checks that the fields can be placed at the root: they are named and do not clash with those
/// that every object has.
fn check_no_spec(item: &Item, kube: &KubeDerive, diagnostics: &mut Diagnostics) {
    const TAKEN: [&str; 5] = ["apiVersion", "api_version", "kind", "metadata", "status"];
    if !kube.no_spec {
        return;
    }
    let Body::Struct(Fields {
        fields,
        style: Style::Named,
    }) = &item.body
    else {
        let message = "`#[kube(no_spec)]` needs a struct with named fields";
        let diagnostic = at_item(item, message, "has no fields for the root");
        diagnostics.push(diagnostic.help("name the fields, or remove `no_spec`"));
        return;
    };
    for field in fields {
        if TAKEN.contains(&field.name.as_str()) {
            let name = &field.name;
            let message =
                format!("`#[kube(no_spec)]` puts `{name}` at the root, which already has it");
            diagnostics.push(
                Diagnostic::error(message)
                    .at(field.place.clone(), "taken at the root")
                    .help("rename the field, or remove `no_spec`"),
            );
        }
    }
}

fn selectable_fields(kube: &KubeDerive) -> Vec<SelectableField> {
    let field = |json_path: &String| SelectableField {
        json_path: json_path.clone(),
    };
    kube.selectable.iter().map(field).collect()
}

/// Returns the traits that kube-derive derives for the root, including those in `derive = "…"`;
/// sorted.
fn derives(kube: &KubeDerive) -> Vec<String> {
    let own = [
        "Clone",
        "CustomResource",
        "Debug",
        "Deserialize",
        "Serialize",
    ];
    let added = kube
        .derives
        .iter()
        .filter_map(|derive| derive.rsplit("::").next())
        .map(str::trim);
    let derives: BTreeSet<&str> = own.into_iter().chain(added).collect();
    derives.into_iter().map(str::to_owned).collect()
}

fn columns(kube: &KubeDerive) -> Vec<PrinterColumn> {
    kube.columns()
        .map(|column| PrinterColumn {
            name: column.name.clone(),
            type_: column.type_.clone(),
            format: column.format.clone(),
            description: column.description.clone(),
            priority: column.priority.unwrap_or(0),
            json_path: column.json_path.clone(),
        })
        .collect()
}
