//! Kubernetes' own types in the generator's model, from the table that the embedded API server uses
//! too.
//!
//! Manifest schemas expand types such as `PodTemplateSpec` from it, Go input falls back to it when
//! the `k8s.io` sources are missing, and CRD schemas are recognised by it. `hack/builtin-types.sh`
//! builds it with this crate's Go reader. Start reading at [`definition`].

mod convert;
mod exact;
mod openapi;
mod optional_text;
mod paths;
mod since;
mod uses;

#[cfg(feature = "go")]
use std::{collections::BTreeMap, sync::LazyLock};

use crate::model::{TypeDef, TypeKind, TypeRef};

pub(crate) use exact::is_exact_by_codec;
pub(crate) use openapi::{OpenapiStruct, Written, below_openapi, openapi_structs};
pub(crate) use optional_text::is_optional_text;
#[cfg(any(feature = "cli", feature = "go"))]
pub(crate) use paths::rust_path;
#[cfg(feature = "go")]
pub(crate) use paths::{at_path, go_package, is_kubernetes};
pub(crate) use since::definition_in;
pub(crate) use uses::uses;

/// The types that every supported version of k8s-openapi has in the form of the Go type: sorted
/// names by module, and whether they are API objects.
#[cfg(feature = "go")]
static K8S_OPENAPI: LazyLock<BTreeMap<&str, Vec<(&str, bool)>>> = LazyLock::new(|| {
    let lines = include_str!("k8s-openapi.txt").lines();
    let named = |name: &'static str| match name.strip_suffix('*') {
        Some(name) => (name, true),
        None => (name, false),
    };
    lines
        .filter_map(|line| line.split_once(' '))
        .map(|(module, names)| (module, names.split(' ').map(named).collect()))
        .collect()
});

/// Whether k8s-openapi has the type at the path, which lists the type's name last.
#[cfg(feature = "go")]
pub(crate) fn is_in_k8s_openapi(path: &[String]) -> bool {
    in_k8s_openapi(path).is_some()
}

/// Whether k8s-openapi has the type at the path as an API object, which always writes its
/// `apiVersion` and `kind`.
#[cfg(feature = "go")]
pub(crate) fn is_openapi_object(path: &[String]) -> bool {
    in_k8s_openapi(path) == Some(true)
}

/// Whether k8s-openapi has the type at the path as an API object; `None` if it lacks the type.
#[cfg(feature = "go")]
fn in_k8s_openapi(path: &[String]) -> Option<bool> {
    let (name, [_, module @ ..]) = path.split_last()? else {
        return None;
    };
    let names = K8S_OPENAPI.get(module.join("/").as_str())?;
    let index = names.binary_search_by_key(&name.as_str(), |(name, _)| name);
    names.get(index.ok()?).map(|(_, is_object)| *is_object)
}

/// Whether a field of a Go type can get a Rust type without the Go source: k8s-openapi has the
/// type, or the table defines it as a string, list or map.
#[cfg(feature = "go")]
pub(crate) fn replaces_source(package: &str, name: &str) -> bool {
    let Some(entry) = kube_builtin_types::find(package, name) else {
        return false;
    };
    if let Some(is_object) = rust_path(package, name).and_then(|path| in_k8s_openapi(&path)) {
        return !is_object;
    }
    let definition = entry.definition::<serde::de::IgnoredAny>();
    definition
        .is_some_and(|definition| !matches!(definition.body, kube_builtin_types::Body::Struct(_)))
}

/// Returns the definition of a type by its Rust path (`k8s_openapi::api::core::v1::PodSpec`). It
/// contains no local references.
#[must_use]
pub fn definition(path: &str) -> Option<TypeDef> {
    let (module, name) = path.rsplit_once("::")?;
    go_type(&paths::go_package(module)?, name)
}

/// Returns the definition of a type by its Go package and name (`k8s.io/api/core/v1`, `Protocol`).
#[must_use]
pub fn go_type(package: &str, name: &str) -> Option<TypeDef> {
    let entry = kube_builtin_types::find(package, name)?;
    convert::type_def(name, entry.definition()?, entry.docs())
}

/// Replaces named types that k8s-openapi does not have with the string, list or map that they stand
/// for: `ResourceList` becomes a map of quantities.
pub(crate) fn resolved(ty: TypeRef) -> TypeRef {
    match ty {
        TypeRef::List(inner) => TypeRef::List(Box::new(resolved(*inner))),
        TypeRef::Map(inner) => TypeRef::Map(Box::new(resolved(*inner))),
        TypeRef::External(external) => {
            let path = external.segments.join("::");
            match definition(&path).map(|def| (def.marshals, def.kind)) {
                Some((None, TypeKind::Alias(alias))) => resolved(alias.target),
                Some((None, TypeKind::Enum(_))) => TypeRef::String,
                _ => TypeRef::External(external),
            }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{ExternalType, KnownType};

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
    fn names_of_texts_lists_and_maps_are_resolved_and_those_of_structs_stay() {
        #[track_caller]
        fn check(name: &str, expected: &TypeRef) {
            let path = format!("k8s_openapi::api::core::v1::{name}");
            let segments = path.split("::").map(str::to_owned).collect();
            let ty = TypeRef::List(Box::new(TypeRef::External(ExternalType::new(segments))));
            assert_eq!(resolved(ty), TypeRef::List(Box::new(expected.clone())));
        }
        let quantity = TypeRef::Known(KnownType::Quantity);
        check("Protocol", &TypeRef::String);
        check("ResourceList", &TypeRef::Map(Box::new(quantity)));
        let segments = ["k8s_openapi", "api", "core", "v1", "Probe"].map(str::to_owned);
        let probe = TypeRef::External(ExternalType::new(segments.into()));
        check("Probe", &probe);
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
    fn every_type_of_the_table_has_a_definition_with_its_documentation() {
        let mut documented = 0;
        for entry in kube_builtin_types::all() {
            let def = go_type(entry.package, entry.name);
            let def = def.unwrap_or_else(|| panic!("{}.{}", entry.package, entry.name));
            documented += usize::from(!def.docs.is_empty());
        }
        assert!(documented > 1_000, "{documented}");
    }

    #[cfg(feature = "go")]
    #[test]
    fn types_that_k8s_openapi_has_are_known() {
        assert!(K8S_OPENAPI.values().all(|names| names.is_sorted()));
        #[track_caller]
        fn check(package: &str, name: &str, expected: bool) {
            let path = rust_path(package, name).expect("a package of Kubernetes");
            assert_eq!(is_in_k8s_openapi(&path), expected, "{package}.{name}");
        }
        check("k8s.io/api/core/v1", "PodSpec", true);
        check(
            "k8s.io/apimachinery/pkg/apis/meta/v1",
            "LabelSelector",
            true,
        );
        check("k8s.io/apimachinery/pkg/types", "NamespacedName", false);
        // In Rust, these are something else.
        let meta = "k8s.io/apimachinery/pkg/apis/meta/v1";
        check(meta, "WatchEvent", false);
        check(meta, "Patch", false);
        let crds = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1";
        check(crds, "CustomResourceSubresourceStatus", false);
        check(crds, "JSONSchemaPropsOrBool", true);
    }
}
