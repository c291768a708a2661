//! One type for what has one shape and one meaning, with a name that people would give it.
//!
//! Paths of one version that have the same shape and the same last property become one type, `Disk` for every
//! `….disk`. It is named after its kind and that property; where another shape has that name, after the properties before
//! it too. A type that several kinds share stands in a module of its own; it is named after the kind with the shortest path
//! to it, so that another kind that comes to share it renames nothing.
//!
//! Start reading at [`unify`].

use std::collections::{BTreeMap, BTreeSet, HashMap};

use rayon::prelude::*;

use super::{shape::shapes, unnamed::Unnamed};
use crate::model::{
    Aliasing, DeclaredAt, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields,
    names::schema::{Path, TypeNames, type_names},
};

/// Names that are given to no type, and names that a person chose.
pub(super) struct Constraints<'a> {
    /// The kinds' lists.
    pub(super) reserved: &'a BTreeSet<String>,
    /// Names by path.
    pub(super) pinned: &'a BTreeMap<String, String>,
    /// Whether every path has an alias by its full name too.
    pub(super) aliases: bool,
}

/// Names the types, and makes those of one shape and one property one type.
///
/// `types` are sorted by path with shorter paths first; every reference is to a longer path.
pub(super) fn unify(types: Vec<Unnamed>, constraints: &Constraints<'_>) -> Vec<TypeDef> {
    let classes = Classes::of(&types, constraints.pinned);
    let names = classes.names(&types, constraints);
    let name_of: HashMap<&str, &str> = types
        .iter()
        .zip(&classes.of_type)
        .map(|(def, &class)| (def.path.as_str(), names[class].as_str()))
        .collect();
    let aliases = if constraints.aliases {
        aliases(&types, &name_of, constraints)
    } else {
        Vec::new()
    };
    let mut named: Vec<TypeDef> = classes
        .members
        .par_iter()
        .zip(&names)
        .filter_map(|(members, name)| {
            let first = types.get(*members.first()?)?;
            let mut docs = members.iter().filter_map(|&member| types.get(member));
            let documented = docs.find(|def| !def.docs.is_empty()).unwrap_or(first);
            Some(TypeDef {
                name: name.clone(),
                docs: documented.docs.clone(),
                path: first.path.as_str().to_owned(),
                shared: classes.is_shared(&types, members),
                kind: with_names(first.kind.clone(), &name_of),
                validation: first.validation.clone(),
                item: None,
                marshals: None,
                declared: DeclaredAt::default(),
            })
        })
        .collect();
    named.extend(aliases);
    named.par_sort_by(|a, b| a.name.cmp(&b.name));
    named
}

/// Which types become one.
struct Classes {
    /// The class of each type.
    of_type: Vec<usize>,
    /// The types of each class, the shortest path first; classes are sorted by that path.
    members: Vec<Vec<usize>>,
    /// The name that a person chose for each class.
    pins: Vec<Option<String>>,
}

/// What the types of one class have in common: shape and last property; and the kind, of roots and the properties of roots.
type Key<'a> = (usize, &'a str, Option<&'a str>);

