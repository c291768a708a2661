//! Documentation of unions, for the struct and for each field.

use super::{code, demands::joined};
use crate::model::{Field, FieldUnion, StructDef, UnionBound};

/// The maximum number of fields that a sentence lists.
const MOST_NAMES: usize = 6;

/// Whether documentation may link to the view enums of unions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Views {
    /// In generated code, which has them.
    Linked,
    /// In documentation of objects, which does not.
    Unknown,
}

/// The notes for a struct: its unions.
pub(crate) fn of_type(body: &StructDef, views: Views) -> impl Iterator<Item = String> {
    body.unions.iter().map(move |union| {
        let fields = names(union.members.iter().map(|member| member.field.as_str()));
        let by = union.discriminator.as_deref();
        let by = by.map_or_else(String::new, |by| format!(", selected by `{}`", code(by)));
        let see = view(union, views);
        let see = see.map_or_else(String::new, |view| format!(": see [`{view}`]"));
        format!(
            "{} of {fields} {} set{by}{see}.",
            how_many(union),
            verb(union)
        )
    })
}

/// The notes for a field: the unions that it belongs to.
pub(crate) fn of_field(
    body: &StructDef,
    field: &Field,
    views: Views,
) -> impl Iterator<Item = String> {
    let name = field.json_name.clone();
    body.unions.iter().filter_map(move |union| {
        let member = union.member(&name)?;
        let by = union.discriminator.as_deref().zip(member.value.as_deref());
        let by = by.map_or_else(String::new, |(by, value)| {
            format!(", where `{}` is `{}`", code(by), code(value))
        });
        Some(match view(union, views) {
            Some(view) => format!("One of [`{view}`]{by}."),
            None => {
                let fields = names(union.members.iter().map(|member| member.field.as_str()));
                format!("{} of {fields} {} set{by}.", how_many(union), verb(union))
            }
        })
    })
}

fn view(union: &FieldUnion, views: Views) -> Option<&str> {
    let view = union.view.as_ref().filter(|_| views == Views::Linked)?;
    Some(&view.name)
}

const fn how_many(union: &FieldUnion) -> &'static str {
    match union.bound {
        UnionBound::ExactlyOne => "Exactly one",
        UnionBound::AtMostOne => "At most one",
        UnionBound::AtLeastOne => "At least one",
    }
}

const fn verb(union: &FieldUnion) -> &'static str {
    match union.bound {
        UnionBound::ExactlyOne | UnionBound::AtLeastOne => "must be",
        UnionBound::AtMostOne => "may be",
    }
}

/// `` `acme`, `ca` and `vault` ``, or the number of fields.
fn names<'a>(fields: impl ExactSizeIterator<Item = &'a str>) -> String {
    if fields.len() > MOST_NAMES {
        return format!("{} fields", fields.len());
    }
    let fields: Vec<String> = fields.map(|field| format!("`{}`", code(field))).collect();
    joined(&fields)
}
