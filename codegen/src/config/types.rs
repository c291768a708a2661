//! The `[[crate.attributes]]` of `codegen.toml`.

use std::ops::Range;

use toml::{Spanned, de::DeTable};

use super::{keys::Section, table::Reader};
use crate::{
    model::DeclaredAt,
    options::{Pattern, TypeAttributes, TypeOptions, derive_path, type_attribute},
};

/// Reads the `[[crate.attributes]]` of a crate's table.
pub(super) fn read<'a>(reader: &mut Reader<'a>, table: &DeTable<'a>, options: &mut TypeOptions) {
    for (span, section) in reader.tables(table, "attributes") {
        reader.keys(section, Section::Attributes);
        let attributes = read_attributes(reader, span, section);
        options.attributes.extend(attributes);
    }
}

/// Reads one `[[crate.attributes]]`.
fn read_attributes(
    reader: &mut Reader<'_>,
    span: Range<usize>,
    section: &DeTable<'_>,
) -> Option<TypeAttributes> {
    let types = reader.string(section, "types");
    let derives = checked(reader, section, "derives", derive_path);
    let attributes = checked(reader, section, "attributes", type_attribute);
    let Some(types) = types else {
        if !section.contains_key("types") {
            let help = "write types = \"IssuerSpec*\", or \"*\" for all";
            reader.error(span, "no types are named", "", Some(help.to_owned()));
        }
        return None;
    };
    let place = reader.place(types.span());
    Some(TypeAttributes {
        types: Pattern::new(types.into_inner()),
        derives,
        attributes,
        declared: DeclaredAt::at(&place),
    })
}

/// The strings of a list that `parse` accepts; reports an error for each of the others.
fn checked(
    reader: &mut Reader<'_>,
    table: &DeTable<'_>,
    key: &str,
    parse: fn(&str) -> Result<String, String>,
) -> Vec<String> {
    let texts = reader.strings(table, key).unwrap_or_default();
    let mut values = Vec::with_capacity(texts.len());
    for text in texts {
        let span = text.span();
        match parse(&Spanned::into_inner(text)) {
            Ok(value) => values.push(value),
            Err(message) => reader.error(span, message, "", None),
        }
    }
    values
}
