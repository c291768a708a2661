//! Checks the traits that generated code requires of the types it uses: `Debug` for objects,
//! `Clone` and serde for their contents.
//!
//! rustc would report each missing trait too, but in generated files.

use std::collections::{BTreeMap, BTreeSet};

use super::{Cx, at_item};
use crate::{
    diag::Diagnostics,
    generator::Generator,
    model::{self, Resource, TypeDef, TypeKind},
    read::rust::{Body, Field, Item},
};

/// The types of a version by name, each with its source.
type Types<'t> = BTreeMap<&'t str, (&'t TypeDef, &'t Item)>;

impl Cx<'_> {
    /// Reports types that lack a trait which code generated for the objects of a version needs.
    pub(super) fn check_derives(
        &self,
        types: &[TypeDef],
        resources: &[Resource],
        diagnostics: &mut Diagnostics,
    ) {
        // Macros may add implementations that are not visible here.
        if self.package.has_macros {
            return;
        }
        let types: Types<'_> = types
            .iter()
            .filter_map(|def| Some((def.name.as_str(), (def, self.item(&def.name)?))))
            .collect();
        let roots = resources.iter().filter_map(|resource| {
            let &(_, root) = types.get(resource.root.as_str())?;
            self.is_root(root).then_some((resource, root))
        });
        let mut on_wire = BTreeSet::new();
        for (resource, root) in roots {
            if resource.client && self.options.emits(Generator::Client) {
                self.check_has(root, &["Debug"], root, diagnostics);
            }
            if self.serde_is_generated(root) && self.options.emits(Generator::Deepcopy) {
                self.check_serde_of_parts(&types, root, &mut on_wire, diagnostics);
            }
        }
        if self.options.emits(Generator::Deepcopy) {
            self.check_clone(&types, diagnostics);
        }
    }

    /// Requires serde for types that are part of an object on the wire.
    fn check_serde_of_parts<'t>(
        &self,
        types: &Types<'t>,
        root: &'t Item,
        seen: &mut BTreeSet<&'t str>,
        diagnostics: &mut Diagnostics,
    ) {
        let mut next = vec![root.name.as_str()];
        while let Some(name) = next.pop() {
            let Some(&(def, item)) = types.get(name).filter(|_| seen.insert(name)) else {
                continue;
            };
            if name != root.name {
                self.check_has(item, &["Serialize", "Deserialize"], root, diagnostics);
            }
            let by_hand = item.serde.through.is_some() || self.has_impl(item, "Serialize");
            if name == root.name || !by_hand {
                next.extend(parts(def, item, is_on_wire));
            }
        }
    }

    /// Checks that every type cloned by a generated `Clone` implements it.
    fn check_clone(&self, types: &Types<'_>, diagnostics: &mut Diagnostics) {
        let mut reported = BTreeSet::new();
        for (def, owner) in types.values() {
            let generated = |def: &TypeDef| {
                let item = def.item.as_ref();
                item.is_some_and(model::RustItem::clone_is_generated)
            };
            if !generated(def) {
                continue;
            }
            for name in parts(def, owner, |_| true) {
                let Some((def, item)) = types.get(name) else {
                    continue;
                };
                if !generated(def) && item.clone_if.is_empty() && reported.insert(name) {
                    self.check_has(item, &["Clone"], owner, diagnostics);
                }
            }
        }
    }

    fn check_has(&self, item: &Item, wanted: &[&str], owner: &Item, diagnostics: &mut Diagnostics) {
        let has = |name: &str| {
            item.derives.iter().any(|derive| derive == name) || self.has_impl(item, name)
        };
        let missing: Vec<&str> = wanted.iter().copied().filter(|name| !has(name)).collect();
        let is_alias = matches!(item.body, Body::Alias(_));
        if missing.is_empty() || is_alias || item.has_attribute_macros {
            return;
        }
        let label = if item.name == owner.name {
            "an API object".to_owned()
        } else {
            format!("part of `{}`", owner.name)
        };
        let missing = missing.join(" and ");
        diagnostics.push(
            at_item(item, format!("`{}` has no {missing}", item.name), label)
                .help(format!("derive {missing}")),
        );
    }
}

/// Whether serde handles a field through the implementation of its type.
fn is_on_wire(field: &Field) -> bool {
    let serde = &field.serde;
    !(serde.skip || serde.with || serde.skip_serializing || serde.skip_deserializing)
}

/// Returns the types of the version that a type contains, in fields for which `counts` holds.
fn parts<'t>(def: &'t TypeDef, item: &Item, counts: fn(&Field) -> bool) -> Vec<&'t str> {
    let names = |fields: &'t [model::Field], sources: &[Field]| -> Vec<&'t str> {
        let fields = fields.iter().zip(sources);
        fields
            .filter(|(_, source)| counts(source))
            .filter_map(|(field, _)| field.ty.local())
            .collect()
    };
    match (&def.kind, &item.body) {
        (TypeKind::Struct(def), Body::Struct(fields)) => names(&def.fields, &fields.fields),
        (TypeKind::Union(def), Body::Enum(variants)) => {
            let variants = def.variants.iter().zip(variants);
            variants
                .flat_map(|(variant, source)| names(&variant.fields, &source.fields.fields))
                .collect()
        }
        (TypeKind::Alias(alias), _) => alias.target.local().into_iter().collect(),
        _ => Vec::new(),
    }
}
