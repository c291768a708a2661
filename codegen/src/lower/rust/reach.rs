//! What values of kinds contain: the types of their fields, and those that code in place of a type
//! refers to.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    attributes::of_function,
    resolve::{Resolved, Resolver},
};
use crate::read::rust::{
    Body, Code, Fields, Impl, Item, Kind, Package, SchemaAttrs, SchemaBase, SchemaCall, SchemaCode,
    SchemaMode, Type,
};

/// What values of kinds contain.
#[derive(Default)]
pub(super) struct Reach {
    /// The items, including the kinds.
    pub(super) items: BTreeSet<usize>,
    /// The kinds.
    pub(super) kinds: BTreeSet<usize>,
    /// The source roots of the dependencies that their paths lead to.
    pub(super) crates: BTreeSet<String>,
}

/// Returns what values of these kinds contain.
pub(super) fn reach(package: &Package, resolver: &Resolver<'_>, kinds: &[usize]) -> Reach {
    let mut reach = Reach {
        kinds: kinds.iter().copied().collect(),
        ..Reach::default()
    };
    let by_hand = by_hand(package, resolver);
    let mut next = kinds.to_vec();
    while let Some(index) = next.pop() {
        let Some(item) = package.items.get(index) else {
            continue;
        };
        if !reach.items.insert(index) {
            continue;
        }
        let module = package.modules.get(item.module);
        let module = module.map_or(&[][..], |module| module.path.as_slice());
        reach
            .crates
            .extend(package.modules.crate_of(module).iter().cloned());
        let mut paths = Paths::new(package, item);
        paths.of_item();
        let implemented = by_hand.get(&index).into_iter().flatten();
        let root = item.kube.as_ref().filter(|_| reach.kinds.contains(&index));
        let of_root = package.impls.iter().filter(|it| {
            let root = root.filter(|kube| kube.schema == SchemaMode::Manual);
            root.is_some_and(|root| it.path.last().is_some_and(|last| last == root.root_name()))
        });
        for found in implemented.copied().chain(of_root) {
            paths.of_impl(found);
        }
        for (module, segments, global) in paths.found {
            match resolver.resolve_path(module, &segments, global) {
                Resolved::Item(index) => next.push(index),
                Resolved::External(path) => {
                    let name = path.first().map_or("", String::as_str);
                    reach.crates.extend(
                        package
                            .modules
                            .linked(module_path(package, module), name)
                            .into_iter()
                            .flatten(),
                    );
                }
            }
        }
    }
    reach
}

fn module_path(package: &Package, module: usize) -> &[String] {
    let module = package.modules.get(module);
    module.map_or(&[], |module| module.path.as_slice())
}

/// Returns the implementations of `JsonSchema` by hand of each item.
fn by_hand<'p>(package: &'p Package, resolver: &Resolver<'_>) -> BTreeMap<usize, Vec<&'p Impl>> {
    let mut impls: BTreeMap<usize, Vec<&Impl>> = BTreeMap::new();
    for found in package.impls.iter().filter(|it| it.schema.is_some()) {
        if let Resolved::Item(index) = resolver.resolve(found.module, &found.path) {
            impls.entry(index).or_default().push(found);
        }
    }
    impls
}

/// The paths of types that a value of an item contains, or that its schema names.
struct Paths<'p> {
    package: &'p Package,
    item: &'p Item,
    /// Each with the module that it is in, and with whether it starts with `::`.
    found: Vec<(usize, Vec<String>, bool)>,
    /// The functions that return schemas, which are followed once.
    functions: BTreeSet<(usize, Vec<String>)>,
}

impl<'p> Paths<'p> {
    const fn new(package: &'p Package, item: &'p Item) -> Self {
        Self {
            package,
            item,
            found: Vec::new(),
            functions: BTreeSet::new(),
        }
    }

