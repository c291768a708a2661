//! Kubernetes' own types as their Go sources define them: docs, JSON names, presence, defaults, list and map semantics.
//!
//! One table for whoever needs them: schemas of manifests expand `PodTemplateSpec` from it, and Go input takes it where the
//! sources of `k8s.io` are not there. `hack/builtin-types.sh` makes it with this crate's own reader of Go; it is unpacked when it
//! is first asked, and a type is decoded when it is asked for. Start reading at [`definition`].

mod exact;
#[cfg(feature = "go")]
mod make;
mod openapi;
mod row;

use std::{collections::BTreeMap, sync::LazyLock};

use crate::model::TypeDef;

pub(crate) use exact::is_exact_by_codec;
#[cfg(feature = "go")]
pub use make::make;
pub(crate) use openapi::{Written, openapi_structs};

static PACKED: &[u8] = include_bytes!("types.bin");

/// The rows by package and name: `k8s.io/api/core/v1.PodSpec`.
static ROWS: LazyLock<BTreeMap<&'static str, &'static str>> = LazyLock::new(|| {
    let unpacked = miniz_oxide::inflate::decompress_to_vec(PACKED).unwrap_or_default();
    let text = String::from_utf8(unpacked).unwrap_or_default();
    let text: &'static str = Box::leak(text.into_boxed_str());
    let rows = text.lines().filter_map(|line| line.split_once('\t'));
    rows.collect()
});

/// The types that every version in k8s-openapi has, as `module/Name`.
#[cfg(feature = "go")]
static K8S_OPENAPI: LazyLock<std::collections::BTreeSet<String>> = LazyLock::new(|| {
    let lines = include_str!("k8s-openapi.txt").lines();
    lines
        .flat_map(|line| {
            let (module, names) = line.split_once(' ').unwrap_or((line, ""));
            names.split(' ').map(move |name| format!("{module}/{name}"))
        })
        .collect()
});

/// Whether k8s-openapi has a type, by its module and name (`api/core/v1/PodSpec`).
#[cfg(feature = "go")]
pub(crate) fn is_in_k8s_openapi(path: &str) -> bool {
    K8S_OPENAPI.contains(path)
}

/// The definition of a type by its path in Rust (`k8s_openapi::api::core::v1::PodSpec`); within it no type is local.
#[must_use]
pub fn definition(path: &str) -> Option<TypeDef> {
    let (module, name) = path.rsplit_once("::")?;
    go_type(&go_package(module)?, name)
}

/// The definition of a type by its Go package and name (`k8s.io/api/core/v1`, `Protocol`).
#[must_use]
pub fn go_type(package: &str, name: &str) -> Option<TypeDef> {
    let row = ROWS.get(format!("{package}.{name}").as_str())?;
    row::decode(name, row)
}

/// Every type of the table: package and name.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    ROWS.keys().filter_map(|key| key.rsplit_once('.'))
}

/// The Go package of a module of k8s-openapi.
fn go_package(module: &str) -> Option<String> {
    let below = module.strip_prefix("k8s_openapi::")?;
    let (first, rest) = below.split_once("::")?;
    let first = match first {
        "apiextensions_apiserver" => "apiextensions-apiserver",
        first => first,
    };
    Some(format!("k8s.io/{first}/{}", rest.replace("::", "/")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{KnownType, TypeKind, TypeRef};

    #[test]
    fn types_are_found_by_their_path_in_rust() {
        let spec = definition("k8s_openapi::api::core::v1::PodTemplateSpec").expect("in the table");
        let TypeKind::Struct(spec) = spec.kind else {
            panic!("not a struct");
        };
        let names: Vec<&str> = spec
            .fields
            .iter()
            .map(|field| field.json_name.as_str())
            .collect();
        assert_eq!(names, ["metadata", "spec"]);
        assert_eq!(spec.fields[0].ty, TypeRef::Known(KnownType::ObjectMeta));
        assert_eq!(spec.fields[1].ty, TypeRef::Known(KnownType::PodSpec));
        assert!(definition("k8s_openapi::api::core::v1::Nothing").is_none());
    }

    #[test]
    fn markers_of_kubernetes_own_types_are_kept() {
        let list = definition("k8s_openapi::api::core::v1::PodSpec").expect("in the table");
        let TypeKind::Struct(spec) = list.kind else {
            panic!("not a struct");
        };
        let containers = spec
            .fields
            .iter()
            .find(|field| field.json_name == "containers");
        let containers = containers.expect("a field");
        assert_eq!(containers.validation.list_map_keys, ["name"]);
        assert!(containers.required);
        let condition = "k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition";
        let TypeKind::Struct(condition) = definition(condition).expect("in the table").kind else {
            panic!("not a struct");
        };
        let reason = condition
            .fields
            .iter()
            .find(|field| field.json_name == "reason");
        assert_eq!(reason.expect("a field").validation.max_length, Some(1024));
    }

    #[test]
    fn every_row_decodes() {
        let broken: Vec<_> = names()
            .filter(|(package, name)| go_type(package, name).is_none())
            .collect();
        assert!(broken.is_empty(), "{broken:?}");
        assert!(names().count() > 900, "{}", names().count());
    }
}
