//! Checks whether a Kubernetes type fits a schema: reading its values loses nothing, and writing
//! them adds nothing.

use super::{
    misfit::{Misfit, Reason},
    table::{Kubernetes, KubernetesField, Table, Target},
};
use crate::{
    builtin::Written,
    model::{Constraints, KnownType, ListType, QUANTITY_PATTERN, TypeRef, Validation},
    read::crd::schema::{Additional, Schema, Type},
};

type Fits<'s> = Result<(), Misfit<'s>>;

/// A type that is compared with a schema.
#[derive(Clone, Copy)]
pub(super) struct Fit {
    pub(super) table: &'static Table,
    /// The type of the schema's root.
    pub(super) root: &'static Kubernetes,
    pub(super) texts: Texts,
}

/// How strings are written that k8s-openapi always writes but Go omits when empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Texts {
    /// Always: the schema requires them, or the server defaults them.
    Full,
    /// The codec omits them when empty.
    Sparse,
}

impl Fit {
    /// Checks how a type fits the objects of a schema; the schema's additional rules stay with the
    /// field.
    pub(super) fn find<'s>(
        table: &'static Table,
        root: &'static Kubernetes,
        schema: &'s Schema,
    ) -> Result<Self, Misfit<'s>> {
        let texts = Texts::Full;
        let fit = Self { table, root, texts };
        match fit.check(schema) {
            Err(misfit) if misfit.is_optional_text() => {
                let texts = Texts::Sparse;
                let fit = Self { texts, ..fit };
                fit.check(schema).map(|()| fit)
            }
            checked => checked.map(|()| fit),
        }
    }

    fn check<'s>(self, schema: &'s Schema) -> Fits<'s> {
        // The type lacks `Default`, so a field of that type cannot have a default.
        if self.root.is_condition() && schema.default.as_ref().is_some_and(|one| !one.is_null()) {
            return Err(Misfit::says("has a default"));
        }
        self.object(schema, self.root)
    }

    fn object<'s>(self, schema: &'s Schema, known: &'static Kubernetes) -> Fits<'s> {
        if schema.validation.embedded_resource || keeps_unknown(schema) {
            return Err(Misfit::says("the server keeps properties of any name"));
        }
        if !matches!(schema.type_, None | Some(Type::Object)) || schema.any_type {
            return Err(Misfit::says("is not an object"));
        }
        for (name, property) in &schema.properties {
            let field = known.definition().fields.get(name);
            let field = field.ok_or_else(|| Misfit::new(Reason::NoField(known.name())).at(name))?;
            self.field(property, field)
                .map_err(|misfit| misfit.at(name))?;
        }
        for (name, field) in &known.definition().fields {
            if field.written == Written::Always && !schema.required.contains(name) {
                self.unasked(schema, name, field)
                    .map_err(|misfit| misfit.at(name))?;
            }
        }
        Ok(())
    }

    /// Checks a field that k8s-openapi always writes but the schema does not require: it is always
    /// present if it has a default.
    fn unasked<'s>(self, schema: &'s Schema, name: &str, field: &KubernetesField) -> Fits<'s> {
        let property = schema.properties.iter().find(|(key, _)| key == name);
        let default = property.and_then(|(_, property)| property.default.as_ref());
        match (self.texts, default) {
            _ if !field.is_optional_text() => Err(Misfit::says(
                "k8s-openapi always writes it, and the schema neither requires it nor has a default",
            )),
            (Texts::Full, Some(_)) | (Texts::Sparse, None) => Ok(()),
            (Texts::Full, None) => Err(Misfit::new(Reason::OptionalText)),
            (Texts::Sparse, Some(_)) => Err(Misfit::says(
                "has a default, but other strings of the type have none",
            )),
        }
    }

    fn field<'s>(self, schema: &'s Schema, known: &'static KubernetesField) -> Fits<'s> {
        let field = &known.field;
        if let Some(default) = schema.default.as_ref().filter(|value| !value.is_null())
            && Some(default) != field.default.as_ref()
        {
            return Err(Misfit::new(Reason::Default(default)));
        }
        self.value(schema, &field.ty, &[&field.validation])
    }

    /// Checks whether the schema's values have the type; `rules` are Kubernetes' rules for it.
    fn value<'s>(self, schema: &'s Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits<'s> {
        if schema.nullable {
            return Err(Misfit::says("may be null"));
        }
        match self.table.target(ty) {
            Target::Struct(known) => {
                check_rules(schema, &[rules, &[&known.definition().validation]].concat())?;
                if schema.properties.is_empty() && !is_open_metadata(schema, known) {
                    return Err(Misfit::says("has no properties"));
                }
                self.object(schema, known)
            }
            Target::Plain(ty) => self.plain(schema, ty, rules),
            Target::Other(declared) => {
                let (ty, own) = &*declared;
                self.plain(schema, ty, &[rules, &[own]].concat())
            }
            Target::None => Err(Misfit::says("is of a type that k8s-openapi lacks")),
        }
    }

    fn plain<'s>(self, schema: &'s Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits<'s> {
        let of_type = |wanted: Type| {
            if schema.type_ == Some(wanted) && !schema.validation.int_or_string {
                check_rules(schema, rules)
            } else {
                Err(Misfit::says("has a different type"))
            }
        };
        let format = schema.validation.format.as_deref();
        match ty {
            TypeRef::Bool => of_type(Type::Boolean),
            TypeRef::Int32 if format != Some("int32") => {
                Err(Misfit::says("may have more than 32 bits"))
            }
            TypeRef::Int32 => of_type(Type::Integer),
            TypeRef::Int64 if matches!(format, None | Some("int64")) => of_type(Type::Integer),
            TypeRef::String if format.is_none() => of_type(Type::String),
            TypeRef::List(element) => {
                of_type(Type::Array)?;
                match &schema.items {
                    Some(items) => self.element(items, element, rules),
                    None => Err(Misfit::says("has items of any type")),
                }
            }
            TypeRef::Map(element) => {
                of_type(Type::Object)?;
                match &schema.additional {
                    Additional::Schema(value)
                        if schema.properties.is_empty()
                            && !schema.validation.preserve_unknown_fields =>
                    {
                        self.element(value, element, rules)
                    }
                    _ => Err(Misfit::says("is not a map of such values")),
                }
            }
            TypeRef::Known(KnownType::Quantity) => quantity(schema),
            TypeRef::Known(KnownType::IntOrString) => int_or_string(schema),
            TypeRef::Known(KnownType::Time) if !self.root.is_condition() => Err(Misfit::says(
                "is a time, whose fractional seconds k8s-openapi would drop",
            )),
            TypeRef::Known(KnownType::Time) if format == Some("date-time") => of_type(Type::String),
            _ => Err(Misfit::says("is of a type that is not recognised")),
        }
    }

    fn element<'s>(self, schema: &'s Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits<'s> {
        let elements = rules.iter().filter_map(|rules| rules.element.as_deref());
        let elements: Vec<&Validation> = elements.collect();
        let default = schema.default.as_ref();
        if default.is_some_and(|value| !value.is_null()) {
            return Err(Misfit::says("has items with a default"));
        }
        self.value(schema, ty, &elements)
            .map_err(|misfit| misfit.at("[]"))
    }
}

