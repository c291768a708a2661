//! Finds the types that a kind's documentation needs: all that its fields refer to, in any module.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ApiSet, Field, Origin, TypeDef, TypeKind, TypeRef, UnknownFields, find_type};

/// The types of every module, by module path.
pub(super) struct Modules<'a>(BTreeMap<&'a str, (&'a [TypeDef], Origin)>);

/// A type, with the module in which the type names of its fields are resolved.
#[derive(Clone, Copy)]
pub(super) struct Item<'a> {
    pub(super) module: &'a str,
    pub(super) origin: Origin,
    pub(super) def: &'a TypeDef,
}

/// A type's name and module.
pub(super) type Key<'a> = (&'a str, &'a str);

impl<'a> Item<'a> {
    pub(super) fn key(&self) -> Key<'a> {
        (&self.def.name, self.module)
    }
}

impl<'a> Modules<'a> {
    pub(super) fn new(api: &'a ApiSet) -> Self {
        let versions = api.versions().map(|(_, version)| {
            let types = version.types.as_slice();
            (version.path.as_str(), (types, version.origin))
        });
        let packages = api
            .packages
            .iter()
            .map(|one| (one.path.as_str(), (one.types.as_slice(), Origin::Go)));
        Self(versions.chain(packages).collect())
    }

    /// Looks up a type by name in a module.
    pub(super) fn find(&self, module: &str, name: &str) -> Option<Item<'a>> {
        let (&module, &(types, origin)) = self.0.get_key_value(module)?;
        let def = find_type(types, origin, name)?;
        Some(Item {
            module,
            origin,
            def,
        })
    }

    /// Resolves a type reference within another type, ignoring lists and maps around it; `None` if no known module declares the
    /// type.
    pub(super) fn resolve(&self, within: Item<'_>, ty: &TypeRef) -> Option<Item<'a>> {
        match ty.element() {
            TypeRef::Local(name) => self.find(within.module, name),
            TypeRef::External(external) => {
                let (name, module) = external.segments.split_last()?;
                self.find(&module.join("::"), name)
            }
            _ => None,
        }
    }

    /// The properties of a struct or variant, each with the type that declares it; flattened fields are replaced by their
    /// properties.
    pub(super) fn properties(
        &self,
        item: Item<'a>,
        fields: &'a [Field],
    ) -> Vec<(Item<'a>, &'a Field)> {
        let mut found = Vec::new();
        self.add_properties(item, fields, &mut BTreeSet::from([item.key()]), &mut found);
        found
    }

    fn add_properties(
        &self,
        item: Item<'a>,
        fields: &'a [Field],
        above: &mut BTreeSet<Key<'a>>,
        found: &mut Vec<(Item<'a>, &'a Field)>,
    ) {
        for field in fields.iter().filter(|it| !it.skip && !it.undeclared) {
            let merged = field.flatten.then(|| self.resolve(item, &field.ty));
            match merged.flatten().map(|merged| (merged, &merged.def.kind)) {
                Some((merged, TypeKind::Struct(body))) => {
                    // A type that flattens itself adds no properties the second time.
                    if above.insert(merged.key()) {
                        self.add_properties(merged, &body.fields, above, found);
                        above.remove(&merged.key());
                    }
                }
                _ => found.push((item, field)),
            }
        }
    }

    /// The Rust path of a kind's field: its struct, and its name there. `None` if the path leads into a type of another crate.
    pub(super) fn rust_path(&self, root: Item<'a>, path: &[&str]) -> Option<String> {
        let mut item = self.target(root)?;
        let mut field_name = String::new();
        for (at, name) in path.iter().enumerate() {
            let TypeKind::Struct(body) = &item.def.kind else {
                return None;
            };
            let properties = self.properties(item, &body.fields);
            let (owner, field) = properties
                .into_iter()
                .find(|(_, it)| it.json_name == *name)?;
            if at + 1 == path.len() {
                item = owner;
                field_name = format!(".{}", field.rust_name);
            } else {
                item = self.target(self.resolve(owner, &field.ty)?)?;
            }
        }
        Some(format!("{}::{}{field_name}", item.module, item.def.name))
    }

    /// The type that an alias stands for.
    fn target(&self, item: Item<'a>) -> Option<Item<'a>> {
        let mut item = item;
        for _ in 0..8 {
            let TypeKind::Alias(alias) = &item.def.kind else {
                return Some(item);
            };
            item = self.resolve(item, &alias.target)?;
        }
        None
    }

    /// The types of an item's parts, each with the type that declares the part.
    fn parts(&self, item: Item<'a>) -> Vec<(Item<'a>, &'a TypeRef)> {
        let of_fields = |fields| {
            let properties = self.properties(item, fields).into_iter();
            properties.map(|(owner, field)| (owner, &field.ty))
        };
        match &item.def.kind {
            TypeKind::Struct(body) => {
                let mut parts: Vec<_> = of_fields(&body.fields).collect();
                if let UnknownFields::Kept(value) = &body.unknown_fields {
                    parts.push((item, value));
                }
                parts
            }
            TypeKind::Union(body) => {
                let variants = body.variants.iter();
                variants.flat_map(|it| of_fields(&it.fields)).collect()
            }
            TypeKind::Alias(alias) => vec![(item, &alias.target)],
            TypeKind::Enum(_) => Vec::new(),
        }
    }

    /// All types reachable from the roots, including the roots, each with the types that use it.
    pub(super) fn reached(&self, roots: &[Item<'a>]) -> BTreeMap<Key<'a>, Reached<'a>> {
        let mut reached: BTreeMap<Key<'a>, Reached<'a>> = BTreeMap::new();
        let mut rest: Vec<Item<'a>> = roots.to_vec();
        while let Some(item) = rest.pop() {
            let entry = reached.entry(item.key());
            if std::mem::replace(&mut entry.or_insert(Reached::new(item)).is_followed, true) {
                continue;
            }
            for (owner, ty) in self.parts(item) {
                let Some(named) = self.resolve(owner, ty) else {
                    continue;
                };
                let entry = reached.entry(named.key()).or_insert(Reached::new(named));
                entry.used_by.insert(item.key());
                rest.push(named);
            }
        }
        reached
    }
}

/// A type that is reachable from a root.
pub(super) struct Reached<'a> {
    pub(super) item: Item<'a>,
    /// The types that have a part of this type.
    pub(super) used_by: BTreeSet<Key<'a>>,
    is_followed: bool,
}

impl<'a> Reached<'a> {
    const fn new(item: Item<'a>) -> Self {
        Self {
            item,
            used_by: BTreeSet::new(),
            is_followed: false,
        }
    }
}
