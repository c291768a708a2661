//! Evaluates types and values of constants, as far as literals, concatenations and conversions
//! determine them.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use super::{
    docs,
    file::Types,
    literal::unquote,
    package::{Const, ConstValue, EnumLiteral, Type},
    resolve::{Index, predeclared},
    sources::{GoFile, GoPackage},
    syntax::{ConstExpr, ConstSpec, File, Span, TypeExpr},
};

/// The maximum number of constants followed to evaluate one.
const MAX_STEPS: usize = 50;

/// The maximum length of a concatenated value; repeated doubling could produce any length.
const MAX_LENGTH: usize = 64 * 1024;

/// A constant's declaration: its position, its index among the declared names, and the declaration
/// it repeats.
#[derive(Clone, Copy)]
struct Declared<'a> {
    file: &'a GoFile,
    syntax: &'a File,
    spec: &'a ConstSpec,
    /// The declaration that specifies type and value.
    given: &'a ConstSpec,
    position: usize,
    name: &'a Span,
}

/// Returns the constants of a package, in order; if the used types are specified, without constants
/// of other types.
pub(super) fn read(
    package: &GoPackage,
    index: &Index<'_>,
    used: Option<&BTreeSet<String>>,
) -> Vec<Const> {
    let is_unused = |name: &str| used.is_some_and(|used| !used.contains(name));
    let declared = declared(package);
    let by_name: BTreeMap<&str, Declared<'_>> = declared
        .iter()
        .map(|declared| (declared.file.text_of(declared.name), *declared))
        .collect();
    let evaluator = Evaluator {
        package,
        index,
        by_name,
        known: RefCell::default(),
    };
    let mut consts = Vec::with_capacity(declared.len());
    for declared in &declared {
        let name = declared.file.text_of(declared.name);
        let is_of_unused = match &declared.given.ty {
            Some(TypeExpr::Name(ty)) => is_unused(declared.file.text_of(ty)),
            _ => false,
        };
        if name == "_" || is_of_unused {
            continue;
        }
        let (ty, value) = evaluator.declared(declared, 0);
        let group = declared
            .spec
            .doc
            .and_then(|doc| declared.syntax.groups.get(doc));
        consts.push(Const {
            name: name.to_owned(),
            place: declared.file.place(declared.name.clone()),
            docs: group.map_or_else(String::new, |group| {
                docs::text(
                    declared.syntax.comments_of(group),
                    &declared.file.source.text,
                )
            }),
            ty,
            value: value.map_or(ConstValue::Other, ConstValue::Literal),
        });
    }
    consts
}

fn declared(package: &GoPackage) -> Vec<Declared<'_>> {
    let mut all = Vec::new();
    for (file, syntax) in package.parsed() {
        let mut given = None;
        for spec in &syntax.consts {
            let repeated = if spec.repeats { given } else { Some(spec) };
            let from = repeated.unwrap_or(spec);
            given = Some(from);
            for (position, name) in spec.names.iter().enumerate() {
                all.push(Declared {
                    file,
                    syntax,
                    spec,
                    given: from,
                    position,
                    name,
                });
            }
        }
    }
    all
}

type Value = (Option<Type>, Option<EnumLiteral>);

struct Evaluator<'a> {
    package: &'a GoPackage,
    index: &'a Index<'a>,
    by_name: BTreeMap<&'a str, Declared<'a>>,
    /// The values of names evaluated so far.
    known: RefCell<BTreeMap<&'a str, Value>>,
}

impl<'a> Evaluator<'a> {
    fn types(&self, at: &Declared<'a>) -> Types<'a> {
        Types::new(self.package, at.file, at.syntax, self.index)
    }

    /// Evaluates type and value of a constant.
    fn declared(&self, at: &Declared<'a>, steps: usize) -> Value {
        let value = at.given.values.get(at.position);
        let (ty, value) = match value {
            Some(value) if steps < MAX_STEPS => self.value(at, value, steps),
            _ => (None, None),
        };
        match &at.given.ty {
            Some(given) => (Some(self.types(at).leaf(given)), value),
            None => (ty, value),
        }
    }

    fn value(&self, at: &Declared<'a>, value: &ConstExpr, steps: usize) -> Value {
        let text = |span: &Span| at.file.text_of(span);
        match value {
            ConstExpr::String(span) => {
                let value = unquote(text(span)).map(Cow::into_owned);
                (None, value.map(EnumLiteral::String))
            }
            ConstExpr::Integer(span, negative) => {
                let sign = if *negative { "-" } else { "" };
                let integer = format!("{sign}{}", text(span));
                (None, Some(EnumLiteral::Integer(integer)))
            }
            ConstExpr::Name(span) => self.named(text(span), steps),
            ConstExpr::Qualified(package, name) => self.qualified(at, package, text(name)),
            ConstExpr::Concat(terms) => self.concat(at, terms, steps),
            ConstExpr::Convert(package, name, inner) => {
                match self.converted(at, package.as_ref(), name) {
                    Some(ty) => (Some(ty), self.value(at, inner, steps).1),
                    None => (None, None),
                }
            }
            ConstExpr::Other => (None, None),
        }
    }

    fn named(&self, name: &str, steps: usize) -> Value {
        if let Some(known) = self.known.borrow().get(name) {
            return known.clone();
        }
        let Some((name, other)) = self.by_name.get_key_value(name) else {
            return (None, None);
        };
        let value = self.declared(other, steps + 1);
        self.known.borrow_mut().insert(name, value.clone());
        value
    }

    fn concat(&self, at: &Declared<'a>, terms: &[ConstExpr], steps: usize) -> Value {
        let mut whole = String::new();
        let mut ty = None;
        for term in terms {
            let (of_term, Some(EnumLiteral::String(part))) = self.value(at, term, steps) else {
                return (None, None);
            };
            whole.push_str(&part);
            ty = ty.or(of_term);
            if whole.len() > MAX_LENGTH {
                return (None, None);
            }
        }
        (ty, Some(EnumLiteral::String(whole)))
    }

    /// Returns the type of a conversion, or `None` if the name is that of a function.
    fn converted(&self, at: &Declared<'a>, package: Option<&Span>, name: &Span) -> Option<Type> {
        let types = self.types(at);
        if let Some(package) = package {
            return Some(types.qualified(package, name));
        }
        let text = at.file.text_of(name);
        let is_type = self.index.declares(&self.package.path, text)
            || types.dot_import_of(text).is_some()
            || predeclared(text).is_some();
        is_type.then(|| types.name(name))
    }

    /// Returns the value of a constant from another package that was read, which must be a literal.
    fn qualified(&self, at: &Declared<'a>, package: &Span, name: &str) -> Value {
        let Some(path) = self.types(at).path_of(package) else {
            return (None, None);
        };
        let Some(other) = self.index.get(path) else {
            return (None, None);
        };
        let declared = declared(other.package);
        let found = declared
            .iter()
            .find(|declared| declared.file.text_of(declared.name) == name);
        let Some(found) = found else {
            return (None, None);
        };
        let evaluator = Evaluator {
            package: other.package,
            index: self.index,
            by_name: BTreeMap::new(),
            known: RefCell::default(),
        };
        let (ty, value) = evaluator.declared(found, MAX_STEPS - 1);
        let ty = ty.map(|ty| match ty {
            Type::Local(name, place) => Type::Imported(path.into(), name, place),
            other => other,
        });
        (ty, value)
    }
}
