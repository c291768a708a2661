//! The `[[crate.crd.fields]]` of `codegen.toml`.

use std::ops::Range;

use toml::{Spanned, de::DeTable};

use super::{keys::Section, table::Reader};
use crate::{model::FieldConversion, options::CrdField};

/// Reads what is said of the fields of CRDs.
pub(super) fn read<'a>(reader: &mut Reader<'a>, crd: &DeTable<'a>) -> Vec<CrdField> {
    let tables = reader.tables(crd, "fields");
    let fields = tables
        .into_iter()
        .filter_map(|(span, table)| read_field(reader, span, table));
    fields.collect()
}

fn read_field(
    reader: &mut Reader<'_>,
    span: Range<usize>,
    table: &DeTable<'_>,
) -> Option<CrdField> {
    reader.keys(table, Section::CrdField);
    let mut text = |key: &str| reader.string(table, key).map(Spanned::into_inner);
    let [kind, version, path] = ["kind", "version", "path"].map(&mut text);
    let group = text("group");
    let conversion = FieldConversion {
        renamed_from: text("renamed-from").into_iter().collect(),
        moved_from: text("moved-from").into_iter().collect(),
        lossy: text("lossy"),
        ..FieldConversion::default()
    };
    let examples = [("kind", "Widget"), ("version", "v1"), ("path", "spec.size")];
    for (key, example) in examples {
        if !table.contains_key(key) {
            let help = format!("write {key} = \"{example}\"");
            let message = format!("a field of a CRD has no {key}");
            reader.error(span.clone(), message, "", Some(help));
        }
    }
    let says = ["renamed-from", "moved-from", "lossy"];
    if !says.iter().any(|key| table.contains_key(*key)) {
        let help = "write renamed-from = \"capacity\"".to_owned();
        let message = "nothing is said of the field";
        reader.error(span.clone(), message, "", Some(help));
    }
    Some(CrdField {
        group,
        kind: kind?,
        version: version?,
        path: path?,
        conversion,
        place: reader.place(span),
    })
}
