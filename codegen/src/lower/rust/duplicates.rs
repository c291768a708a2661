//! Kinds that a crate declares more than once in a version.
//!
//! Generated bindings hold such kinds: a bundle of several releases of one project, for example.
//! Equal declarations make one CRD, of which the first is kept; different ones are an error.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{DerivedSchema, Field, Resource, TypeDef, TypeKind, TypeRef, Version},
    read::rust::Item,
};

/// Keeps the first of equal declarations of a kind, and reports different ones and different kinds
/// of one plural.
pub(super) fn settle(version: &mut Version, diagnostics: &mut Diagnostics) {
    let mut kept: Vec<Resource> = Vec::new();
    for resource in std::mem::take(&mut version.resources) {
        let is_rival =
            |first: &&Resource| first.kind == resource.kind || first.plural == resource.plural;
        let rival = kept.iter().find(is_rival);
        match rival {
            Some(first) if is_same(version, first, &resource) => {}
            Some(first) => diagnostics.push(different(version, first, &resource)),
            None => kept.push(resource),
        }
    }
    version.resources = kept;
}

/// Adds the types of a version that another crate contributes, without those of crates that both
/// depend on.
pub(super) fn join_types(
    version: &mut Version,
    types: Vec<TypeDef>,
    diagnostics: &mut Diagnostics,
) {
    let count = version.types.len();
    let names: BTreeMap<String, usize> = version
        .types
        .iter()
        .enumerate()
        .map(|(index, def)| (def.name.clone(), index))
        .collect();
    for def in types {
        let known = names.get(&def.name);
        let known = known.and_then(|&index| version.types.get(..count)?.get(index));
        match known {
            None => version.types.push(def),
            Some(known) if is_same_type(known, &def) => {}
            Some(known) => diagnostics.push(differs(known, &def)),
        }
    }
}

/// Whether two definitions are of one declaration, which several fields may use.
fn is_same_type(first: &TypeDef, second: &TypeDef) -> bool {
    let mut placed = TypeDef {
        path: first.path.clone(),
        ..second.clone()
    };
    // Only a crate's own types are kinds, and exported for generated code.
    if let (Some(first), Some(placed)) = (&first.item, &mut placed.item) {
        placed.module.clone_from(&first.module);
        placed.kube_derive = first.kube_derive;
        placed.exported = first.exported;
        placed.path.clone_from(&first.path);
    }
    *first == placed
}

/// Reports a type of a crate on which several crates with kinds of a version depend, with different
/// features.
fn differs(first: &TypeDef, second: &TypeDef) -> Diagnostic {
    let message = format!("`{}` differs between the crates that use it", second.name);
    let mut error = Diagnostic::error(message);
    if let Some(place) = first.declared.place() {
        error = error.at(place.clone(), "with different features of its crate");
    }
    error.help("turn on the same features of that crate in each, or write their manifests in separate runs")
}

/// Reports a type that a module declares twice, under conditions that are not decided.
pub(super) fn declared_twice(first: &Item, second: &Item) -> Diagnostic {
    Diagnostic::error(format!("`{}` is declared twice in this module", second.name))
        .at(second.place.clone(), "the second time")
        .at(first.place.clone(), "the first time")
        .help("conditions on other things than features and the operating system are not decided: give the types distinct names or modules")
}

fn different(version: &Version, first: &Resource, second: &Resource) -> Diagnostic {
    let (message, help) = if first.kind == second.kind {
        (
            format!("two declarations of `{}` differ", second.kind),
            "a kind has one CRD: remove one of them, or name the files to read (`kube-codegen manifests FILE…`)",
        )
    } else {
        (
            format!(
                "two kinds of this version have the plural `{}`",
                second.plural
            ),
            "give one of them another plural with `#[kube(plural = \"…\")]`",
        )
    };
    let mut error = Diagnostic::error(message);
    for (resource, label) in [(second, "the second kind"), (first, "the first kind")] {
        let root = version.type_def(&resource.root);
        if let Some(place) = root.and_then(|root| root.declared.place()) {
            error = error.at(place.clone(), label);
        }
    }
    error.help(help)
}

/// Whether two resources are the same but for the names and places of their Rust types.
fn is_same(version: &Version, first: &Resource, second: &Resource) -> bool {
    let named = Resource {
        root: first.root.clone(),
        ..second.clone()
    };
    *first == named && are_types_same(version, (&first.root, &second.root))
}

fn are_types_same(version: &Version, roots: (&str, &str)) -> bool {
    let mut next = vec![(roots.0.to_owned(), roots.1.to_owned())];
    let mut seen = BTreeSet::new();
    while let Some(pair) = next.pop() {
        if pair.0 == pair.1 || !seen.insert(pair.clone()) {
            continue;
        }
        let (Some(first), Some(second)) = (version.type_def(&pair.0), version.type_def(&pair.1))
        else {
            return false;
        };
        let (first, first_names) = anonymous(first, &version.path);
        let (second, second_names) = anonymous(second, &version.path);
        if first != second {
            return false;
        }
        next.extend(first_names.into_iter().zip(second_names));
    }
    true
}

/// Returns the type without the names of types of the version, and these names in order.
fn anonymous(def: &TypeDef, module: &str) -> (TypeDef, Vec<String>) {
    let mut def = def.clone();
    def.name.clear();
    def.path.clear();
    if let Some(item) = &mut def.item {
        item.module.clear();
    }
    let mut names = Names {
        module,
        taken: Vec::new(),
    };
    match &mut def.kind {
        TypeKind::Struct(body) => names.take_of_fields(&mut body.fields),
        TypeKind::Union(body) => {
            for variant in &mut body.variants {
                names.take_of_fields(&mut variant.fields);
            }
        }
        TypeKind::Alias(alias) => names.take(&mut alias.target),
        TypeKind::Enum(_) => {}
    }
    let item = def.item.as_mut();
    names.take_of_derived(item.and_then(|item| item.derived.as_deref_mut()));
    (def, names.taken)
}

/// The names of types of a version, taken out of references.
struct Names<'a> {
    /// The path of the version.
    module: &'a str,
    taken: Vec<String>,
}

impl Names<'_> {
    fn take_of_fields(&mut self, fields: &mut [Field]) {
        for field in fields {
            self.take(&mut field.ty);
            self.take_of_derived(field.derived.as_deref_mut());
        }
    }

    fn take_of_derived(&mut self, derived: Option<&mut DerivedSchema>) {
        let Some(derived) = derived else { return };
        derived.ty.iter_mut().for_each(|ty| self.take(ty));
        let code = derived.code.iter_mut();
        code.for_each(|code| code.types_mut(&mut |ty| self.take(ty)));
    }

    fn take(&mut self, ty: &mut TypeRef) {
        match ty {
            TypeRef::Local(name) => self.taken.push(std::mem::take(name)),
            TypeRef::List(inner)
            | TypeRef::Map(inner)
            | TypeRef::Optional(inner)
            | TypeRef::Boxed(inner) => self.take(inner),
            TypeRef::External(external) => {
                if let [module, name] = external.segments.as_mut_slice()
                    && module == self.module
                {
                    self.taken.push(std::mem::take(name));
                }
                for argument in &mut external.instance {
                    self.take(argument);
                }
            }
            _ => {}
        }
    }
}
