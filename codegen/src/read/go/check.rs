//! Detects cycles, which the Go compiler rejects and which would keep code that follows types from
//! terminating.

use std::collections::BTreeMap;

use super::package::{Field, Package, Type, TypeDecl};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    graph::{cycles, finished_order},
};

/// The maximum depth of embedding. No real API comes close.
const MAX_EMBEDDING: usize = 100;

/// Reports import cycles, types that contain themselves, and unbounded embedding.
pub(super) fn check(packages: &[Package], diagnostics: &mut Diagnostics) {
    check_imports(packages, diagnostics);
    let types = Types::new(packages);
    types.check(diagnostics);
}

fn check_imports(packages: &[Package], diagnostics: &mut Diagnostics) {
    let numbers: BTreeMap<&str, usize> = packages
        .iter()
        .enumerate()
        .map(|(number, package)| (package.path.as_str(), number))
        .collect();
    let edges: Vec<Vec<usize>> = packages
        .iter()
        .map(|package| {
            let imports = package.imports.iter();
            imports
                .filter_map(|import| numbers.get(import.path.as_str()).copied())
                .collect()
        })
        .collect();
    for cycle in cycles(&edges) {
        let Some(package) = cycle.first().and_then(|first| packages.get(*first)) else {
            continue;
        };
        let path = |number: &usize| packages.get(*number).map(|package| package.path.as_str());
        let next = cycle.get(1).unwrap_or(&cycle[0]);
        let import = package
            .imports
            .iter()
            .find(|import| Some(import.path.as_str()) == path(next));
        let place = import.map_or(&package.place, |import| &import.place);
        diagnostics.push(circle(
            "the packages import each other in a cycle".to_owned(),
            place,
            "this import closes the cycle",
            cycle.iter().filter_map(path),
        ));
    }
}

fn circle<'a>(
    message: String,
    place: &Place,
    label: &str,
    names: impl Iterator<Item = &'a str>,
) -> Diagnostic {
    let mut names: Vec<&str> = names.collect();
    names.extend(names.first().copied());
    let note = if names.len() > 12 {
        let last = names.split_off(names.len() - 4);
        format!("{} → … → {}", names[..8].join(" → "), last.join(" → "))
    } else {
        names.join(" → ")
    };
    Diagnostic::error(message)
        .at(place.clone(), label)
        .note(note)
}

/// Whether the encoder inlines the fields of the field's type; a name in the tag makes it a
/// property instead.
fn is_embedded(field: &Field) -> bool {
    let json = field.tag.as_ref().and_then(|tag| tag.json.as_deref());
    field.embedded && json.is_none_or(|json| json.is_empty() || json.starts_with(','))
}

/// All types of all packages, by index.
struct Types<'a> {
    decls: Vec<&'a TypeDecl>,
    of_package: Vec<&'a str>,
    numbers: BTreeMap<(&'a str, &'a str), usize>,
}

/// How one type refers to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reference {
    /// By value, directly or as part of it.
    Value,
    /// By embedding it or a pointer to it.
    Embedding,
    /// In any way.
    Any,
}

impl<'a> Types<'a> {
    fn new(packages: &'a [Package]) -> Self {
        let mut types = Self {
            decls: Vec::new(),
            of_package: Vec::new(),
            numbers: BTreeMap::new(),
        };
        for package in packages {
            for decl in &package.types {
                let number = types.decls.len();
                types.numbers.insert((&package.path, &decl.name), number);
                types.decls.push(decl);
                types.of_package.push(&package.path);
            }
        }
        types
    }

    fn edges(&self, how: Reference, from: impl Fn(&TypeDecl) -> bool) -> Vec<Vec<usize>> {
        let decls = self.decls.iter().zip(&self.of_package);
        decls
            .map(|(decl, package)| {
                let mut edges = Vec::new();
                if from(decl) {
                    self.references(package, &decl.ty, how, &mut edges);
                }
                edges.retain(|to| self.decls.get(*to).is_some_and(|decl| from(decl)));
                edges
            })
            .collect()
    }

    fn references(&self, package: &str, ty: &Type, how: Reference, edges: &mut Vec<usize>) {
        match ty {
            Type::Local(name, _) => edges.extend(self.numbers.get(&(package, name.as_str()))),
            Type::Imported(path, name, _) => edges.extend(self.numbers.get(&(&**path, name))),
            Type::Array(_, inner) if how == Reference::Value => {
                self.references(package, inner, how, edges);
            }
            Type::Pointer(inner) if how != Reference::Value => {
                self.references(package, inner, how, edges);
            }
            Type::Slice(inner) | Type::Array(_, inner) if how == Reference::Any => {
                self.references(package, inner, how, edges);
            }
            Type::Map(key, value) if how == Reference::Any => {
                self.references(package, key, how, edges);
                self.references(package, value, how, edges);
            }
            Type::Struct(fields) => {
                for field in fields {
                    if how != Reference::Embedding || is_embedded(field) {
                        self.references(package, &field.ty, how, edges);
                    }
                }
            }
            _ => {}
        }
    }

    fn check(&self, diagnostics: &mut Diagnostics) {
        let by_value = self.edges(Reference::Value, |_| true);
        let help = "a pointer, a slice or a map in between lets it end";
        let found = self.report(&by_value, "contains itself", help, diagnostics);
        let aliases = self.edges(Reference::Any, |decl| decl.alias);
        let help = "an alias must refer to another type";
        let found = self.report(&aliases, "is an alias of itself", help, diagnostics) || found;
        let embedding = self.edges(Reference::Embedding, |_| true);
        let help = "name the field";
        if found || self.report(&embedding, "embeds itself", help, diagnostics) {
            return;
        }
        self.check_depth(&embedding, diagnostics);
    }

    fn report(
        &self,
        edges: &[Vec<usize>],
        what: &str,
        help: &str,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let mut found = false;
        for cycle in cycles(edges) {
            let Some(decl) = cycle.first().and_then(|first| self.decls.get(*first)) else {
                continue;
            };
            found = true;
            let names = cycle
                .iter()
                .filter_map(|number| self.decls.get(*number))
                .map(|decl| decl.name.as_str());
            let message = format!("`{}` {what}", decl.name);
            diagnostics.push(circle(message, &decl.place, "without end", names).help(help));
        }
        found
    }

    /// Reports the first type that exceeds the maximum embedding depth; assumes that there are no
    /// cycles.
    fn check_depth(&self, edges: &[Vec<usize>], diagnostics: &mut Diagnostics) {
        let mut depths = vec![0_usize; edges.len()];
        for number in finished_order(edges) {
            let below = edges[number].iter().map(|to| depths[*to] + 1).max();
            depths[number] = below.unwrap_or(0);
            if depths[number] > MAX_EMBEDDING {
                let message =
                    format!("structs embed each other deeper than {MAX_EMBEDDING} levels");
                let place = self.decls[number].place.clone();
                diagnostics.push(Diagnostic::error(message).at(place, "the outermost"));
                return;
            }
        }
    }
}