fn keeps_unknown(schema: &Schema) -> bool {
    schema.validation.preserve_unknown_fields || !matches!(schema.additional, Additional::No)
}

/// Whether it is embedded metadata as written by controller-gen: the server prunes all of its
/// fields, or none.
fn is_open_metadata(schema: &Schema, known: &Kubernetes) -> bool {
    known.is_metadata() && schema.type_ == Some(Type::Object)
}

/// Checks for a quantity: controller-gen's current form, or the plain string of its older releases.
fn quantity(schema: &Schema) -> Fits<'_> {
    let pattern = schema.validation.pattern.as_deref();
    let plain = schema.type_ == Some(Type::String) && schema.validation.format.is_none();
    let other_rules = Constraints {
        pattern: None,
        int_or_string: false,
        combinators: Default::default(),
        ..(*schema.validation).clone()
    };
    let fits = (schema.validation.int_or_string || plain)
        && pattern.is_none_or(|pattern| pattern == QUANTITY_PATTERN)
        && other_rules == Constraints::default();
    if fits {
        Ok(())
    } else {
        Err(Misfit::says("is not a quantity"))
    }
}

fn int_or_string(schema: &Schema) -> Fits<'_> {
    let other_rules = Constraints {
        int_or_string: false,
        combinators: Default::default(),
        ..(*schema.validation).clone()
    };
    if schema.validation.int_or_string && other_rules == Constraints::default() {
        Ok(())
    } else {
        Err(Misfit::says("is not an int-or-string of Kubernetes"))
    }
}

/// Reports rules in which the schema and Kubernetes differ.
fn check_rules<'s>(schema: &'s Schema, known: &[&Validation]) -> Fits<'s> {
    let own = &*schema.validation;
    let others: Vec<&Constraints> = known.iter().map(|known| &***known).collect();
    // The keys of a list go with its type.
    let is_keyed = own.list_type == Some(ListType::Map);
    let has_keys = |one: &&Constraints| {
        (one.list_type, &one.list_map_keys) == (own.list_type, &own.list_map_keys)
    };
    let keys = (is_keyed && !others.iter().any(has_keys)).then_some("x-kubernetes-list-type");
    match own.beyond(&others).or(keys) {
        Some(keyword) => Err(Misfit::new(Reason::Rule(keyword))),
        None if own.embedded_resource => Err(Misfit::says("is an embedded resource")),
        None => Ok(()),
    }
}
