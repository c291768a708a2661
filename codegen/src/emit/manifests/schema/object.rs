//! API objects: the implied properties of their schemas.

use super::{DESCRIPTION, Schema};
use crate::model::{TypeDef, TypeKind};

/// Adds `apiVersion` and `kind`, which are implied in Rust and Go, to the schema of a struct.
pub(super) fn of_object(mut schema: Schema) -> Schema {
    let text = |description: &str| Schema::of_type("string").with(DESCRIPTION, description);
    for (name, description) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        schema
            .properties
            .insert(name.to_owned(), text(description).into());
    }
    schema
}

/// Whether the `metadata` of a Go root type is optional.
pub(super) fn metadata_may_be_missing(def: &TypeDef) -> bool {
    let TypeKind::Struct(body) = &def.kind else {
        return false;
    };
    let mut fields = body.fields.iter();
    let metadata = fields.find(|field| field.json_name == "metadata");
    metadata
        .and_then(|field| field.go.as_ref())
        .is_some_and(|go| !go.required)
}

/// The documentation of TypeMeta's fields, which every root has.
const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object.\n\
Servers should convert recognized schemas to the latest internal value, and\n\
may reject unrecognized values.\n\
More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";

const KIND: &str = "Kind is a string value representing the REST resource this object represents.\n\
Servers may infer this from the endpoint the client submits requests to.\n\
Cannot be updated.\n\
In CamelCase.\n\
More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
