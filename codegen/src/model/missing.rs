//! Fields that a kind has in one version and not in another, which a conversion loses unless it
//! keeps them elsewhere.

use std::collections::BTreeSet;

use super::{Field, Resource, TypeKind, TypeRef, Version};

/// A kind in one version.
#[derive(Clone, Copy)]
pub struct Versioned<'a> {
    /// The version.
    pub version: &'a Version,
    /// The kind in it.
    pub resource: &'a Resource,
}

impl<'a> Versioned<'a> {
    /// The paths, as `.spec.ports[].name`, of the fields that the kind has here and not in `other`,
    /// in the order of declaration. Fields below a missing one are not listed, and types of other
    /// crates count as equal.
    #[must_use]
    pub fn missing_from(self, other: Self) -> Vec<String> {
        let mut walk = Walk {
            from: self.version,
            to: other.version,
            seen: BTreeSet::new(),
            missing: Vec::new(),
        };
        walk.types(&self.resource.root, &other.resource.root, "");
        walk.missing
    }
}

struct Walk<'a> {
    from: &'a Version,
    to: &'a Version,
    /// Pairs of types that were compared, since types may contain themselves.
    seen: BTreeSet<(&'a str, &'a str)>,
    missing: Vec<String>,
}

impl<'a> Walk<'a> {
    fn types(&mut self, from: &'a str, to: &'a str, path: &str) {
        if !self.seen.insert((from, to)) {
            return;
        }
        let (Some(have), Some(known)) = (fields(self.from, from), fields(self.to, to)) else {
            return;
        };
        for field in have {
            let path = format!("{path}.{}", field.json_name);
            let same = known.iter().find(|it| it.json_name == field.json_name);
            let Some(same) = same else {
                self.missing.push(path);
                continue;
            };
            if let (Some(from), Some(to)) = (field.ty.local(), same.ty.local()) {
                self.types(from, to, &format!("{path}{}", suffix(&field.ty)));
            }
        }
    }
}

/// The fields of a struct as they are on the wire: flattened ones take the place of theirs. `None`
/// for other types.
pub(crate) fn fields<'a>(version: &'a Version, name: &str) -> Option<Vec<&'a Field>> {
    match &version.type_def(name)?.kind {
        TypeKind::Alias(alias) => fields(version, alias.target.local()?),
        TypeKind::Struct(structure) => {
            let mut found = Vec::new();
            for field in structure.fields.iter().filter(|field| !field.skip) {
                let flattened = field.ty.local().filter(|_| field.flatten);
                match flattened.filter(|inner| *inner != name) {
                    Some(inner) => found.extend(fields(version, inner)?),
                    None => found.push(field),
                }
            }
            Some(found)
        }
        TypeKind::Enum(_) | TypeKind::Union(_) => None,
    }
}

/// What stands in a path for the lists and maps of a type.
fn suffix(ty: &TypeRef) -> String {
    match ty {
        TypeRef::List(inner) => format!("[]{}", suffix(inner)),
        TypeRef::Map(inner) => format!(".*{}", suffix(inner)),
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => suffix(inner),
        _ => String::new(),
    }
}
