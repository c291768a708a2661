//! Presence and defaults of fields, from markers.

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

/// Whether a property is required.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Requirement {
    Required,
    Optional,
}

/// Returns the presence set by markers, in controller-gen's order of precedence.
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

/// Returns the default that the server fills in; controller-gen's marker takes precedence over
/// Go's, and its `{}` also means the empty list.
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
