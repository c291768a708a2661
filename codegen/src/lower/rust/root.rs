//! Checks roots: the fields and traits that every API object has, and conflicts with generated
//! code.

use super::{
    Cx, at_item,
    checks::is_camel_case,
    has_derive,
    resolve::Resolved,
    resource::field,
    well_known::{Foreign, well_known},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{KnownType, TypeRef},
    read::{
        markers::crd::StatusSubresource,
        rust::{Body, Field, Fields, Item, Kind, Layout, PathType},
    },
};

impl Cx<'_> {
    /// Checks that a root has metadata, has no fields that are generated, and is visible by its
    /// name in the version's module.
    pub(super) fn check_root(
        &self,
        index: usize,
        item: &Item,
        fields: &Fields,
        diagnostics: &mut Diagnostics,
    ) {
        self.check_metadata(item, fields, KnownType::ObjectMeta, diagnostics);
        check_generated(item, fields, diagnostics);
        self.check_serde(item, fields, diagnostics);
        if !is_camel_case(&item.name) {
            diagnostics.push(
                at_item(
                    item,
                    format!("`{}` is not a valid kind", item.name),
                    "an API object",
                )
                .help("write the kind in camel case, with letters and digits only"),
            );
        }
        if !self.resolver.is_exported(index) {
            diagnostics.push(self.not_exported(item, &item.name));
        }
    }

    /// Checks that a list of roots has list metadata.
    pub(super) fn check_list(&self, item: &Item, diagnostics: &mut Diagnostics) {
        if let Body::Struct(fields) = &item.body {
            self.check_metadata(item, fields, KnownType::ListMeta, diagnostics);
            check_generated(item, fields, diagnostics);
            self.check_serde(item, fields, diagnostics);
        }
    }

    /// Rejects serde attributes that generated code does not support; rustc checks the supported
    /// ones.
    fn check_serde(&self, item: &Item, fields: &Fields, diagnostics: &mut Diagnostics) {
        if !self.serde_is_generated(item) {
            return;
        }
        let own = std::iter::once(&item.serde);
        let attributes = own.chain(fields.fields.iter().map(|field| &field.serde));
        for serde in attributes.clone() {
            let Some((attribute, range)) = &serde.needs_derive else {
                continue;
            };
            let message = format!(
                "serde of the API object `{}` is generated and does not support `{attribute}`",
                item.name
            );
            diagnostics.push(
                Diagnostic::error(message)
                    .at(item.place.at(range.clone()), "not followed")
                    .help(
                        "move the affected fields to a type that derives serde, such as the spec",
                    ),
            );
        }
        let default_by_hand = item.serde.default && self.has_impl(item, "Default");
        if let (true, Some(range)) = (default_by_hand, &item.serde.attribute) {
            diagnostics.push(
                Diagnostic::error(format!(
                    "serde of the API object `{}` is generated and uses each field's own default",
                    item.name
                ))
                .at(item.place.at(range.clone()), "with a handwritten Default")
                .help("derive Default, or write `#[serde(default)]` on individual fields"),
            );
        }
        if !declares_serde(item)
            && let Some(range) = attributes.clone().find_map(|serde| serde.attribute.clone())
        {
            diagnostics.push(
                Diagnostic::error(format!(
                    "no derive declares the serde attributes of the API object `{}`",
                    item.name
                ))
                .at(item.place.at(range), "rustc refuses it")
                .help("add `#[derive(codegen_runtime::ApiObject)]`, which declares them and generates nothing"),
            );
        }
    }

    /// Checks that the root that kube-derive generates is exported, since generated code refers to
    /// it. No code is generated for a crate whose kinds are declared anywhere.
    pub(super) fn check_kube_export(&self, item: &Item, root: &str, diagnostics: &mut Diagnostics) {
        let is_seen = |item: &Item| {
            let module = self.module(item);
            self.resolver.is_name_exported(&module, root, item.visible)
        };
        if self.package.layout == Layout::Version && !is_seen(item) {
            diagnostics.push(self.not_exported(item, root));
        }
    }

    pub(super) fn not_exported(&self, item: &Item, name: &str) -> Diagnostic {
        let module = self.module(item).join("::");
        let wanted = if module.is_empty() {
            format!("make it `pub struct {}`", item.name)
        } else {
            format!("write `pub use {module}::{name};` in mod.rs")
        };
        at_item(
            item,
            format!("`{name}` is not visible outside of its version"),
            "not exported by mod.rs",
        )
        .help(wanted)
    }

    fn check_metadata(
        &self,
        item: &Item,
        fields: &Fields,
        wanted: KnownType,
        diagnostics: &mut Diagnostics,
    ) {
        let (what, name) = match wanted {
            KnownType::ListMeta => ("a list", "ListMeta"),
            _ => ("an API object", "ObjectMeta"),
        };
        match fields.fields.iter().find(|field| field.name == "metadata") {
            None => diagnostics.push(
                at_item(item, format!("`{}` has no metadata", item.name), what)
                    .help(format!("add the field `pub metadata: {name}`")),
            ),
            Some(field) if !self.is_known(item, field, wanted, name) => diagnostics.push(
                Diagnostic::error(format!(
                    "the metadata of {what} is {}",
                    if name == "ListMeta" {
                        "a ListMeta"
                    } else {
                        "an ObjectMeta"
                    }
                ))
                .at(field.ty.place.clone(), "another type")
                .help(format!(
                    "import `{name}` from `k8s_openapi::apimachinery::pkg::apis::meta::v1`"
                )),
            ),
            Some(_) => {}
        }
    }

    fn is_known(&self, item: &Item, field: &Field, wanted: KnownType, name: &str) -> bool {
        let found = self.reference(item, &field.ty, &mut Diagnostics::new());
        match found {
            // A type that imports do not resolve to k8s-openapi may be a re-export.
            TypeRef::External(external) => external.name() == name,
            found => found == TypeRef::Known(wanted),
        }
    }

    pub(super) fn check_status(
        &self,
        item: &Item,
        has_status: bool,
        diagnostics: &mut Diagnostics,
    ) {
        let markers = &item.markers;
        if !has_status {
            if let Some(marker) = markers.get::<StatusSubresource>() {
                diagnostics.push(
                    Diagnostic::error(format!(
                        "`{}` has a status subresource but no status",
                        item.name
                    ))
                    .at(marker.place.clone(), "asks for it")
                    .help("add the field `pub status: Option<…>`, or remove the marker"),
                );
            }
            return;
        }
        let Some(status) = field(item, "status") else {
            return;
        };
        let optional = matches!(&status.ty.kind, Kind::Path(path) if self.is_option(item, path));
        if !optional {
            diagnostics.push(
                Diagnostic::error("the status of an API object must be an Option")
                    .at(status.ty.place.clone(), "not an Option")
                    .help("a new object has no status yet: write `Option<…>`"),
            );
        }
    }

    fn is_option(&self, item: &Item, path: &PathType) -> bool {
        matches!(
            self.resolver.resolve_type(item.module, path),
            Resolved::External(path) if well_known(&path) == Some(Foreign::Optional)
        )
    }
}

