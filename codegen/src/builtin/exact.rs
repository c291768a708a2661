//! Types whose numbers or times would change under k8s-openapi's own serde implementation.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::{definition, openapi_structs, resolved};
use crate::{
    kubernetes::KubernetesVersion,
    model::{KnownType, TypeKind, TypeRef},
};

/// The type besides `Time` whose times the codec preserves.
const WITH_TIMES: KnownType = KnownType::Condition;

/// The paths of structs that contain quantities or int-or-strings at any depth.
static WITH_NUMBERS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let structs = openapi_structs(KubernetesVersion::LATEST).map(|one| {
        let path = format!("k8s_openapi::{}", one.path.replace('/', "::"));
        let fields = match definition(&path).map(|def| def.kind) {
            Some(TypeKind::Struct(body)) => body.fields,
            _ => Vec::new(),
        };
        let fields = fields.into_iter().map(|field| resolved(field.ty));
        (path, fields.collect())
    });
    let structs: BTreeMap<String, Vec<TypeRef>> = structs.collect();
    let mut found = BTreeSet::new();
    loop {
        let is_new = |(path, fields): &(&String, &Vec<TypeRef>)| {
            !found.contains(*path) && fields.iter().any(|ty| has_numbers(ty, &found))
        };
        let new: Vec<String> = structs
            .iter()
            .filter(is_new)
            .map(|(path, _)| path.clone())
            .collect();
        if new.is_empty() {
            return found;
        }
        found.extend(new);
    }
});

fn has_numbers(ty: &TypeRef, structs: &BTreeSet<String>) -> bool {
    match ty.element() {
        TypeRef::Known(KnownType::Quantity | KnownType::IntOrString) => true,
        element => element.path().is_some_and(|path| structs.contains(&path)),
    }
}

/// Whether the runtime's codec alone preserves values of the type exactly: quantities, structs that hold them or int-or-strings,
/// conditions, and lists and maps of these.
pub(crate) fn is_exact_by_codec(ty: &TypeRef) -> bool {
    match ty.element() {
        TypeRef::Known(known) if *known == WITH_TIMES => true,
        element => has_numbers(element, &WITH_NUMBERS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The entries of the runtime's list, without the surrounding syntax.
    fn listed() -> BTreeSet<String> {
        let source = include_str!("../../../runtime/src/codec/kubernetes.rs");
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

    #[test]
    fn the_runtime_lists_every_struct_with_numbers() {
        assert_eq!(*WITH_NUMBERS, listed());
    }

    #[test]
    fn the_runtime_lists_every_field_with_an_int_or_string() {
        let source = include_str!("../../../runtime/src/codec/exact_writer.rs");
        for path in WITH_NUMBERS.iter() {
            let Some(TypeKind::Struct(body)) = definition(path).map(|def| def.kind) else {
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
