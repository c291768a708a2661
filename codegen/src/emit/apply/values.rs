//! Field types: those of the API, with configurations in place of structs that are merged field by field.

use std::cell::RefCell;

use super::{apply_name, configured};
use crate::{
    emit::types::{CODEC, Imports},
    model::{
        ExternalType, ListType, MapType, Origin, StructDef, TypeDef, TypeKind, TypeRef, Validation,
        Version, names,
    },
};

/// Whether the schema makes a value atomic, so that it is replaced as a whole.
pub(super) fn is_atomic(rules: &Validation) -> bool {
    rules.map_type == Some(MapType::Atomic)
}

/// What a field's setter takes, by the keyword of the runtime's macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// The value.
    Plain,
    /// Anything that converts into the value.
    Into,
    /// The items of a list.
    List,
    /// The entries of a map.
    Map,
    /// The value, or `None` for null.
    Nullable,
}

impl Form {
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Into => "into",
            Self::List => "list",
            Self::Map => "map",
            Self::Nullable => "nullable",
        }
    }
}

/// The type of a value; for [`Form::List`] and [`Form::Map`], the type of its items.
pub(super) struct Value {
    pub(super) form: Form,
    pub(super) ty: String,
}

impl Value {
    fn new(form: Form, ty: impl Into<String>) -> Self {
        let ty = ty.into();
        Self { form, ty }
    }

    /// The complete Rust type.
    pub(super) fn rust(self) -> String {
        match self.form {
            Form::List => format!("Vec<{}>", self.ty),
            Form::Map => format!("::std::collections::BTreeMap<String, {}>", self.ty),
            Form::Plain | Form::Into | Form::Nullable => self.ty,
        }
    }
}

/// The types of a version, as written in its configurations.
pub(super) struct Values<'a> {
    pub(super) version: &'a Version,
    pub(super) imports: Imports<'a>,
    /// The types whose configurations are referred to.
    pub(super) reached: RefCell<Vec<&'a str>>,
}

impl<'a> Values<'a> {
    /// The type of arbitrary JSON.
    pub(super) fn any(&self) -> String {
        "apply::Value".to_owned()
    }

    /// Whether generated code can refer to a type of the version.
    pub(super) fn is_seen(&self, def: &TypeDef) -> bool {
        def.item.as_ref().is_none_or(|item| item.exported)
    }

