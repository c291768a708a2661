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
//! Start reading at [`unify`].

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap},
    iter, mem,
};

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

/// Sorts types: those with shorter paths first, then those of older kinds, then by path.
///
/// `by_age` compares kinds, older ones first: a new one that shares types with older ones then takes no name from them.
pub(super) fn sort(types: &mut [Unnamed], by_age: impl Fn(&str, &str) -> Ordering + Sync) {
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
/// `types` are sorted by path with shorter paths first; every reference is to a longer path.
pub(super) fn unify(mut types: Vec<Unnamed>, constraints: &Constraints<'_>) -> Vec<TypeDef> {
    let shapes = shapes(&types);
    let optional = optional_properties(&types);
    // Those of the first types of classes are moved, and a type with its descriptions never stands in memory twice.
    let bodies: Vec<TypeKind> = types
        .iter_mut()
        .map(|def| mem::replace(&mut def.kind, TypeKind::Struct(StructDef::default())))
        .collect();
    let types = types.as_slice();
    let (classes, class_of) = classes(types, &shapes, constraints.pinned);
    let names = names(&classes, &optional, constraints);
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

/// The name of the type at each path.
type NameOf<'a> = HashMap<&'a str, &'a str>;

/// Types that become one.
struct Class<'a> {
    /// The type with the shortest path.
    first: &'a Unnamed,
    /// The index of it.
    index: usize,
    others: Vec<&'a Unnamed>,
    /// The name that a person chose.
    pin: Option<&'a str>,
}

impl Class<'_> {
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

/// The common properties of one class of types: shape and last property; and the kind, where one of them is the kind's own `spec`
/// or `status`, so that those of several kinds stay apart.
type Key<'a> = (usize, &'a str, Option<&'a str>);

/// The classes, sorted by their shortest path, and the class of each type.
fn classes<'a>(
    types: &'a [Unnamed],
    shapes: &[usize],
    pinned: &'a BTreeMap<String, String>,
) -> (Vec<Class<'a>>, Vec<usize>) {
    let keys = keys(types, shapes);
    // A pin is for the whole class; another pin in it makes a class of its own.
    let pin = |def: &Unnamed| pinned.get(def.path.as_str()).map(String::as_str);
    let mut pins: HashMap<Key<'_>, &str> = HashMap::new();
    for (def, key) in types.iter().zip(&keys) {
        if let Some(pin) = pin(def) {
            pins.entry(*key).or_insert(pin);
        }
    }
    let mut classes: Vec<Class<'_>> = Vec::new();
    let mut class_of = Vec::with_capacity(types.len());
    let mut known: HashMap<(Key<'_>, Option<&str>), usize> = HashMap::with_capacity(types.len());
    for (index, (def, key)) in types.iter().zip(keys).enumerate() {
        let pin = pin(def).or_else(|| pins.get(&key).copied());
        let class = *known.entry((key, pin)).or_insert(classes.len());
        match classes.get_mut(class) {
            Some(class) => class.others.push(def),
            None => classes.push(Class {
                first: def,
                index,
                others: Vec::new(),
                pin,
            }),
        }
        class_of.push(class);
    }
    (classes, class_of)
}

fn keys<'a>(types: &'a [Unnamed], shapes: &[usize]) -> Vec<Key<'a>> {
    let mut below_roots: HashMap<(usize, &str), &str> = HashMap::new();
    let key = |(def, &shape): (&'a Unnamed, &usize)| {
        let (property, kind) = (def.path.last(), def.path.kind());
        if def.path.depth() <= 2 {
            below_roots.entry((shape, property)).or_insert(kind);
            return (shape, property, Some(kind));
        }
        let kind = below_roots.get(&(shape, property)).copied();
        (shape, property, kind)
    };
    types.iter().zip(shapes).map(key).collect()
}

/// The name of each class.
fn names(
    classes: &[Class<'_>],
    optional: &[Option<usize>],
    constraints: &Constraints<'_>,
) -> Vec<String> {
    let mut order: Vec<(usize, &Class<'_>)> = classes.iter().enumerate().collect();
    // Kinds first, then what stands right below one of them. The sort is stable, and classes are in the order of types.
    order.sort_by_key(|(_, class)| {
        let path = &class.first.path;
        let optional = optional.get(class.index).copied().flatten();
        (path.depth().min(3), optional, Reverse(path.depth()))
    });
    let pinned = constraints.pinned.values();
    let mut taken = TypeNames::new(constraints.reserved.iter().chain(pinned));
    let mut names = vec![String::new(); classes.len()];
    for (index, class) in order {
        let pin = class.pin.map(str::to_owned);
        names[index] = pin.unwrap_or_else(|| taken.claim(&class.first.path));
    }
    names
}

/// How many of the properties on the path of each type need not be there.
fn optional_properties(types: &[Unnamed]) -> Vec<Option<usize>> {
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
fn aliases(types: &[Unnamed], name_of: &NameOf<'_>, constraints: &Constraints<'_>) -> Vec<TypeDef> {
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
