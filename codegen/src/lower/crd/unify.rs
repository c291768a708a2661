//! Merges types of the same shape and meaning, and gives them natural names.
//!
//! Paths of one version that have the same shape and the same last property become one type. It is
//! named after its kind and that property (`MachineDisk`); if another shape has that name, also
//! after preceding properties. A type that several kinds share is placed in a separate module, and
//! named after its properties alone (`Disk`), since it belongs to none of the kinds.
//!
//! If several shapes could have a name, the shape that is least likely to lose it in a later
//! release gets it. New properties are optional, so that is the shape with the fewest optional
//! properties on its path; among these, the one with the longest path, since a type added close to
//! the kind is often a variant of one further down.
//!
//! A recorded name ([`crate::record`]) takes precedence over these rules: a type keeps its recorded
//! name, and types with different names stay separate even if they now have the same shape. If one
//! type has split into several shapes, the type with the shortest path keeps the name.
//!
//! Start reading at [`unify`].

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter, mem,
};

use rayon::prelude::*;

use super::{extract::Unnamed, merged, reserved_names::is_misleading, shape::shapes};
use crate::{
    model::{
        Aliasing, DeclaredAt, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields,
        names::{
            schema::{Path, TypeNames, type_names},
            upper_camel,
        },
    },
    record::Line,
};

/// Constraints on the choice of names.
pub(super) struct Constraints<'a> {
    /// The names of the kinds' lists, which no type may have.
    pub(super) reserved: &'a BTreeSet<String>,
    /// Pinned names by path.
    pub(super) pinned: &'a BTreeMap<String, String>,
    /// Whether every path also gets an alias by its full name.
    pub(super) aliases: bool,
}

