//! Types whose numbers or times would change under k8s-openapi's own serde implementation.

use crate::model::{KnownType, TypeRef};

/// The type besides `Time` whose times the codec preserves.
const WITH_TIMES: KnownType = KnownType::Condition;

/// The structs of `k8s_openapi::api` that contain quantities or int-or-strings at any depth: names
/// by module. A table, since finding them means reading the definitions of all structs. The tests
/// find them anew, and write the table with `UPDATE_GOLDEN=1`.
const WITH_NUMBERS: &str = include_str!("exact.txt");

fn has_numbers(path: &str) -> bool {
    let item = path.strip_prefix("k8s_openapi::api::");
    let Some((module, name)) = item.and_then(|item| item.rsplit_once("::")) else {
        return false;
    };
    let mut modules = WITH_NUMBERS.lines().filter_map(|line| line.split_once(' '));
    modules.any(|(other, names)| other == module && names.split(' ').any(|one| one == name))
}

/// Whether the codec alone preserves values of the type exactly: quantities, structs that hold them
/// or int-or-strings, conditions, and lists and maps of these.
pub(crate) fn is_exact_by_codec(ty: &TypeRef) -> bool {
    match ty.element() {
        TypeRef::Known(known) if *known == WITH_TIMES => true,
        TypeRef::Known(KnownType::Quantity | KnownType::IntOrString) => true,
        element => element.path().is_some_and(|path| has_numbers(&path)),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, BTreeSet},
        env, fs,
        path::Path,
    };

    use kube_codec::sources::Part;

    use super::*;
    use crate::{
        builtin::{below_openapi, definition, openapi_structs, resolved},
        kubernetes::KubernetesVersion,
        model::TypeKind,
    };

    /// The types of the fields of each struct, by path.
    fn structs() -> BTreeMap<String, Vec<TypeRef>> {
        let structs = openapi_structs(KubernetesVersion::LATEST).map(|one| {
            let path = below_openapi(one.path);
            let fields = match definition(&path).map(|def| def.kind) {
                Some(TypeKind::Struct(body)) => body.fields,
                _ => Vec::new(),
            };
            let fields = fields.into_iter().map(|field| resolved(field.ty));
            (path, fields.collect())
        });
        structs.collect()
    }

    /// The structs that contain quantities or int-or-strings at any depth.
    fn with_numbers() -> BTreeSet<String> {
        let structs = structs();
        let mut found = BTreeSet::new();
        loop {
            let holds = |ty: &TypeRef| match ty.element() {
                TypeRef::Known(KnownType::Quantity | KnownType::IntOrString) => true,
                element => element.path().is_some_and(|path| found.contains(&path)),
            };
            let new = structs
                .iter()
                .filter(|(path, fields)| !found.contains(*path) && fields.iter().any(holds));
            let new: Vec<String> = new.map(|(path, _)| path.clone()).collect();
            if new.is_empty() {
                return found;
            }
            found.extend(new);
        }
    }

    /// The entries of the codec's list, without the surrounding syntax.
    fn listed() -> BTreeSet<String> {
        let source = Part::named("kubernetes").expect("a part").source;
        let (_, list) = source.split_once("\nexact! {").expect("a list");
        let mut module = String::new();
        let mut found = BTreeSet::new();
        let words = list.split_whitespace();
        for word in words.filter(|word| *word != "{" && !word.ends_with('!')) {
            if word.contains("::") {
                module = format!("k8s_openapi::api::{word}");
            } else if word != "}" {
                found.insert(format!("{module}::{word}"));
            }
        }
        found
    }

    /// The table for the structs.
    fn table() -> String {
        let mut modules: BTreeMap<String, String> = BTreeMap::new();
        for path in with_numbers() {
            let (module, name) = path.rsplit_once("::").expect("a path");
            let module = module.trim_start_matches("k8s_openapi::api::").to_owned();
            *modules.entry(module).or_default() += &format!(" {name}");
        }
        let lines = modules
            .into_iter()
            .map(|(module, names)| format!("{module}{names}\n"));
        lines.collect()
    }

    #[test]
    fn the_table_lists_every_struct_with_numbers() {
        if env::var_os("UPDATE_GOLDEN").is_some() {
            let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/builtin/exact.txt");
            fs::write(file, table()).expect("written");
            return;
        }
        let update = "`UPDATE_GOLDEN=1 cargo test -p kube-codegen --lib builtin` writes the table";
        assert_eq!(WITH_NUMBERS, table(), "{update}");
        for path in with_numbers() {
            assert!(has_numbers(&path), "{path}");
        }
    }

    #[test]
    fn the_codec_lists_every_struct_with_numbers() {
        assert_eq!(listed(), with_numbers());
    }

    #[test]
    fn the_codec_lists_every_field_with_an_int_or_string() {
        let source = Part::named("exact_writer").expect("a part").source;
        for path in with_numbers() {
            let Some(TypeKind::Struct(body)) = definition(&path).map(|def| def.kind) else {
                panic!("{path} is not a struct");
            };
            let (_, name) = path.rsplit_once("::").expect("a path");
            for field in body.fields {
                let pair = format!("({name:?}, {:?})", field.json_name);
                let holds = *field.ty.element() == TypeRef::Known(KnownType::IntOrString);
                assert_eq!(holds, source.contains(&pair), "{pair}");
            }
        }
    }
}
