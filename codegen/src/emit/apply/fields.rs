//! The fields of a configuration: one line each, after the first sentence of their documentation.

use super::values::{Form, Values, is_atomic};
use crate::{
    emit::{
        docs,
        serde_attributes::Wire,
        types::{is_camel_case, literal},
    },
    model::{Field, ListType, MapType, Origin, Resource, StructDef, TypeRef, UnknownFields, names},
};

/// The maximum nesting depth of flattened structs, more than any API uses.
const DEPTH: usize = 16;

/// The lines of the fields; the macro adds a root's metadata.
pub(super) fn emit<'a>(
    values: &Values<'a>,
    root: Option<&Resource>,
    body: &'a StructDef,
) -> String {
    let mut found = Found::default();
    found.gather(values, body, DEPTH);
    let mut taken: Vec<String> = Vec::new();
    let mut text = String::new();
    for field in found.fields {
        let is_implied = ["apiVersion", "kind", "metadata"].contains(&field.json_name.as_str());
        if root.is_some() && is_implied {
            continue;
        }
        let mut name = field.rust_name.clone();
        while taken.contains(&name) || (root.is_some() && name == "metadata") {
            name.push('_');
        }
        text.push_str(&line(values, root, field, &name));
        taken.push(name);
    }
    if let Some(value) = found.unknown {
        let mut name = "unknown_fields".to_owned();
        while taken.contains(&name) {
            name.push('_');
        }
        text.push_str(&format!("        ..{name}: {value}\n"));
    }
    text
}

/// The fields of a struct, including those of flattened structs.
#[derive(Default)]
struct Found<'a> {
    fields: Vec<&'a Field>,
    /// The value type of properties without a field.
    unknown: Option<String>,
}

impl<'a> Found<'a> {
    fn gather(&mut self, values: &Values<'a>, body: &'a StructDef, depth: usize) {
        for field in body.fields.iter().filter(|field| !field.skip) {
            if !field.flatten {
                self.fields.push(field);
                continue;
            }
            match values.struct_of(&field.ty) {
                Some(inner) if depth > 0 && !field.with => self.gather(values, inner, depth - 1),
                _ => self.unknown = Some(values.any()),
            }
        }
        if let UnknownFields::Kept(ty) = &body.unknown_fields {
            let value = values.whole(ty);
            self.unknown.get_or_insert(value);
        }
    }
}

/// ```text
///         /// The disks of the machine. Keys: `name`.
///         disks: list DiskApply,
/// ```
fn line(values: &Values<'_>, root: Option<&Resource>, field: &Field, name: &str) -> String {
    let mut text = String::new();
    let mut lines = docs::summary(&field.docs);
    lines.extend(note(values, field));
    for line in lines {
        text.push_str(format!("        /// {line}").trim_end());
        text.push('\n');
    }
    let ident = names::ident(name);
    text.push_str(&format!("        {ident}"));
    if !is_camel_case(&field.json_name, &ident) {
        text.push_str(&format!(" = {}", literal(&field.json_name)));
    }
    let (form, ty) = form(values, field);
    let (form, ty) = match form {
        Form::Nullable if is_function(root, name) => ("bare", format!("Option<{ty}>")),
        _ if is_function(root, name) => ("bare", ty),
        form => (form.word(), ty),
    };
    text.push_str(&format!(": {form} {ty}"));
    if let Some(mode) = mode(values, field) {
        text.push_str(&format!(" as {mode}"));
    }
    text.push_str(",\n");
    text
}

/// Whether a setter of this name would hide a constructor of configurations, and is therefore left out.
fn is_function(root: Option<&Resource>, name: &str) -> bool {
    name == "default"
        || (root.is_some() && ["new", "extract", "extract_subresource"].contains(&name))
}

/// Whether null is a distinct value of the field.
fn is_nullable(field: &Field) -> bool {
    field.nullable && field.ty != TypeRef::Any && !field.with
}

fn form(values: &Values<'_>, field: &Field) -> (Form, String) {
    if field.with {
        return (Form::Into, values.any());
    }
    let ty = match &field.ty {
        TypeRef::Optional(inner) => inner,
        ty => ty,
    };
    let value = values.value(ty, &field.validation);
    if is_nullable(field) {
        return (Form::Nullable, value.rust());
    }
    (value.form, value.ty)
}

/// The codec's mode, if it is not `optional`. Hand-written types use their own serde.
fn mode(values: &Values<'_>, field: &Field) -> Option<&'static str> {
    if field.with || field.ty == TypeRef::Any {
        return Some("nullable");
    }
    let wire = match values.version.origin {
        Origin::Rust => Wire::Serde,
        // Configurations use ordered maps.
        _ if field.hashed && !field.ty.is_encoded() => Wire::Serde,
        _ => Wire::of(field),
    };
    let wire = if values.reaches_struct(&field.ty, &field.validation) {
        Wire::Serde
    } else {
        wire
    };
    match (is_nullable(field), wire) {
        (false, Wire::Serde) => None,
        (false, Wire::Encoded) => Some("optional_encoded"),
        (false, Wire::Sparse) => Some("optional_sparse"),
        (true, Wire::Serde) => Some("nullable"),
        (true, Wire::Encoded) => Some("nullable_encoded"),
        (true, Wire::Sparse) => Some("nullable_sparse"),
    }
}

/// How the server merges the value, if not field by field.
fn note(values: &Values<'_>, field: &Field) -> Option<String> {
    let ty = values.target(&field.ty);
    let rules = values.rules(&field.ty, &field.validation);
    match (ty, rules.list_type) {
        (TypeRef::List(_), Some(ListType::Map)) => {
            let keys = rules.list_map_keys.iter();
            let keys: Vec<String> = keys.map(|key| format!("`{}`", docs::code(key))).collect();
            Some(format!("Items are merged by {}.", keys.join(", ")))
        }
        (TypeRef::List(_), Some(ListType::Set)) => Some("Items are merged.".to_owned()),
        (TypeRef::List(_), _) => Some("Replaced as a whole.".to_owned()),
        (TypeRef::Map(_), _) if rules.map_type == Some(MapType::Atomic) => {
            Some("Replaced as a whole.".to_owned())
        }
        (TypeRef::Local(name), _) => {
            let rules = &values.version.type_def(name)?.validation;
            let is_whole = is_atomic(rules) || is_atomic(&field.validation);
            is_whole.then(|| "Replaced as a whole.".to_owned())
        }
        _ => None,
    }
}