    fn def(&self, name: &str) -> Option<&'a TypeDef> {
        self.version.type_def(name)
    }

    /// The alias that a type refers to, with its target.
    fn alias(&self, ty: &TypeRef) -> Option<(&'a TypeDef, &'a TypeRef)> {
        let TypeRef::Local(name) = ty else {
            return None;
        };
        let def = self.def(name)?;
        match &def.kind {
            TypeKind::Alias(alias) if !alias.newtype && def.marshals.is_none() && !def.whole => {
                let generic = def.item.as_ref().is_some_and(|it| !it.generics.is_empty());
                (!generic).then_some((def, &alias.target))
            }
            _ => None,
        }
    }

    /// Strips `Option`s, boxes and aliases from a type.
    pub(super) fn target<'t>(&self, ty: &'t TypeRef) -> &'t TypeRef
    where
        'a: 't,
    {
        match ty {
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.target(inner),
            ty => self.alias(ty).map_or(ty, |(_, target)| self.target(target)),
        }
    }

    /// The merge rules of a value: its own, else those of the aliases that its type goes through.
    pub(super) fn rules<'t>(&self, ty: &'t TypeRef, own: &'t Validation) -> &'t Validation
    where
        'a: 't,
    {
        if own.list_type.is_some() || own.map_type.is_some() {
            return own;
        }
        match ty {
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.rules(inner, own),
            ty => self
                .alias(ty)
                .map_or(own, |(def, target)| self.rules(target, &def.validation)),
        }
    }

    /// The struct that a type resolves to, if it has a configuration.
    pub(super) fn struct_of(&self, ty: &TypeRef) -> Option<&'a StructDef> {
        match self.target(ty) {
            TypeRef::Local(name) => configured(self.def(name)?),
            _ => None,
        }
    }

    /// Whether the type of a value, or of its items, is a configuration.
    pub(super) fn reaches_struct(&self, ty: &TypeRef, rules: &Validation) -> bool {
        let rules = self.rules(ty, rules);
        let element = rules.element.as_deref().cloned().unwrap_or_default();
        match self.target(ty) {
            TypeRef::List(inner) => {
                rules.list_type == Some(ListType::Map) && self.reaches_struct(inner, &element)
            }
            TypeRef::Map(inner) => !is_atomic(rules) && self.reaches_struct(inner, &element),
            ty => !is_atomic(rules) && self.struct_of(ty).is_some(),
        }
    }

    /// The type of a value that is replaced as a whole.
    pub(super) fn whole(&self, ty: &TypeRef) -> String {
        self.typed(ty, None).rust()
    }

    /// The type of a value with these merge rules.
    pub(super) fn value(&self, ty: &TypeRef, rules: &Validation) -> Value {
        self.typed(ty, Some(self.rules(ty, rules)))
    }

    /// The type of a value: the API's without rules, else with configurations where the rules merge field by field.
    fn typed(&self, ty: &TypeRef, rules: Option<&Validation>) -> Value {
        let is_rust = self.version.origin == Origin::Rust;
        let element = |is_merged: bool| {
            let rules = rules.filter(|_| is_merged)?;
            Some(rules.element.as_deref().cloned().unwrap_or_default())
        };
        match ty {
            TypeRef::Bool => Value::new(Form::Plain, "bool"),
            TypeRef::Int32 => Value::new(Form::Plain, "i32"),
            TypeRef::Int64 => Value::new(Form::Plain, "i64"),
            TypeRef::Float if is_rust => Value::new(Form::Plain, "f64"),
            TypeRef::Float => Value::new(Form::Into, self.imports.name_path(CODEC, "Number")),
            TypeRef::Float32 => Value::new(Form::Plain, "f32"),
            // Go's `int` and `uint`, 64 bits wide on the platforms that Kubernetes supports.
            TypeRef::Integer(name) if !is_rust && name == "isize" => Value::new(Form::Plain, "i64"),
            TypeRef::Integer(name) if !is_rust && name == "usize" => Value::new(Form::Plain, "u64"),
            TypeRef::Integer(name) => Value::new(Form::Plain, name.as_str()),
            TypeRef::String => Value::new(Form::Into, "String"),
            TypeRef::Any | TypeRef::Verbatim(_) => Value::new(Form::Into, self.any()),
            TypeRef::Known(known) => Value::new(
                Form::Into,
                self.imports.name_path(known.module(), known.name()),
            ),
            TypeRef::External(external) => Value::new(Form::Into, self.external(external)),
            TypeRef::Local(name) => self.local(ty, name, rules),
            TypeRef::List(inner) => {
                let is_merged = rules.is_some_and(|it| it.list_type == Some(ListType::Map));
                let item = self.inner(inner, element(is_merged).as_ref());
                match &**inner {
                    // The types of plain literals would be inferred as `i32` or `f64`.
                    TypeRef::Integer(_) | TypeRef::Float32 => {
                        Value::new(Form::Plain, format!("Vec<{item}>"))
                    }
                    _ => Value::new(Form::List, item),
                }
            }
            TypeRef::Map(inner) => {
                let is_merged = rules.is_some_and(|rules| !is_atomic(rules));
                let item = self.inner(inner, element(is_merged).as_ref());
                let value = Value::new(Form::Map, item);
                match &**inner {
                    TypeRef::Integer(_) | TypeRef::Float32 => Value::new(Form::Plain, value.rust()),
                    _ => value,
                }
            }
            TypeRef::Optional(inner) => {
                let inner = self.typed(inner, rules).rust();
                Value::new(Form::Plain, format!("Option<{inner}>"))
            }
            TypeRef::Boxed(inner) => {
                let inner = self.typed(inner, rules).rust();
                Value::new(Form::Into, format!("Box<{inner}>"))
            }
        }
    }

    /// The type of a list's items or a map's values.
    fn inner(&self, ty: &TypeRef, rules: Option<&Validation>) -> String {
        rules.map_or_else(|| self.whole(ty), |rules| self.value(ty, rules).rust())
    }

    fn local(&self, ty: &TypeRef, name: &str, rules: Option<&Validation>) -> Value {
        if let Some((_, target)) = self.alias(ty) {
            return self.typed(target, rules);
        }
        let Some(def) = self.def(name) else {
            return Value::new(Form::Into, self.any());
        };
        let is_merged = rules.is_some_and(|rules| !is_atomic(rules));
        if is_merged && configured(def).is_some() {
            self.reached.borrow_mut().push(&def.name);
            return Value::new(Form::Into, apply_name(name));
        }
        let is_generic = def.item.as_ref().is_some_and(|it| !it.generics.is_empty());
        if self.is_seen(def) && !is_generic {
            Value::new(Form::Into, format!("api::{}", names::ident(name)))
        } else {
            Value::new(Form::Into, self.any())
        }
    }

    /// An external type, or arbitrary JSON if only the API's module can refer to it.
    fn external(&self, external: &ExternalType) -> String {
        let first = external.segments.first().map_or("", String::as_str);
        let is_relative = ["self", "super"].contains(&first) || external.segments.len() < 2;
        if is_relative || !external.arguments.is_empty() {
            return self.any();
        }
        if let Some(below) = external.below("k8s_openapi")
            && let Some((name, module)) = below.split_last()
        {
            let module: String = module.iter().map(|it| format!("::{it}")).collect();
            return self
                .imports
                .name_path(&format!("k8s_openapi{module}"), name);
        }
        let global = external.global || first != "crate";
        let external = ExternalType {
            global,
            ..external.clone()
        };
        self.imports.external(&external)
    }
}
