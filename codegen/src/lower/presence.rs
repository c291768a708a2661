//! Presence of fields and their defaults, from markers.

use serde_json::Value;

use crate::{
    model::TypeRef,
    read::markers::{
        MarkerSet,
        field::{
            self, KubebuilderDefault, Optional, Required, ValidationOptional, ValidationRequired,
        },
    },
};

/// Whether a property must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    Required,
    Optional,
}

/// Presence by markers, in controller-gen's order of precedence.
pub(super) fn marked_requirement(markers: &MarkerSet) -> Option<Requirement> {
    if markers.has::<ValidationOptional>() {
        Some(Requirement::Optional)
    } else if markers.has::<ValidationRequired>() {
        Some(Requirement::Required)
    } else if markers.has::<Optional>() {
        Some(Requirement::Optional)
    } else {
        markers.has::<Required>().then_some(Requirement::Required)
    }
}

/// The value that the server fills in; controller-gen's marker wins over Go's, and its `{}` is the empty list too.
pub(super) fn default(markers: &MarkerSet, ty: &TypeRef) -> Option<Value> {
    let kubebuilder = markers.get::<KubebuilderDefault>();
    let Some(default) = kubebuilder.map(|default| default.marker.value.value) else {
        return Some(markers.get::<field::Default>()?.marker.value.value.0);
    };
    let is_empty = default.as_object().is_some_and(serde_json::Map::is_empty);
    Some(match ty {
        TypeRef::List(_) if is_empty => Value::Array(Vec::new()),
        _ => default,
    })
}