/// Sorts types: shorter paths first, kinds whose types have their names first, then older kinds,
/// then by path.
///
/// `by_age` orders kinds from old to new, so that a new kind that shares types with older ones does
/// not take names from them.
pub(super) fn sort(types: &mut [Unnamed<'_>], by_age: impl Fn(&str, &str) -> Ordering + Sync) {
    types.par_sort_by(|a, b| {
        let depths = a.path.depth().cmp(&b.path.depth());
        let kinds = (a.path.kind(), b.path.kind());
        let ages = || match kinds.0 == kinds.1 {
            true => Ordering::Equal,
            false => by_age(kinds.0, kinds.1),
        };
        let spelled = |def: &Unnamed<'_>| def.root && is_respelled(def.path.kind());
        depths
            .then_with(|| spelled(a).cmp(&spelled(b)))
            .then_with(ages)
            .then_with(|| a.path.cmp(&b.path))
    });
}

/// Whether the type of a kind cannot have its name (`Foo-Bar`), which another kind may have as it
/// is (`FooBar`).
fn is_respelled(kind: &str) -> bool {
    upper_camel(kind) != kind
}

/// Names the types, and merges those with the same shape and property.
///
/// `types` are sorted by path with shorter paths first; every reference is to a longer path. Types
/// that lose their recorded names are added to `renamed`: their lines, with the new names.
pub(super) fn unify<'a>(
    mut types: Vec<Unnamed<'a>>,
    constraints: &Constraints<'_>,
    renamed: &mut Vec<(&'a Line, String)>,
) -> Vec<TypeDef> {
    let shapes = settled_shapes(&types, constraints.pinned);
    let optional = optional_properties(&types);
    // Bodies are moved: a type and its descriptions are never in memory twice.
    let bodies: Vec<TypeKind> = types
        .iter_mut()
        .map(|def| mem::replace(&mut def.kind, TypeKind::Struct(StructDef::default())))
        .collect();
    let types = types.as_slice();
    let Classes {
        classes, class_of, ..
    } = classes(types, &shapes, constraints.pinned);
    let names = names(&classes, &optional, constraints);
    renamed.extend(lines_renamed(&classes, &names));
    let names_of_types = class_of.iter().filter_map(|&class| names.get(class));
    let name_of: NameOf<'_> = types
        .iter()
        .map(|def| def.path.as_str())
        .zip(names_of_types.map(String::as_str))
        .collect();
    let bodies = merged::bodies(bodies, &class_of);
    let mut named: Vec<TypeDef> = classes
        .par_iter()
        .zip(&names)
        .zip(bodies)
        .map(|((class, name), body)| class.named(name, body, &name_of))
        .collect();
    if constraints.aliases {
        named.extend(aliases(types, &name_of, constraints));
    }
    named.par_sort_by(|a, b| a.name.cmp(&b.name));
    named
}

/// Computes shapes in which references to types that stay separate differ as well. Otherwise a
/// merged type would refer to different types depending on its path.
fn settled_shapes(types: &[Unnamed<'_>], pinned: &BTreeMap<String, String>) -> Vec<usize> {
    let mut settled = shapes(types, None);
    if pinned.is_empty() && types.iter().all(|def| def.line.is_none()) {
        return settled;
    }
    // Each round settles the types that refer to already settled types.
    loop {
        let found = classes(types, &settled, pinned);
        if !found.apart {
            return settled;
        }
        let next = shapes(types, Some(&found.class_of));
        if next == settled {
            return settled;
        }
        settled = next;
    }
}

/// Returns the lines of types that lost their recorded names, with the new names.
fn lines_renamed<'a>(classes: &[Class<'_, 'a>], names: &[String]) -> Vec<(&'a Line, String)> {
    let named = classes.iter().zip(names);
    let lost = named.filter_map(|(class, name)| {
        let (_, line) = class.recorded.filter(|(_, line)| line.name != *name)?;
        class.pin.is_none().then(|| (line, name.clone()))
    });
    lost.collect()
}

/// The type name for each path.
type NameOf<'a> = HashMap<&'a str, &'a str>;

/// Types that are merged into one.
struct Class<'t, 'a> {
    /// The type with the shortest path.
    first: &'t Unnamed<'a>,
    /// The index of that type.
    index: usize,
    others: Vec<&'t Unnamed<'a>>,
    /// The pinned name.
    pin: Option<&'t str>,
    /// The line of the first recorded type, with that type's index.
    recorded: Option<(usize, &'a Line)>,
}

impl Class<'_, '_> {
    /// Returns the pinned name, or else a name derived from the path.
    fn name(&self, taken: &mut TypeNames) -> String {
        let pin = self.pin.map(str::to_owned);
        pin.unwrap_or_else(|| {
            if !self.is_shared() {
                return taken.claim(&self.first.path);
            }
            let paths = iter::once(&self.first).chain(&self.others);
            let paths: Vec<&Path> = paths.map(|def| &def.path).collect();
            taken.claim_shared(&paths, is_misleading)
        })
    }

    /// Whether the class has types of several kinds and is not directly below one of them.
    fn is_shared(&self) -> bool {
        let kind = self.first.path.kind();
        let mut others = self.others.iter();
        self.first.path.depth() > 2 && others.any(|other| other.path.kind() != kind)
    }

    /// Builds the type of the class, with its merged body.
    fn named(&self, name: &str, body: TypeKind, name_of: &NameOf<'_>) -> TypeDef {
        let first = self.first;
        let mut docs = iter::once(&first)
            .chain(&self.others)
            .map(|def| def.docs.as_str());
        TypeDef {
            name: name.to_owned(),
            docs: docs.find(|docs| !docs.is_empty()).unwrap_or("").to_owned(),
            path: first.path.as_str().to_owned(),
            shared: self.is_shared(),
            kind: with_names(body, name_of),
            validation: first.validation.clone(),
            item: None,
            marshals: None,
            whole: false,
            converted_by_hand: false,
            declared: DeclaredAt::default(),
        }
    }
}

/// The key for merging types: shape and last property, plus the kind if one of the types is the
/// kind's own `spec` or `status`, which stay separate per kind.
type Alike<'a> = (usize, &'a str, Option<&'a str>);

/// The key of a class: the merging key, and the recorded name.
type Key<'a> = (Alike<'a>, Option<&'a str>);

/// Types grouped by class.
struct Classes<'t, 'a> {
    /// The classes, ordered by shortest path.
    classes: Vec<Class<'t, 'a>>,
    /// The class of each type.
    class_of: Vec<usize>,
    /// Whether types with the same merging key stay separate because of their names.
    apart: bool,
}

fn classes<'t, 'a>(
    types: &'t [Unnamed<'a>],
    shapes: &[usize],
    pinned: &'t BTreeMap<String, String>,
) -> Classes<'t, 'a> {
    let keys = keys(types, shapes);
    // A pin applies to the whole class; a second pin in it creates a separate class.
    let pin = |def: &Unnamed<'_>| pinned.get(def.path.as_str()).map(String::as_str);
    let mut pins: HashMap<Key<'_>, &str> = HashMap::new();
    for (def, key) in types.iter().zip(&keys) {
        if let Some(pin) = pin(def) {
            pins.entry(*key).or_insert(pin);
        }
    }
    let mut classes: Vec<Class<'_, '_>> = Vec::new();
    let mut class_of = Vec::with_capacity(types.len());
    let mut known: HashMap<(Key<'_>, Option<&str>), usize> = HashMap::with_capacity(types.len());
    let named = types.iter().any(|def| def.line.is_some()) || !pins.is_empty();
    let mut alike: HashSet<Alike<'_>> = HashSet::new();
    for (index, (def, key)) in types.iter().zip(keys).enumerate() {
        let pin = pin(def).or_else(|| pins.get(&key).copied());
        let class = *known.entry((key, pin)).or_insert(classes.len());
        if classes.len() == class {
            classes.push(Class {
                first: def,
                index,
                others: Vec::new(),
                pin,
                recorded: None,
            });
            if named {
                alike.insert(key.0);
            }
        } else if let Some(class) = classes.get_mut(class) {
            class.others.push(def);
        }
        if let (Some(class), Some(line)) = (classes.get_mut(class), def.line) {
            class.recorded.get_or_insert((index, line));
        }
        class_of.push(class);
    }
    Classes {
        apart: named && alike.len() < classes.len(),
        classes,
        class_of,
    }
}

fn keys<'t>(types: &'t [Unnamed<'_>], shapes: &[usize]) -> Vec<Key<'t>> {
    let mut below_roots: HashMap<(usize, &str), &str> = HashMap::new();
    let mut recorded: HashMap<Alike<'_>, &str> = HashMap::new();
    let alike = |(def, &shape): (&'t Unnamed<'_>, &usize)| {
        let (property, kind) = (def.path.last(), def.path.kind());
        let kind = if def.path.depth() <= 2 {
            below_roots.entry((shape, property)).or_insert(kind);
            Some(kind)
        } else {
            below_roots.get(&(shape, property)).copied()
        };
        let alike = (shape, property, kind);
        if let Some(line) = def.line {
            recorded.entry(alike).or_insert(&line.name);
        }
        alike
    };
    let alike: Vec<Alike<'_>> = types.iter().zip(shapes).map(alike).collect();
    let named = types.iter().zip(alike).map(|(def, alike)| {
        // An unrecorded type joins a recorded one; the `spec` of a new kind gets its own name.
        let joined = || match def.path.depth() {
            0..=2 => None,
            _ => recorded.get(&alike).copied(),
        };
        let name = def.line.map(|line| line.name.as_str()).or_else(joined);
        (alike, name)
    });
    named.collect()
}

/// Returns the name of each class.
fn names(
    classes: &[Class<'_, '_>],
    optional: &[Option<usize>],
    constraints: &Constraints<'_>,
) -> Vec<String> {
    let mut order: Vec<(usize, &Class<'_, '_>)> = classes.iter().enumerate().collect();
    // Kinds first, then types directly below a kind. The sort is stable, and classes are ordered by
    // their types.
    order.sort_by_key(|(_, class)| {
        let path = &class.first.path;
        let optional = optional.get(class.index).copied().flatten();
        (path.depth().min(3), optional, Reverse(path.depth()))
    });
    let pinned = constraints.pinned.values();
    let mut taken = TypeNames::new(constraints.reserved.iter().chain(pinned));
    let mut names = vec![String::new(); classes.len()];
    let kinds = order.partition_point(|(_, class)| class.first.path.depth() == 1);
    let (kinds, others) = order.split_at(kinds);
    for (index, class) in kinds {
        names[*index] = class.name(&mut taken);
    }
    // Of types that were previously one, the one with the first path comes first.
    let recorded = others.iter().filter(|(_, class)| class.pin.is_none());
    let recorded = recorded.filter_map(|&(class, it)| it.recorded.map(|found| (found, class)));
    let mut recorded: Vec<((usize, &Line), usize)> = recorded.collect();
    recorded.sort_by_key(|((first, _), _)| *first);
    for ((_, line), index) in recorded {
        if taken.take(&line.name) {
            names[index].clone_from(&line.name);
        }
    }
    for (index, class) in others {
        if names[*index].is_empty() {
            names[*index] = class.name(&mut taken);
        }
    }
    names
}

/// Returns the number of optional properties on the path of each type.
fn optional_properties(types: &[Unnamed<'_>]) -> Vec<Option<usize>> {
    let mut optional: HashMap<&str, usize> = HashMap::with_capacity(types.len());
    for def in types {
        let above = optional.get(def.path.as_str()).copied().unwrap_or(0);
        let TypeKind::Struct(body) = &def.kind else {
            continue;
        };
        for field in &body.fields {
            if let Some(path) = field.ty.local() {
                optional.insert(path, above + usize::from(!field.required));
            }
        }
    }
    let paths = types.iter().map(|def| def.path.as_str());
    paths.map(|path| optional.get(path).copied()).collect()
}

/// Returns an alias for each type, named after its full path, unless a type already has that name.
fn aliases(
    types: &[Unnamed<'_>],
    name_of: &NameOf<'_>,
    constraints: &Constraints<'_>,
) -> Vec<TypeDef> {
    let paths: Vec<&Path> = types.iter().map(|def| &def.path).collect();
    let whole = type_names(&paths, constraints.pinned, constraints.reserved);
    let taken: BTreeSet<&str> = name_of.values().copied().collect();
    let alias = |def: &Unnamed<'_>| {
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
            whole: false,
            converted_by_hand: false,
            declared: DeclaredAt::default(),
        })
    };
    types.iter().filter_map(alias).collect()
}

/// Replaces paths in a type with names.
fn with_names(mut kind: TypeKind, names: &NameOf<'_>) -> TypeKind {
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

/// Replaces a path with its name. Every path has a name; a path without one would be a bug, and is
/// left unchanged.
fn name_reference(ty: &mut TypeRef, names: &NameOf<'_>) {
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
