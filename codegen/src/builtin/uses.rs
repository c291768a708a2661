//! The fields that the structs of k8s-openapi have of a named type.

use super::openapi::since;
use crate::kubernetes::KubernetesVersion;

/// Named types by the fields that have them, or lists or maps of them. A table, since finding them
/// means reading the definitions of all structs. The tests find them anew, and write the table with
/// `UPDATE_GOLDEN=1`.
const USES: &str = include_str!("k8s-openapi-uses.txt");

/// The named types that the structs of a Kubernetes version and of every later one use, as module
/// and name within `k8s_openapi` (`api/core/v1/Protocol`), with the JSON names of the fields in
/// lower case.
pub(crate) fn uses(
    version: KubernetesVersion,
) -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    let lines = USES.lines().filter_map(|line| line.split_once(' '));
    lines.map(move |(path, fields)| {
        let fields = fields.split(' ').map(since);
        let fields = fields.filter(move |(_, since)| *since <= version.minor());
        (path, fields.map(|(name, _)| name))
    })
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        env, fs,
        path::Path,
    };

    use super::*;
    use crate::{
        builtin::{below_openapi, definition, openapi_structs},
        model::TypeKind,
    };

    type Uses = BTreeMap<String, BTreeSet<String>>;

    /// The uses in the definitions of all structs.
    fn found(version: KubernetesVersion) -> Uses {
        let mut found = Uses::new();
        for one in openapi_structs(version) {
            let path = below_openapi(one.path);
            let Some(TypeKind::Struct(body)) = definition(&path).map(|def| def.kind) else {
                panic!("{path} is not a struct");
            };
            for (name, _) in one.fields() {
                let mut fields = body.fields.iter();
                let field = fields.find(|field| field.json_name == name);
                if let Some(path) = field.expect("a field").ty.element().path() {
                    let path = path.replacen("k8s_openapi::", "", 1).replace("::", "/");
                    found.entry(path).or_default().insert(name.to_lowercase());
                }
            }
        }
        found
    }

    /// The table for what each version uses.
    fn table() -> String {
        let mut since: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for version in KubernetesVersion::all().rev() {
            let suffix = match version {
                KubernetesVersion::EARLIEST => String::new(),
                version => format!("@{}", version.minor()),
            };
            for (path, fields) in found(version) {
                let fields = fields.into_iter().map(|name| (name, suffix.clone()));
                since.entry(path).or_default().extend(fields);
            }
        }
        let lines = since.into_iter().map(|(path, fields)| {
            let fields = fields
                .iter()
                .map(|(name, suffix)| format!(" {name}{suffix}"));
            format!("{path}{}\n", fields.collect::<String>())
        });
        lines.collect()
    }

    #[test]
    fn the_table_lists_the_uses_of_every_version() {
        if env::var_os("UPDATE_GOLDEN").is_some() {
            let file =
                Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtin/k8s-openapi-uses.txt");
            fs::write(file, table()).expect("written");
            return;
        }
        let update = "`UPDATE_GOLDEN=1 cargo test -p kube-codegen --lib builtin` writes the table";
        assert_eq!(USES, table(), "{update}");
        for version in KubernetesVersion::all() {
            let listed = uses(version)
                .map(|(path, fields)| (path.to_owned(), fields.map(str::to_owned).collect()));
            let mut listed: Uses = listed.collect();
            listed.retain(|_, fields| !fields.is_empty());
            assert_eq!(listed, found(version), "{version:?}");
        }
    }
}