/// Whether one of the item's derives may declare serde's attributes; those of the standard library
/// do not.
fn declares_serde(item: &Item) -> bool {
    const STANDARD: [&str; 9] = [
        "Clone",
        "Copy",
        "Debug",
        "Default",
        "Eq",
        "Hash",
        "Ord",
        "PartialEq",
        "PartialOrd",
    ];
    let mut derives = item.derives.iter();
    item.has_attribute_macros || derives.any(|derive| !STANDARD.contains(&derive.as_str()))
}

/// Rejects handwritten fields and derives that are generated for API objects.
fn check_generated(item: &Item, fields: &Fields, diagnostics: &mut Diagnostics) {
    for field in &fields.fields {
        let what = match field.name.as_str() {
            "api_version" => "apiVersion",
            "kind" => "kind",
            _ if is_type_meta(field) => "TypeMeta",
            _ => continue,
        };
        diagnostics.push(
            Diagnostic::error(format!("`{what}` must not be a field"))
                .at(
                    field.place.clone(),
                    "generated code writes and checks apiVersion and kind",
                )
                .help("remove the field"),
        );
    }
    for derived in ["Serialize", "Deserialize"] {
        if has_derive(item, derived) {
            let place = item.derive_places.get(derived).unwrap_or(&item.place);
            diagnostics.push(
                Diagnostic::error(format!(
                    "`{}` derives {derived}, which is generated for API objects",
                    item.name
                ))
                .at(place.clone(), "of an API object")
                .help(format!("remove {derived} from the derives")),
            );
        }
    }
}

/// Whether the type is Go's `TypeMeta` under any name: kube's, k8s-openapi's or the source's own.
fn is_type_meta(field: &Field) -> bool {
    let mut ty = &field.ty.kind;
    while let Kind::Path(path) = ty {
        match (
            path.segments.last().map(String::as_str),
            path.arguments.as_slice(),
        ) {
            (Some("TypeMeta"), _) => return true,
            (Some("Option" | "Box"), [inner]) => ty = &inner.kind,
            _ => return false,
        }
    }
    false
}
