//! Go types with an existing Rust type: predeclared types, those of the standard library, and
//! Kubernetes' own.

use crate::{
    model::{KnownType, TypeRef},
    read::go::META,
};

/// Returns the type for a predeclared name; `None` if it has no JSON form.
pub(super) fn basic(name: &str) -> Option<TypeRef> {
    let integer = |name: &str| TypeRef::Integer(name.to_owned());
    Some(match name {
        "bool" => TypeRef::Bool,
        "string" => TypeRef::String,
        "int32" | "rune" => TypeRef::Int32,
        "int64" => TypeRef::Int64,
        // 64 bits on Kubernetes' platforms; the schema has no format.
        "int" => integer("isize"),
        "uint" => integer("usize"),
        "int8" => integer("i8"),
        "int16" => integer("i16"),
        "uint8" | "byte" => integer("u8"),
        "uint16" => integer("u16"),
        "uint32" => integer("u32"),
        "uint64" => integer("u64"),
        "float32" | "float64" => TypeRef::Float,
        "any" => TypeRef::Any,
        _ => return None,
    })
}

/// Returns Go's documentation of a type in [`special`] that is declared as another type; fields
/// without documentation inherit it.
pub(super) fn docs(package: &str, name: &str) -> &'static str {
    match (package, name) {
        ("time", "Duration") => {
            "A Duration represents the elapsed time between two instants\n\
             as an int64 nanosecond count. The representation limits the\n\
             largest representable duration to approximately 290 years."
        }
        ("time", "Month") => "A Month specifies a month of the year (January = 1, ...).",
        ("time", "Weekday") => "A Weekday specifies a day of the week (Sunday = 0, ...).",
        _ => "",
    }
}

/// Whether a type in [`special`] has a `MarshalJSON`, which an embedding struct inherits.
pub(super) fn writes_itself(package: &str, name: &str) -> bool {
    let is_plain = matches!(
        (package, name),
        ("time", "Duration" | "Month" | "Weekday")
            | ("encoding/json", "Number")
            | ("net" | "net/netip" | "math/big", _)
    );
    special(package, name).is_some() && !is_plain
}

/// Whether a type in [`special`] has a `MarshalText` and no `MarshalJSON`, which an embedding
/// struct inherits.
pub(super) fn writes_text(package: &str, name: &str) -> bool {
    matches!((package, name), ("net" | "net/netip" | "math/big", _))
        && special(package, name).is_some()
}

/// Whether controller-gen treats a type in [`special`] as the string it is declared as rather than
/// the number it is in JSON.
pub(super) fn is_number_text(package: &str, name: &str) -> bool {
    (package, name) == ("encoding/json", "Number")
}

/// Whether controller-gen treats a type in [`special`] as the bytes it is declared as rather than
/// the JSON it contains.
pub(super) fn is_bytes(package: &str, name: &str) -> bool {
    (package, name) == ("encoding/json", "RawMessage")
}

/// Whether a type in [`special`] is a struct, which Go's encoder never considers empty.
pub(super) fn is_struct(package: &str, name: &str) -> bool {
    match (package, name) {
        ("time", name) => name == "Time",
        ("encoding/json" | "net", _) => false,
        _ => true,
    }
}

/// Whether controller-gen's schema for a type in [`special`] is just `type: object`: the server
/// prunes every field of such a value, unless a marker preserves them.
pub(super) fn is_bare_object(package: &str, name: &str) -> bool {
    (package, name)
        == (
            "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured",
            "Unstructured",
        )
}

/// Whether a type in [`special`] is a duration.
pub(super) fn is_duration(package: &str, name: &str) -> bool {
    name == "Duration" && matches!(package, META | "time")
}

/// Returns the types whose JSON form differs from their declaration.
pub(super) fn special(package: &str, name: &str) -> Option<TypeRef> {
    let known = |known| Some(TypeRef::Known(known));
    match (package, name) {
        (META, "Time") | ("time", "Time") => known(KnownType::Time),
        (META, "MicroTime") => known(KnownType::MicroTime),
        (META, "Duration") => Some(TypeRef::String),
        ("time", "Duration") => Some(TypeRef::Int64),
        ("time", "Month" | "Weekday") => Some(TypeRef::Integer("isize".to_owned())),
        ("k8s.io/apimachinery/pkg/api/resource", "Quantity") => known(KnownType::Quantity),
        ("k8s.io/apimachinery/pkg/util/intstr", "IntOrString") => known(KnownType::IntOrString),
        ("k8s.io/apimachinery/pkg/runtime", "RawExtension") => known(KnownType::RawExtension),
        ("k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1", "JSON")
        | ("encoding/json", "RawMessage") => Some(TypeRef::Any),
        ("k8s.io/apimachinery/pkg/apis/meta/v1/unstructured", "Unstructured") => {
            Some(TypeRef::Map(Box::new(TypeRef::Any)))
        }
        ("encoding/json", "Number") => Some(TypeRef::Float),
        ("net", "IP") | ("net/netip", "Addr" | "Prefix" | "AddrPort") | ("math/big", "Float") => {
            Some(TypeRef::String)
        }
        _ => None,
    }
}
