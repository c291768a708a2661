//! Rules and docs of types and fields, from their markers.

use super::{cx::Cx, wire};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    lower::validation,
    model::{TypeRef, Validation},
    read::{
        go::Package,
        markers::{MarkerSet, field::SkipDescription},
    },
};

/// Returns the rules in the markers of a type or field of the specified type.
pub(super) fn rules(
    cx: &Cx<'_>,
    markers: &MarkerSet,
    ty: &TypeRef,
    package: &Package,
    diagnostics: &mut Diagnostics,
) -> Validation {
    if markers.0.is_empty() {
        return Validation::default();
    }
    let wire_type = wire::of(cx, package, ty);
    let items = wire::of_items(cx, package, ty);
    let mut found = Diagnostics::new();
    let rules = validation::of_markers(markers, wire_type, items, &mut found);
    // Go's own tools ignore some errors, and those in other modules are not the user's to fix.
    for finding in found {
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            ..finding
        });
    }
    rules
}

/// Returns the docs to publish in the API.
pub(super) fn docs(text: &str, markers: &MarkerSet) -> String {
    if markers.has::<SkipDescription>() {
        String::new()
    } else {
        text.trim_end().to_owned()
    }
}
