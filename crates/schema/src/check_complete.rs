//! Completeness: fields in value validations must also be specified outside of them
//! (`apiextensions-apiserver/pkg/apiserver/schema/complete.go`). As in the server, only those of
//! the root are checked.

use super::props::Props;
use crate::field::Path;
use crate::field::{FieldError, FieldErrorKind};

/// Checks that all fields in value validations are also specified outside of them.
pub(crate) fn complete(
    validation: Props<'_>,
    schema: Option<Props<'_>>,
    schema_path: &Path<'_>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    if let Some(not) = validation.not() {
        complete_nested(not, schema, schema_path, &path.child("not"), errors);
    }
    for key in ["allOf", "anyOf", "oneOf"] {
        let list = path.child(key);
        for (i, branch) in validation.branches(key).enumerate() {
            complete_nested(branch, schema, schema_path, &list.index(i), errors);
        }
    }
}

fn complete_nested(
    validation: Props<'_>,
    schema: Option<Props<'_>>,
    schema_path: &Path<'_>,
    path: &Path<'_>,
    errors: &mut Vec<FieldError>,
) {
    let because = |path: &Path<'_>| format!("because it is defined in {}", path.render());
    let Some(found) = schema else {
        require(errors, schema_path.field(), &because(path));
        return;
    };
    complete(validation, schema, schema_path, path, errors);
    if let Some(items) = validation.items() {
        complete_nested(
            items,
            found.items(),
            &schema_path.child("items"),
            &path.child("items"),
            errors,
        );
    }
    let (schema_properties, properties) =
        (schema_path.child("properties"), path.child("properties"));
    for (name, property) in validation.properties() {
        let (schema_here, here) = (schema_properties.key(name), properties.key(name));
        match found.property(name) {
            Some(specified) => {
                complete_nested(property, Some(specified), &schema_here, &here, errors)
            }
            None => require(errors, schema_here.field(), &because(&here)),
        }
    }
}

fn require(errors: &mut Vec<FieldError>, field: String, detail: &str) {
    errors.push(FieldError::new(field, FieldErrorKind::Required, detail));
}
