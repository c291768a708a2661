//! Schemas that code returns: functions of `schema_with`, and implementations of `JsonSchema` by
//! hand.

use std::borrow::Cow;

use super::super::{Cx, named};
use crate::{
    diag::Diagnostics,
    model::{Coded, CodedSchema, TypeRef, WireType},
    read::rust::{Code, Impl, Item, Kind, Literal, Package, SchemaBase, SchemaCode},
};

/// The maximum number of functions that call each other, and of nested schemas.
const MAX_DEPTH: usize = 64;

/// Returns the schema of a function at a path as seen from a module, with the function's module.
pub(in crate::lower::rust) fn of_function<'p>(
    package: &'p Package,
    module: usize,
    path: &[String],
) -> Option<&'p (usize, SchemaCode)> {
    named::find(
        &package.modules,
        &package.codes,
        (module, path),
        |first, other| std::ptr::eq(first, other),
    )
}

/// Returns a path with the name of the type in place of `Self`.
fn without_self<'p>(item: &Item, path: &'p [String]) -> Cow<'p, [String]> {
    match path.split_first() {
        Some((head, rest)) if head == "Self" => {
            Cow::Owned([std::slice::from_ref(&item.name), rest].concat())
        }
        _ => Cow::Borrowed(path),
    }
}

impl Cx<'_> {
    /// Returns the schema that a function returns, which an attribute of an item names.
    pub(super) fn schema_of_function(
        &self,
        item: &Item,
        path: &[String],
    ) -> Option<CodedSchema<TypeRef>> {
        let path = without_self(item, path);
        let (module, code) = of_function(self.package, item.module, &path)?;
        self.coded(item, (*module, code), MAX_DEPTH)
    }

    /// Returns the schema that an implementation by hand returns, if it is known.
    pub(super) fn schema_by_hand(&self, item: &Item) -> Option<CodedSchema<TypeRef>> {
        let mut impls = self.impls_of(item).iter();
        let found = impls.find(|it| it.trait_name == "JsonSchema")?;
        self.schema_of_impl(item, found)
    }

    /// Returns the schema of an implementation of `JsonSchema`; `item` is its type, or the one that
    /// it is derived from.
    pub(in crate::lower::rust) fn schema_of_impl(
        &self,
        item: &Item,
        found: &Impl,
    ) -> Option<CodedSchema<TypeRef>> {
        let (module, code) = found.schema.as_ref()?;
        self.coded(item, (*module, code), MAX_DEPTH)
    }

    fn coded(
        &self,
        item: &Item,
        (module, code): (usize, &SchemaCode),
        depth: usize,
    ) -> Option<CodedSchema<TypeRef>> {
        let depth = depth.checked_sub(1)?;
        let mut schema = match &code.base {
            SchemaBase::Empty => CodedSchema::default(),
            SchemaBase::Type(ty) => CodedSchema {
                base: Some(match &ty.kind {
                    Kind::Path(path) if path.segments == ["Self"] => {
                        TypeRef::Local(self.key(item).to_owned())
                    }
                    _ => {
                        let mut scope = item.clone();
                        scope.module = module;
                        self.reference(&scope, ty, &mut Diagnostics::new())
                    }
                }),
                keywords: Vec::new(),
            },
            SchemaBase::Function(path) => {
                let own = path.first().is_some_and(|head| head == "Self");
                let found = match own {
                    true => return self.schema_of_function(item, path),
                    false => of_function(self.package, module, path)?,
                };
                self.coded(item, (found.0, &found.1), depth)?
            }
        };
        for (keyword, value) in &code.keywords {
            let value = match value {
                Some(value) => Some(self.coded_value(item, (module, value), depth)?),
                None => None,
            };
            schema.keywords.retain(|(known, _)| known != keyword);
            schema.keywords.push((keyword.clone(), value));
        }
        Some(schema)
    }

    fn coded_value(
        &self,
        item: &Item,
        (module, code): (usize, &Code),
        depth: usize,
    ) -> Option<Coded<TypeRef>> {
        Some(match code {
            Code::Literal(Literal::Unknown) => return None,
            Code::Literal(Literal::Named(path)) => {
                let path = Literal::Named(without_self(item, path).into_owned());
                Coded::Value(self.value(module, &path)?)
            }
            Code::Literal(literal) => Coded::Value(self.value(module, literal)?),
            Code::List(items) => {
                let depth = depth.checked_sub(1)?;
                let items = items.iter();
                let items = items.map(|code| self.coded_value(item, (module, code), depth));
                Coded::List(items.collect::<Option<_>>()?)
            }
            Code::Schema(schema) => Coded::Schema(self.coded(item, (module, schema), depth)?),
        })
    }

    /// Returns the JSON form of the values that a schema describes, and that of the items of lists.
    pub(super) fn wire_types(&self, schema: &CodedSchema<TypeRef>) -> (WireType, WireType) {
        let wire = match schema.text("type") {
            Some("boolean") => WireType::Bool,
            Some("integer") => WireType::Integer,
            Some("number") => WireType::Number,
            Some("string") => WireType::String,
            Some("array") => WireType::List,
            Some("object") => WireType::Object,
            _ => WireType::Unknown,
        };
        let base = schema.base.as_ref();
        let items = match schema.keyword("items") {
            Some(Coded::Schema(items)) => self.wire_types(items).0,
            _ => base.map_or(WireType::Unknown, |ty| self.element_type(ty)),
        };
        match (wire, base) {
            (WireType::Unknown, Some(ty)) => (self.wire_type(ty), items),
            _ => (wire, items),
        }
    }
}
