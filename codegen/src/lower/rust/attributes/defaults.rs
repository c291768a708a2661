//! Defaults: the value that serde uses for a missing field, which schemars writes into the schema
//! and the API server fills in.

use serde_json::Value;

use super::{
    super::{Cx, has_derive},
    code_values::{is_left_out, of_code, of_field, of_item, part},
};
use crate::{
    diag::{Diagnostic, Place},
    read::{
        markers::ASK_COMPILER,
        rust::{Field, Item, Literal, Said},
    },
};

/// The default of a field in its schema.
pub(super) enum Default {
    /// There is none.
    Absent,
    /// The value, and the attribute that sets it.
    Known(Value, Said),
    /// Only known to code.
    Unknown(Diagnostic),
}

/// Determines the default of a field.
pub(super) fn of(cx: &Cx<'_>, item: &Item, field: &Field) -> Default {
    let serde = &field.serde;
    let is_taken_back = field
        .schema
        .unset
        .iter()
        .any(|name| name.value == "default");
    let own = field.schema.default.is_some() || serde.default;
    if is_taken_back || serde.skip_serializing || !(own || item.serde.default) {
        return Default::Absent;
    }
    let function = match &field.schema.default {
        Some(default) => default.value.clone(),
        None => serde.default_function.clone(),
    };
    let found = match (&function, own) {
        (Some(function), _) => of_function(cx, item, field, function),
        (None, true) => of_field(cx, item, field),
        // The default of the whole struct.
        (None, false) if item.serde.default_function.is_some() => None,
        (None, false) if has_derive(item, "Default") => of_field(cx, item, field),
        (None, false) => of_item(cx, item).map(|whole| part(item, field, &whole)),
    };
    let place = match &field.schema.default {
        Some(default) => default.place.clone(),
        None => field.place.clone(),
    };
    match found {
        Some(value) if value.is_null() => Default::Absent,
        Some(value) => match is_left_out(cx, item, field, &value) {
            Some(true) => Default::Absent,
            Some(false) => {
                let shown = "#[serde(default)]".to_owned();
                Default::Known(value, Said { shown, place })
            }
            None => Default::Unknown(unknown(field, serde.skip_function.as_deref(), place)),
        },
        None if own => Default::Unknown(unknown(field, function.as_deref(), place)),
        None => Default::Unknown(unknown_of_type(item)),
    }
}

fn unknown(field: &Field, function: Option<&str>, place: Place) -> Diagnostic {
    let what = function.map_or_else(|| "code".to_owned(), |function| format!("`{function}`"));
    let is_skip = function.is_some() && function == field.serde.skip_function.as_deref();
    let does = if is_skip {
        "decides whether there is one"
    } else {
        "makes it"
    };
    Diagnostic::warning(format!("the schema has no default for `{}`", field.name))
        .at(place, format!("{what} {does}"))
        .help("set it in a comment: `+kubebuilder:default=…`; `+default=null` for none")
        .help(ASK_COMPILER)
}

/// Reports one finding for all fields of the type.
fn unknown_of_type(item: &Item) -> Diagnostic {
    Diagnostic::warning(format!(
        "the schema has no defaults for fields of `{}`",
        item.name
    ))
    .at(item.place.clone(), "its default is computed by code")
    .help(
        "set them in comments above the fields: `+kubebuilder:default=…`; `+default=null` for none",
    )
    .help(ASK_COMPILER)
}

/// Returns the value of a function of the version, or of a constructor.
fn of_function(cx: &Cx<'_>, item: &Item, field: &Field, function: &str) -> Option<Value> {
    let path = function.split("::");
    let path = path.map(|part| part.trim().to_owned()).collect();
    let ty = cx.silent_reference(item, field);
    of_code(cx, item.module, &Literal::Named(path), &ty)
}
