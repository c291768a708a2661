//! The structs of k8s-openapi, as far as they are the same in all Kubernetes versions from a
//! minimum on.

use crate::kubernetes::KubernetesVersion;

/// A struct of k8s-openapi other than an API object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenapiStruct {
    /// Module and name within `k8s_openapi`: `api/core/v1/PodSpec`.
    pub(crate) path: &'static str,
    /// The JSON names of its fields, sorted. A suffix `@35` marks a field that is the same from
    /// Kubernetes 1.35 on, and `!` a field that is always written.
    fields: &'static str,
    /// The minimum version.
    version: KubernetesVersion,
}

/// Whether k8s-openapi can leave out a field when serializing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// An `Option`, left out when `None`.
    Sometimes,
    /// Any other field, which is written even when empty.
    Always,
}

/// Returns the Rust path for a path within k8s-openapi (`api/core/v1/PodSpec`).
pub(crate) fn below_openapi(path: &str) -> String {
    format!("k8s_openapi::{}", path.replace('/', "::"))
}

impl OpenapiStruct {
    /// The fields that all versions from the minimum on have, by JSON name.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, Written)> {
        self.fields.split(' ').filter_map(move |field| {
            let (field, written) = match field.strip_suffix('!') {
                Some(field) => (field, Written::Always),
                None => (field, Written::Sometimes),
            };
            let (name, since) = since(field);
            (since <= self.version.minor()).then_some((name, written))
        })
    }
}

/// The structs that the version and every later one have, sorted by path. Alpha and beta API
/// versions are excluded.
pub(crate) fn openapi_structs(version: KubernetesVersion) -> impl Iterator<Item = OpenapiStruct> {
    let lines = include_str!("k8s-openapi-fields.txt").lines();
    lines.filter_map(move |line| {
        let (path, fields) = line.split_once(' ')?;
        let (path, since) = since(path);
        (since <= version.minor()).then_some(OpenapiStruct {
            path,
            fields,
            version,
        })
    })
}

/// Splits a name from the minor version of Kubernetes since which it applies; 0 for all versions.
pub(super) fn since(name: &str) -> (&str, u8) {
    match name.split_once('@') {
        Some((name, since)) => (name, since.parse().unwrap_or(u8::MAX)),
        None => (name, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{builtin::definition, model::TypeKind};

    #[test]
    fn the_table_of_types_has_every_field() {
        for one in openapi_structs(KubernetesVersion::LATEST) {
            let path = below_openapi(one.path);
            let Some(def) = definition(&path) else {
                panic!("{path} is not in the table");
            };
            let TypeKind::Struct(def) = def.kind else {
                panic!("{path} is not a struct");
            };
            for (name, _) in one.fields() {
                let mut fields = def.fields.iter();
                assert!(fields.any(|field| field.json_name == name), "{path}.{name}");
            }
        }
    }

    #[test]
    fn fields_that_are_always_written_are_known() {
        let mut all = openapi_structs(KubernetesVersion::EARLIEST);
        let found = all.find(|one| one.path == "api/core/v1/ContainerPort");
        let fields: Vec<_> = found.expect("a struct").fields().collect();
        assert_eq!(fields[0], ("containerPort", Written::Always));
        assert_eq!(fields[1], ("hostIP", Written::Sometimes));
    }

    #[test]
    fn fields_count_from_the_version_on_that_has_them() {
        #[track_caller]
        fn check(path: &str, field: &str, since: u8) {
            for version in KubernetesVersion::all() {
                let one = openapi_structs(version).find(|one| one.path == path);
                let found = one.is_some_and(|one| one.fields().any(|(name, _)| name == field));
                assert_eq!(found, version.minor() >= since, "{path}.{field} {version}");
            }
        }
        check("api/core/v1/PodSpec", "containers", 33);
        check("api/core/v1/PodSpec", "hostnameOverride", 34);
        check("api/core/v1/FileKeySelector", "key", 34);
        check("api/rbac/v1/RoleRef", "kind", 36);
        // Only 1.35 has it.
        check("api/core/v1/PodSpec", "workloadRef", u8::MAX);
    }
}
