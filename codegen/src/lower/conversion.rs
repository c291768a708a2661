//! Lowers the markers of conversions, the same for Rust and Go.

use crate::{
    model::FieldConversion,
    read::markers::{
        MarkerSet,
        conversion::{Lossy, MovedFrom, RenamedFrom, ScaledFrom, ValueFrom},
        go::ConversionGen,
    },
};

/// What the markers of a field say for conversions; `None` if they say nothing.
pub(super) fn of_field(markers: &MarkerSet) -> Option<Box<FieldConversion>> {
    let names = markers.all::<RenamedFrom>();
    let paths = markers.all::<MovedFrom>();
    let values = markers.all::<ValueFrom>();
    let found = FieldConversion {
        renamed_from: names.map(|it| it.name.value.clone()).collect(),
        moved_from: paths.map(|it| it.path.value.clone()).collect(),
        values: values
            .map(|it| (it.value.clone(), it.old.clone()))
            .collect(),
        factor: markers.get::<ScaledFrom>().map(|it| it.factor.0),
        lossy: markers.get::<Lossy>().map(|it| it.reason.clone()),
        by_hand: is_by_hand(markers),
        place: None,
    };
    (found != FieldConversion::default()).then(|| Box::new(found))
}

/// Whether markers of a field or type leave its conversion to the user.
pub(super) fn is_by_hand(markers: &MarkerSet) -> bool {
    let mut all = markers.all::<ConversionGen>();
    all.any(|it| it.value.0 == "false")
}
