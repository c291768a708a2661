//! The structs of k8s-openapi, as far as all its Kubernetes versions have them alike.

/// A struct of k8s-openapi other than an API object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OpenapiStruct {
    /// Module and name below `k8s_openapi`: `api/core/v1/PodSpec`.
    pub(crate) path: &'static str,
    /// The JSON names of its fields, sorted; `!` after those that are always written.
    fields: &'static str,
}

/// Whether a field of k8s-openapi can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// An `Option`, left out when none.
    Sometimes,
    /// Every other, which is written when empty too.
    Always,
}

impl OpenapiStruct {
    /// The fields that every version has, by their JSON names.
    pub(crate) fn fields(self) -> impl Iterator<Item = (&'static str, Written)> {
        self.fields
            .split(' ')
            .map(|name| match name.strip_suffix('!') {
                Some(name) => (name, Written::Always),
                None => (name, Written::Sometimes),
            })
    }
}

/// The structs that every version has, sorted by path; of alpha and beta versions none.
pub(crate) fn openapi_structs() -> impl Iterator<Item = OpenapiStruct> {
    let lines = include_str!("k8s-openapi-fields.txt").lines();
    lines.filter_map(|line| {
        let (path, fields) = line.split_once(' ')?;
        Some(OpenapiStruct { path, fields })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{builtin::definition, model::TypeKind};

    #[test]
    fn the_table_of_types_has_every_field() {
        for one in openapi_structs() {
            let path = format!("k8s_openapi::{}", one.path.replace('/', "::"));
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
        let mut all = openapi_structs();
        let found = all.find(|one| one.path == "api/core/v1/ContainerPort");
        let fields: Vec<_> = found.expect("a struct").fields().collect();
        assert_eq!(fields[0], ("containerPort", Written::Always));
        assert_eq!(fields[1], ("hostIP", Written::Sometimes));
    }
}