    fn of_item(&mut self) {
        let item = self.item;
        let (mut types, mut functions) = (Vec::new(), Vec::new());
        contained(item, &mut |part| match part {
            Part::Type(ty) => types.push(ty),
            Part::Function(call) => functions.push(call),
        });
        types.extend(item.generics.defaults.iter().flatten());
        types
            .into_iter()
            .for_each(|ty| self.of_type(item.module, ty));
        for call in functions {
            self.of_function(item.module, call);
        }
        let status = item.kube.as_ref().and_then(|kube| kube.status.as_ref());
        let through = item.serde.through.as_ref();
        let named = status.into_iter().chain(through);
        self.found
            .extend(named.map(|path| (item.module, split(path), false)));
    }

    fn of_impl(&mut self, found: &'p Impl) {
        if let Some((module, code)) = &found.schema {
            self.of_code(*module, code);
        }
    }

    fn of_function(&mut self, module: usize, call: &'p SchemaCall) {
        let arguments = call.arguments.iter();
        arguments.for_each(|ty| self.of_type(module, ty));
        let own = call.path.split_first().filter(|(head, _)| *head == "Self");
        let own = own.map(|(_, rest)| [std::slice::from_ref(&self.item.name), rest].concat());
        let path = own.as_deref().unwrap_or(&call.path);
        if !self.functions.insert((module, path.to_vec())) {
            return;
        }
        if let Some((module, function)) = of_function(self.package, module, path) {
            self.of_code(*module, &function.schema);
        }
    }

    fn of_code(&mut self, module: usize, code: &'p SchemaCode) {
        match &code.base {
            SchemaBase::Empty => {}
            SchemaBase::Type(ty) => self.of_type(module, ty),
            SchemaBase::Function(call) => self.of_function(module, call),
        }
        for (_, value) in &code.keywords {
            value.iter().for_each(|value| self.of_value(module, value));
        }
    }

    fn of_value(&mut self, module: usize, value: &'p Code) {
        match value {
            Code::Literal(_) => {}
            Code::List(items) => items.iter().for_each(|item| self.of_value(module, item)),
            Code::Schema(code) => self.of_code(module, code),
        }
    }

    /// Adds the paths of a type and of its arguments.
    fn of_type(&mut self, module: usize, ty: &Type) {
        match &ty.kind {
            Kind::Path(path) => {
                let found = (module, path.segments.clone(), path.global);
                self.found.push(found);
                path.arguments
                    .iter()
                    .for_each(|ty| self.of_type(module, ty));
            }
            Kind::List(item, _) => self.of_type(module, item),
            Kind::Other(_) | Kind::Unsupported(_) => {}
        }
    }
}

/// A part of an item that its schema depends on.
enum Part<'i> {
    Type(&'i Type),
    /// The function of `schema_with`.
    Function(&'i SchemaCall),
}

fn split(path: &str) -> Vec<String> {
    path.split("::")
        .map(|part| part.trim().to_owned())
        .collect()
}

/// Calls `look` for each type that a value of the item contains, and for functions that return
/// schemas in place of types.
fn contained<'i>(item: &'i Item, look: &mut dyn FnMut(Part<'i>)) {
    let of_schema = |schema: &'i SchemaAttrs, look: &mut dyn FnMut(Part<'i>)| {
        schema.with.iter().map(Part::Type).for_each(&mut *look);
        let function = schema.schema_with.iter();
        function
            .map(|(call, _)| Part::Function(call))
            .for_each(look);
    };
    of_schema(&item.schema, look);
    if let Body::Enum(variants) = &item.body {
        for variant in variants {
            of_schema(&variant.schema, look);
        }
    }
    let mut of_fields = |fields: &'i Fields| {
        for field in fields.fields.iter().filter(|field| !field.serde.skip) {
            look(Part::Type(&field.ty));
            of_schema(&field.schema, look);
        }
    };
    match &item.body {
        Body::Struct(fields) => of_fields(fields),
        Body::Enum(variants) => {
            for variant in variants {
                of_fields(&variant.fields);
            }
        }
        Body::Alias(ty) => look(Part::Type(ty)),
    }
}
