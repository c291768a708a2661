//! Go types that have a Rust type already: predeclared ones, those of the standard library, and Kubernetes' own.

use crate::{
    builtin,
    model::{ExternalType, KnownType, TypeRef},
};

/// The packages of Kubernetes' own types, with the module of `k8s_openapi` that each prefix becomes.
const KUBERNETES: [(&str, &str); 4] = [
    ("k8s.io/api/", "api/"),
    ("k8s.io/apimachinery/", "apimachinery/"),
    (
        "k8s.io/apiextensions-apiserver/",
        "apiextensions_apiserver/",
    ),
    ("k8s.io/kube-aggregator/", "kube_aggregator/"),
];

/// `k8s.io/apimachinery/pkg/apis/meta/v1`
pub(super) const META: &str = "k8s.io/apimachinery/pkg/apis/meta/v1";

/// Whether the package is of Kubernetes' own API.
pub(super) fn is_kubernetes(package: &str) -> bool {
    KUBERNETES
        .iter()
        .any(|(prefix, _)| package.starts_with(prefix))
}

/// The path of a Kubernetes type in k8s-openapi, whether that has the type or not.
pub(super) fn k8s_openapi_path(package: &str, name: &str) -> Option<Vec<String>> {
    let (prefix, module) = KUBERNETES
        .iter()
        .find(|(prefix, _)| package.starts_with(prefix))?;
    let rest = &package[prefix.len()..];
    let path = format!("{module}{rest}").replace('-', "_");
    let segments = ["k8s_openapi"]
        .into_iter()
        .chain(path.split('/'))
        .chain([name]);
    Some(segments.map(str::to_owned).collect())
}

/// Whether k8s-openapi has the type at a path that starts with its name.
pub(super) fn is_in_k8s_openapi(path: &[String]) -> bool {
    let below = path.get(1..).unwrap_or_default();
    builtin::is_in_k8s_openapi(&below.join("/"))
}

/// The reference to a type by its path.
pub(super) fn at_path(path: Vec<String>) -> TypeRef {
    let below: Vec<&str> = path.iter().skip(1).map(String::as_str).collect();
    match KnownType::at(&below) {
        Some(known) if path.first().is_some_and(|name| name == "k8s_openapi") => {
            TypeRef::Known(known)
        }
        _ => TypeRef::External(ExternalType::new(path)),
    }
}

/// The type of a predeclared name; none for what has no JSON.
pub(super) fn basic(name: &str) -> Option<TypeRef> {
    let integer = |name: &str| TypeRef::Integer(name.to_owned());
    Some(match name {
        "bool" => TypeRef::Bool,
        "string" => TypeRef::String,
        "int32" | "rune" => TypeRef::Int32,
        "int64" => TypeRef::Int64,
        // As wide as on Kubernetes' platforms; the schema has no format.
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

/// Go's documentation of a type of [`special`] that is declared as another, which fields without any of their own carry.
pub(super) fn docs(package: &str, name: &str) -> &'static str {
    match (package, name) {
        ("time", "Duration") => {
            "A Duration represents the elapsed time between two instants\n\
             as an int64 nanosecond count. The representation limits the\n\
             largest representable duration to approximately 290 years."
        }
        _ => "",
    }
}

/// The types whose JSON is not what their declaration says.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(package: &str, name: &str, expected: &str, present: bool) {
        let path = k8s_openapi_path(package, name).expect("a package of Kubernetes");
        assert_eq!(path.join("::"), expected);
        assert_eq!(is_in_k8s_openapi(&path), present);
    }

    #[test]
    fn kubernetes_types_have_the_path_of_their_package() {
        check(
            "k8s.io/api/core/v1",
            "PodSpec",
            "k8s_openapi::api::core::v1::PodSpec",
            true,
        );
        check(
            META,
            "LabelSelector",
            "k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector",
            true,
        );
        check(
            "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
            "JSONSchemaProps",
            "k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::JSONSchemaProps",
            true,
        );
        check(
            "k8s.io/apimachinery/pkg/types",
            "NamespacedName",
            "k8s_openapi::apimachinery::pkg::types::NamespacedName",
            false,
        );
        assert!(k8s_openapi_path("example.com/api/core/v1", "PodSpec").is_none());
    }
}
