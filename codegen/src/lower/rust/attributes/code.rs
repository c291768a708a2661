//! Schemas that code returns: functions of `schema_with`, and implementations of `JsonSchema` by
//! hand.

use std::borrow::Cow;

use super::super::{Cx, named, refs::replaced};
use crate::{
    diag::Diagnostics,
    model::{Coded, CodedSchema, TypeRef, WireType},
    read::rust::{
        Code, Impl, Item, Literal, Package, SchemaBase, SchemaCall, SchemaCode, SchemaFunction,
        Type,
    },
};

/// The maximum number of functions that call each other, and of nested schemas.
const MAX_DEPTH: usize = 64;

/// Returns a function at a path as seen from a module, with the function's module.
pub(in crate::lower::rust) fn of_function<'p>(
    package: &'p Package,
    module: usize,
    path: &[String],
) -> Option<&'p (usize, SchemaFunction)> {
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

/// Where code stands that returns a schema.
#[derive(Clone, Copy)]
struct Scope<'s> {
    /// The type that `Self` stands for.
    item: &'s Item,
    /// The module of the code.
    module: usize,
    /// The types that stand for the parameters of the function.
    arguments: &'s [(String, TypeRef)],
    /// How many more functions and schemas may be followed.
    depth: usize,
}

impl<'s> Scope<'s> {
    const fn new(item: &'s Item, module: usize) -> Self {
        Self {
            item,
            module,
            arguments: &[],
            depth: MAX_DEPTH,
        }
    }

    fn further(self) -> Option<Self> {
        let depth = self.depth.checked_sub(1)?;
        Some(Self { depth, ..self })
    }
}

impl Cx<'_> {
    /// Returns the schema that a function returns, which an attribute of an item names.
    pub(super) fn schema_of_function(
        &self,
        item: &Item,
        call: &SchemaCall,
    ) -> Option<CodedSchema<TypeRef>> {
        self.called(Scope::new(item, item.module), call)
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
        self.coded(Scope::new(item, *module), code)
    }

    fn called(&self, scope: Scope<'_>, call: &SchemaCall) -> Option<CodedSchema<TypeRef>> {
        let from = match call.path.first().is_some_and(|head| head == "Self") {
            true => scope.item.module,
            false => scope.module,
        };
        let path = without_self(scope.item, &call.path);
        let (module, function) = of_function(self.package, from, &path)?;
        if function.parameters.len() != call.arguments.len() {
            // The compiler infers them.
            return None;
        }
        let arguments = call.arguments.iter().map(|ty| self.coded_type(scope, ty));
        let arguments: Vec<(String, TypeRef)> =
            function.parameters.iter().cloned().zip(arguments).collect();
        let inner = Scope {
            module: *module,
            arguments: &arguments,
            ..scope
        };
        self.coded(inner, &function.schema)
    }

    /// Resolves a type in code.
    fn coded_type(&self, scope: Scope<'_>, ty: &Type) -> TypeRef {
        let mut item = scope.item.clone();
        item.module = scope.module;
        let parameters = scope.arguments.iter().map(|(name, _)| name.clone());
        item.generics.names.extend(parameters);
        let ty = self.reference(&item, ty, &mut Diagnostics::new());
        replaced(ty, &|name| {
            let mut arguments = scope.arguments.iter();
            arguments
                .find(|(known, _)| known == name)
                .map(|(_, ty)| ty.clone())
        })
    }

    fn coded(&self, scope: Scope<'_>, code: &SchemaCode) -> Option<CodedSchema<TypeRef>> {
        let scope = scope.further()?;
        let mut schema = match &code.base {
            SchemaBase::Empty => CodedSchema::default(),
            SchemaBase::Type(ty) => CodedSchema {
                base: Some(self.coded_type(scope, ty)),
                keywords: Vec::new(),
            },
            SchemaBase::Function(call) => self.called(scope, call)?,
        };
        for (keyword, value) in &code.keywords {
            let value = match value {
                Some(value) => Some(self.coded_value(scope, value)?),
                None => None,
            };
            schema.keywords.retain(|(known, _)| known != keyword);
            schema.keywords.push((keyword.clone(), value));
        }
        Some(schema)
    }

    fn coded_value(&self, scope: Scope<'_>, code: &Code) -> Option<Coded<TypeRef>> {
        Some(match code {
            Code::Literal(Literal::Unknown) => return None,
            Code::Literal(Literal::Named(path)) => {
                let path = Literal::Named(without_self(scope.item, path).into_owned());
                Coded::Value(self.value(scope.module, &path)?)
            }
            Code::Literal(literal) => Coded::Value(self.value(scope.module, literal)?),
            Code::List(items) => {
                let scope = scope.further()?;
                let items = items.iter().map(|code| self.coded_value(scope, code));
                Coded::List(items.collect::<Option<_>>()?)
            }
            Code::Schema(schema) => Coded::Schema(self.coded(scope, schema)?),
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
