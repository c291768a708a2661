//! Checks rules on their own: bounds that exclude every value, and invalid patterns.

use serde_json::Number;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::Validation,
    read::markers::{
        MarkerDef, MarkerSet, MarkerType, SchemaPart,
        rules::{
            MaxItems, MaxLength, MaxProperties, Maximum, MinItems, MinLength, MinProperties,
            Minimum, Pattern, items_of,
        },
    },
};

/// Checks the constraints that markers put on a value or on list items.
pub(super) fn check(
    validation: &Validation,
    part: SchemaPart,
    markers: &MarkerSet,
    diagnostics: &mut Diagnostics,
) {
    let cx = Rules { markers, part };
    let length = |length: Option<u64>| length.map(Number::from);
    let v = validation;
    #[rustfmt::skip]
    let cases = [
        (&Minimum::DEF, &Maximum::DEF, v.minimum.clone(), v.maximum.clone()),
        (&MinLength::DEF, &MaxLength::DEF, length(v.min_length), length(v.max_length)),
        (&MinItems::DEF, &MaxItems::DEF, length(v.min_items), length(v.max_items)),
        (&MinProperties::DEF, &MaxProperties::DEF, length(v.min_properties), length(v.max_properties)),
    ];
    for (least, greatest, low, high) in cases {
        let (Some(low), Some(high)) = (low, high) else {
            continue;
        };
        let open = v.exclusive_minimum || v.exclusive_maximum;
        let same_is_empty = open && *least == Minimum::DEF;
        if is_less(&high, &low) || (same_is_empty && !is_less(&low, &high)) {
            diagnostics.push(cx.nothing_between((least, &low), (greatest, &high)));
        }
    }
    if let Some(pattern) = &v.pattern
        && let Err(error) = kube_names::pattern::check(pattern)
        && let Some(marker) = cx.find(&Pattern::DEF)
    {
        let place = marker
            .argument("")
            .map_or(&marker.place, |value| &value.place);
        diagnostics.push(
            Diagnostic::error(error.to_string())
                .at(place.clone(), "the API server refuses it")
                .help("patterns use the syntax of Go's regexp package"),
        );
    }
}

/// Whether `a` is less than `b`; integers are compared exactly.
pub(super) fn is_less(a: &Number, b: &Number) -> bool {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a < b,
        _ => a.as_f64() < b.as_f64(),
    }
}

/// The markers of one declaration, for a value or for list items.
struct Rules<'a> {
    markers: &'a MarkerSet,
    part: SchemaPart,
}

impl<'a> Rules<'a> {
    fn find(&self, rule: &MarkerDef) -> Option<&'a crate::read::markers::Marker> {
        let rule = match self.part {
            SchemaPart::Value => Some(rule),
            SchemaPart::Items => items_of(rule),
        }?;
        self.markers.0.iter().find(|marker| marker.def == rule)
    }

    fn nothing_between(
        &self,
        (least, low): (&MarkerDef, &Number),
        (greatest, high): (&MarkerDef, &Number),
    ) -> Diagnostic {
        let mut error = Diagnostic::error(format!("no value is between {low} and {high}"));
        for (marker, label) in [
            (self.find(greatest), "the upper bound"),
            (self.find(least), "the lower bound"),
        ] {
            if let Some(marker) = marker {
                error = error.at(marker.place.clone(), label);
            }
        }
        error
    }
}
