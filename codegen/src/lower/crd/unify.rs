//! One type for what has one shape and one meaning, with a name that people would give it.
//!
//! Paths of one version that have the same shape and the same last property become one type, `Disk` for every
//! `….disk`. It is named after its kind and that property; where another shape has that name, after the properties before
//! it too. A type that several kinds share stands in a module of its own; it is named after the kind with the shortest path
//! to it, so that another kind that comes to share it renames nothing.
//!
//! Of several shapes that could have a name, the one that a later release is least likely to take it from has it. New properties are
//! optional, so that is the one with the fewest optional properties on its path; of these the one with the longest, since what
//! is added near to the kind is often a variant of what is below.
//!
//! A type with a recorded name ([`crate::record`]) comes before this rule: it keeps its name, and types with different names stay apart
//! though they have one shape now. Where what was one type has several shapes now, the type with the shortest path keeps the name.
//!
//! Start reading at [`unify`].

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    iter, mem,
};

use rayon::prelude::*;

use super::{shape::shapes, unnamed::Unnamed};
use crate::{
    model::{
        Aliasing, DeclaredAt, StructDef, TypeDef, TypeKind, TypeRef, UnknownFields,
        names::schema::{Path, TypeNames, type_names},
    },
    record::Line,
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

/// Sorts types: those with shorter paths first, then those of older kinds, then by path.
///
/// `by_age` compares kinds, older ones first: a new one that shares types with older ones then takes no name from them.
pub(super) fn sort(types: &mut [Unnamed<'_>], by_age: impl Fn(&str, &str) -> Ordering + Sync) {
    types.par_sort_by(|a, b| {
        let depths = a.path.depth().cmp(&b.path.depth());
        let kinds = (a.path.kind(), b.path.kind());
        let ages = || match kinds.0 == kinds.1 {
            true => Ordering::Equal,
            false => by_age(kinds.0, kinds.1),
        };
        depths.then_with(ages).then_with(|| a.path.cmp(&b.path))
    });
}

/// Names the types, and makes those of one shape and one property one type.
///
/// `types` are sorted by path with shorter paths first; every reference is to a longer path. Adds to `renamed` the lines of types that
/// lose their recorded names, with their new ones.
pub(super) fn unify<'a>(
    mut types: Vec<Unnamed<'a>>,
    constraints: &Constraints<'_>,
    renamed: &mut Vec<(&'a Line, String)>,
) -> Vec<TypeDef> {
    let shapes = settled_shapes(&types, constraints.pinned);
    let optional = optional_properties(&types);
    // Those of the first types of classes are moved, and a type with its descriptions never stands in memory twice.
    let bodies: Vec<TypeKind> = types
        .iter_mut()
        .map(|def| mem::replace(&mut def.kind, TypeKind::Struct(StructDef::default())))
        .collect();
    let types = types.as_slice();
    let Classes {
        classes, class_of, ..
    } = classes(types, &shapes, constraints.pinned);
    let names = names(&classes, &optional, constraints);
    renamed.extend(lost(&classes, &names));
    let names_of_types = class_of.iter().filter_map(|&class| names.get(class));
    let name_of: NameOf<'_> = types
        .iter()
        .map(|def| def.path.as_str())
        .zip(names_of_types.map(String::as_str))
        .collect();
    // Classes are in the order of their first types.
    let mut first = classes.iter().map(|class| class.index).peekable();
    let bodies = bodies.into_iter().enumerate();
    let bodies: Vec<TypeKind> = bodies
        .filter_map(|(index, body)| first.next_if_eq(&index).map(|_| body))
        .collect();
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

/// The shapes of types, where references to types that stay apart differ, too: else a type would lead to another type at one of its paths
/// than at another.
fn settled_shapes(types: &[Unnamed<'_>], pinned: &BTreeMap<String, String>) -> Vec<usize> {
    let mut settled = shapes(types, None);
    if pinned.is_empty() && types.iter().all(|def| def.line.is_none()) {
        return settled;
    }
    // A round settles the types that lead to types that were settled before.
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

/// The lines of types that have other names now, with these.
fn lost<'a>(classes: &[Class<'_, 'a>], names: &[String]) -> Vec<(&'a Line, String)> {
    let named = classes.iter().zip(names);
    let lost = named.filter_map(|(class, name)| {
        let (_, line) = class.recorded.filter(|(_, line)| line.name != *name)?;
        class.pin.is_none().then(|| (line, name.clone()))
    });
    lost.collect()
}

/// The name of the type at each path.
type NameOf<'a> = HashMap<&'a str, &'a str>;

/// Types that become one.
struct Class<'t, 'a> {
    /// The type with the shortest path.
    first: &'t Unnamed<'a>,
    /// The index of it.
    index: usize,
    others: Vec<&'t Unnamed<'a>>,
    /// The name that a person chose.
    pin: Option<&'t str>,
    /// The line of the first type that has one, with the index of that type.
    recorded: Option<(usize, &'a Line)>,
}

impl Class<'_, '_> {
    /// The name that a person chose, or that follows from the path.
    fn name(&self, taken: &mut TypeNames) -> String {
        let pin = self.pin.map(str::to_owned);
        pin.unwrap_or_else(|| taken.claim(&self.first.path))
    }

    /// Whether types of several kinds are of the class, and it does not stand right below one of them.
    fn is_shared(&self) -> bool {
        let kind = self.first.path.kind();
        let mut others = self.others.iter();
        self.first.path.depth() > 2 && others.any(|other| other.path.kind() != kind)
    }

    /// The type of the class, whose body is that of the first.
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
            declared: DeclaredAt::default(),
        }
    }
}

/// The common properties of types that become one by themselves: shape and last property; and the kind, where one of them is the kind's own `spec`
/// or `status`, so that those of several kinds stay apart.
type Alike<'a> = (usize, &'a str, Option<&'a str>);

/// The common properties of one class of types: those, and the recorded name.
type Key<'a> = (Alike<'a>, Option<&'a str>);

/// Types by class.
struct Classes<'t, 'a> {
    /// Sorted by their shortest path.
    classes: Vec<Class<'t, 'a>>,
    /// The class of each type.
    class_of: Vec<usize>,
    /// Whether types that would be one by themselves stay apart, by their names.
    apart: bool,
}

fn classes<'t, 'a>(
    types: &'t [Unnamed<'a>],
    shapes: &[usize],
    pinned: &'t BTreeMap<String, String>,
) -> Classes<'t, 'a> {
    let keys = keys(types, shapes);
    // A pin is for the whole class; another pin in it makes a class of its own.
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
        // What has no name yet becomes one with what has; a new kind's own `spec` has a name of its own.
        let joined = || match def.path.depth() {
            0..=2 => None,
            _ => recorded.get(&alike).copied(),
        };
        let name = def.line.map(|line| line.name.as_str()).or_else(joined);
        (alike, name)
    });
    named.collect()
}

/// The name of each class.
fn names(
    classes: &[Class<'_, '_>],
    optional: &[Option<usize>],
    constraints: &Constraints<'_>,
) -> Vec<String> {
    let mut order: Vec<(usize, &Class<'_, '_>)> = classes.iter().enumerate().collect();
    // Kinds first, then what stands right below one of them. The sort is stable, and classes are in the order of types.
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
    // Of types that were one, that with the first path comes first.
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

/// How many of the properties on the path of each type need not be there.
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

/// Another name for each type, made of its whole path, as far as no type has it.
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
            declared: DeclaredAt::default(),
        })
    };
    types.iter().filter_map(alias).collect()
}

/// The type with names in place of paths.
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

/// Every path has a name; one without would be a defect, and stays as it is.
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
