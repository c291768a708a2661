//! Rules and docs of types and fields, as their markers have them.

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

/// The rules in the markers of a type or field that is of the given type.
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
    // Go's own tools pass over some of it, and the author of another module cannot be asked.
    for finding in found {
        diagnostics.push(Diagnostic {
            severity: Severity::Warning,
            ..finding
        });
    }
    rules
}

/// The docs that the API shows.
pub(super) fn docs(text: &str, markers: &MarkerSet) -> String {
    if markers.has::<SkipDescription>() {
        String::new()
    } else {
        text.trim_end().to_owned()
    }
}