impl Classes {
    fn of<'a>(types: &'a [Unnamed], pinned: &'a BTreeMap<String, String>) -> Self {
        let mut classes = Self {
            of_type: Vec::with_capacity(types.len()),
            members: Vec::new(),
            pins: Vec::new(),
        };
        let key = |(def, shape): (&'a Unnamed, usize)| -> Key<'a> {
            let kind = (def.path.depth() <= 2).then(|| def.path.kind());
            (shape, def.path.last(), kind)
        };
        let keys: Vec<Key<'_>> = types.iter().zip(shapes(types)).map(key).collect();
        // A pin is for the whole class; another pin in it makes a class of its own.
        let mut pins: HashMap<Key<'_>, &str> = HashMap::new();
        let pin = |def: &Unnamed| pinned.get(def.path.as_str()).map(String::as_str);
        for (def, key) in types.iter().zip(&keys) {
            if let Some(pin) = pin(def) {
                pins.entry(*key).or_insert(pin);
            }
        }
        let mut by_key: HashMap<(Key<'_>, Option<&str>), usize> =
            HashMap::with_capacity(types.len());
        for (index, (def, key)) in types.iter().zip(keys).enumerate() {
            let pin = pin(def).or_else(|| pins.get(&key).copied());
            let class = *by_key.entry((key, pin)).or_insert(classes.members.len());
            classes.of_type.push(class);
            if classes.pins.len() <= class {
                classes.pins.push(pin.map(str::to_owned));
            }
            match classes.members.get_mut(class) {
                Some(members) => members.push(index),
                None => classes.members.push(vec![index]),
            }
        }
        classes
    }

    /// The name of each class.
    fn names(&self, types: &[Unnamed], constraints: &Constraints<'_>) -> Vec<String> {
        let pinned = constraints.pinned.values();
        let mut names = TypeNames::new(constraints.reserved.iter().chain(pinned));
        let name = |(members, pin): (&Vec<usize>, &Option<String>)| {
            if let Some(name) = pin {
                return name.clone();
            }
            let Some(def) = members.first().and_then(|&first| types.get(first)) else {
                return String::new();
            };
            names.claim(&def.path)
        };
        self.members.iter().zip(&self.pins).map(name).collect()
    }

    /// Whether types of several kinds are of the class.
    fn is_shared(&self, types: &[Unnamed], members: &[usize]) -> bool {
        let mut kinds = members
            .iter()
            .filter_map(|&member| types.get(member))
            .map(|def| def.path.kind());
        let first = kinds.next();
        kinds.any(|kind| Some(kind) != first)
    }
}

/// Another name for each type, made of its whole path, as far as no type has it.
fn aliases(
    types: &[Unnamed],
    name_of: &HashMap<&str, &str>,
    constraints: &Constraints<'_>,
) -> Vec<TypeDef> {
    let paths: Vec<&Path> = types.iter().map(|def| &def.path).collect();
    let whole = type_names(&paths, constraints.pinned, constraints.reserved);
    let taken: BTreeSet<&str> = name_of.values().copied().collect();
    let alias = |def: &Unnamed| {
        let path = def.path.as_str();
        let (name, target) = (whole.get(path)?, name_of.get(path)?);
        (!taken.contains(name.as_str())).then(|| TypeDef {
            name: name.clone(),
            docs: def.docs.clone(),
            path: path.to_owned(),
            shared: false,
            kind: TypeKind::Alias(Aliasing {
                target: TypeRef::Local((*target).to_owned()),
                newtype: false,
            }),
            validation: def.validation.clone(),
            item: None,
            marshals: None,
            declared: DeclaredAt::default(),
        })
    };
    types.iter().filter_map(alias).collect()
}

/// The type with names in place of paths.
fn with_names(mut kind: TypeKind, names: &HashMap<&str, &str>) -> TypeKind {
    if let TypeKind::Struct(StructDef {
        fields,
        unknown_fields,
        ..
    }) = &mut kind
    {
        fields
            .iter_mut()
            .for_each(|field| name_reference(&mut field.ty, names));
        if let UnknownFields::Kept(ty) = unknown_fields {
            name_reference(ty, names);
        }
    }
    kind
}

/// Every path has a name; one without would be a defect, and stays as it is.
fn name_reference(ty: &mut TypeRef, names: &HashMap<&str, &str>) {
    match ty {
        TypeRef::Local(path) => {
            if let Some(name) = names.get(path.as_str()) {
                *path = (*name).to_owned();
            }
        }
        TypeRef::List(inner)
        | TypeRef::Map(inner)
        | TypeRef::Optional(inner)
        | TypeRef::Boxed(inner) => name_reference(inner, names),
        _ => {}
    }
}
