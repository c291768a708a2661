//! Builds resources for the roots among the types: names, scope, subresources and verbs.

use super::{Cx, at_item};
use crate::{
    diag::Diagnostics,
    lower::{crate_markers::conversion, object, verbs},
    model::{Resource, TypeRef},
    read::{
        markers::{
            client::{GenClient, NoStatus},
            crd::{self as marker, UnservedVersion},
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

    /// Returns the kind that a list type lists: `FooList` with `items: Vec<Foo>`.
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
                    format!("`{}` is an API object but not a struct", item.name),
                    "not a struct",
                )
                .help("write a struct with `metadata: ObjectMeta`, `spec` and `status`"),
            );
            return None;
        };
        self.check_root(index, item, fields, diagnostics);
        let client = markers.has::<GenClient>() && !markers.has::<UnservedVersion>();
        let has_status_field = field(item, "status").is_some();
        // controller-gen does not infer it.
        let inferred = self.options.compat.is_strict() && !markers.has::<NoStatus>();
        let status = has_status_field && (inferred || markers.has::<marker::StatusSubresource>());
        self.check_status(item, has_status_field, diagnostics);
        let verbs = verbs::verbs(markers, status, diagnostics);
        let methods = self.methods(item, &verbs, diagnostics);
        let conversion = conversion::conversion(markers, diagnostics);
        object::contradictions(markers)
            .into_iter()
            .for_each(|error| diagnostics.push(error));
        let kind = item.name.as_str();
        Some(Resource {
            status_subresource: status,
            conversion,
            methods,
            client,
            ..object::resource(
                kind,
                (kind, &item.place),
                verbs,
                (markers, self.options.compat),
                diagnostics,
            )
        })
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
