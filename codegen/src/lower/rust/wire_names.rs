//! The names of fields and variants on the wire, as serde writes and reads them.

use super::has_derive;
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::names::{self, Renamed},
    read::rust::{Item, Renaming, SerdeAttrs},
};

/// Returns the name that serde writes.
pub(super) fn wire_name(
    name: &str,
    serde: &SerdeAttrs,
    case: Option<&str>,
    renamed: Renamed,
    place: &Place,
    diagnostics: &mut Diagnostics,
) -> String {
    if let Some(renamed) = &serde.rename {
        return renamed.clone();
    }
    let Some(case) = case else {
        return name.to_owned();
    };
    names::apply_case(name, case, renamed).unwrap_or_else(|| {
        diagnostics.push(
            Diagnostic::error(format!("unknown serde case `{case}`"))
                .at(place.clone(), "renamed by it"),
        );
        name.to_owned()
    })
}

/// Warns of a field or variant whose own output serde does not read, because its names or cases
/// differ by direction. `wire` is the name that is written, the case for reading, and what it
/// applies to.
pub(super) fn report_not_read(
    item: &Item,
    (name, serde): (&str, &SerdeAttrs),
    (written, case, renamed): (&str, Option<&str>, Renamed),
    place: &Place,
    diagnostics: &mut Diagnostics,
) {
    let is_one_way = |serde: &SerdeAttrs| serde.skip_serializing || serde.skip_deserializing;
    let derives = |name| has_derive(item, name);
    if !derives("Serialize") || !derives("Deserialize") || serde.skip || is_one_way(serde) {
        return;
    }
    let read = serde.for_reading(Renaming::One).map(str::to_owned);
    let read = read.or_else(|| names::apply_case(name, case?, renamed));
    let is_read = read.as_deref().unwrap_or(name) == written;
    if is_read || serde.aliases.iter().any(|alias| alias == written) {
        return;
    }
    let message = format!("`{written}` is written under this name and read under another");
    diagnostics.push(
        Diagnostic::warning(message)
            .at(place.clone(), "is not read back")
            .help(format!(
                "use one name for both directions, or add `#[serde(alias = \"{written}\")]`"
            )),
    );
}
