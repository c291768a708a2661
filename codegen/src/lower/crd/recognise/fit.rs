//! Whether the values of a schema are values of a Kubernetes type: nothing is lost when they are read, and nothing is added
//! when they are written.

use serde_json::Value;

use super::{
    misfit::Misfit,
    table::{Kubernetes, KubernetesField, Table, Target},
};
use crate::{
    builtin::Written,
    model::{
        Constraints, KnownType, ListType, MapType, Omission, QUANTITY_PATTERN, TypeRef, Validation,
    },
    read::crd::schema::{Additional, Schema, Type},
};

/// What fields of a type need beside k8s-openapi's own serde.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// A quantity or int-or-string, whose numbers k8s-openapi refuses or writes as texts.
    pub(super) numbers: bool,
    /// A text that k8s-openapi writes when it is empty, and that the schema does not ask for.
    pub(super) omission: bool,
    /// Such a text for which the schema has a default.
    pub(super) filling: bool,
}

impl Needs {
    fn and(self, other: Self) -> Self {
        Self {
            numbers: self.numbers || other.numbers,
            omission: self.omission || other.omission,
            filling: self.filling || other.filling,
        }
    }
}

type Fits = Result<Needs, Misfit>;

/// Whether objects of the schema fit the type; its rules of its own stay with the field.
pub(super) fn fits(table: &Table, schema: &Schema, known: &Kubernetes) -> Fits {
    if schema.validation.embedded_resource || keeps_unknown(schema) {
        return Err(Misfit::new("the server keeps properties of any name"));
    }
    if !matches!(schema.type_, None | Some(Type::Object)) || schema.any_type {
        return Err(Misfit::new("is no object"));
    }
    let mut needs = Needs::default();
    for (name, property) in &schema.properties {
        let field = known
            .fields
            .get(name)
            .ok_or_else(|| Misfit::new(format!("{} has no such field", known.name())).at(name))?;
        let of_field = fits_field(table, property, field).map_err(|misfit| misfit.at(name))?;
        needs = needs.and(of_field);
    }
    for (name, field) in &known.fields {
        if field.written == Written::Always && !schema.required.contains(name) {
            needs = needs.and(unasked(schema, name, field).map_err(|misfit| misfit.at(name))?);
        }
    }
    Ok(needs)
}

fn keeps_unknown(schema: &Schema) -> bool {
    schema.validation.preserve_unknown_fields || !matches!(schema.additional, Additional::No)
}

/// A field that k8s-openapi always writes, and that the schema does not require.
fn unasked(schema: &Schema, name: &str, field: &KubernetesField) -> Fits {
    let omitted = field.field.go.as_ref();
    let omitted = omitted.is_some_and(|go| go.omits == Omission::Empty);
    let property = schema.properties.iter().find(|(key, _)| key == name);
    let default = property.and_then(|(_, property)| property.default.as_ref());
    match (field.field.ty == TypeRef::String && omitted, default) {
        (true, None) => Ok(Needs {
            omission: true,
            ..Needs::default()
        }),
        (true, Some(_)) => Ok(Needs {
            filling: true,
            ..Needs::default()
        }),
        (false, _) => Err(Misfit::new(
            "k8s-openapi always writes it, and the schema does not require it",
        )),
    }
}

fn fits_field(table: &Table, schema: &Schema, known: &KubernetesField) -> Fits {
    let field = &known.field;
    if let Some(default) = schema.default.as_ref().filter(|value| !value.is_null())
        && Some(default) != field.default.as_ref()
    {
        return Err(Misfit::new(format!("the default {default} is its own")));
    }
    fits_value(table, schema, &field.ty, &[&field.validation])
}

/// Whether the schema's values are of the type; `rules` are those of Kubernetes.
fn fits_value(table: &Table, schema: &Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits {
    if schema.nullable {
        return Err(Misfit::new("may be null"));
    }
    match table.target(ty) {
        Target::Struct(known) => {
            check_rules(schema, &[rules, &[&known.validation]].concat())?;
            if schema.properties.is_empty() && !is_open_metadata(schema, known) {
                return Err(Misfit::new("names no properties"));
            }
            fits(table, schema, known)
        }
        Target::Other(ty, own) => {
            let rules = [rules, &[&own]].concat();
            fits_plain(table, schema, &ty, &rules)
        }
        Target::None => Err(Misfit::new("is a type that k8s-openapi lacks")),
    }
}

/// Embedded metadata as controller-gen writes it: the server drops all that is in it, or it is not pruned at all.
fn is_open_metadata(schema: &Schema, known: &Kubernetes) -> bool {
    known.name() == "ObjectMeta" && schema.type_ == Some(Type::Object)
}

fn fits_plain(table: &Table, schema: &Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits {
    let of_type = |wanted: Type| {
        if schema.type_ == Some(wanted) && !schema.validation.int_or_string {
            check_rules(schema, rules).map(|()| Needs::default())
        } else {
            Err(Misfit::new("is of another type"))
        }
    };
    let format = schema.validation.format.as_deref();
    match ty {
        TypeRef::Bool => of_type(Type::Boolean),
        TypeRef::Int32 if format != Some("int32") => Err(Misfit::new("may have more than 32 bits")),
        TypeRef::Int32 => of_type(Type::Integer),
        TypeRef::Int64 if matches!(format, None | Some("int64")) => of_type(Type::Integer),
        TypeRef::String if format.is_none() => of_type(Type::String),
        TypeRef::List(element) => {
            of_type(Type::Array)?;
            match &schema.items {
                Some(items) => fits_element(table, items, element, rules),
                None => Err(Misfit::new("has items of any type")),
            }
        }
        TypeRef::Map(element) => {
            of_type(Type::Object)?;
            match &schema.additional {
                Additional::Schema(value)
                    if schema.properties.is_empty()
                        && !schema.validation.preserve_unknown_fields =>
                {
                    fits_element(table, value, element, rules)
                }
                _ => Err(Misfit::new("is no map of such values")),
            }
        }
        TypeRef::Known(KnownType::Quantity) => fits_quantity(schema),
        TypeRef::Known(KnownType::IntOrString) => fits_int_or_string(schema),
        TypeRef::Known(KnownType::Time | KnownType::MicroTime) => Err(Misfit::new(
            "is a time, of which k8s-openapi would drop fractions of seconds",
        )),
        _ => Err(Misfit::new("is of a type that is not recognised")),
    }
}

fn fits_element(table: &Table, schema: &Schema, ty: &TypeRef, rules: &[&Validation]) -> Fits {
    let elements = rules.iter().filter_map(|rules| rules.element.as_deref());
    let elements: Vec<&Validation> = elements.collect();
    if schema
        .default
        .as_ref()
        .is_some_and(|value| !value.is_null())
    {
        return Err(Misfit::new("has items with a default"));
    }
    fits_value(table, schema, ty, &elements).map_err(|misfit| misfit.at("[]"))
}

/// A quantity: what controller-gen writes, and the plain text of its older releases.
fn fits_quantity(schema: &Schema) -> Fits {
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
        Ok(Needs {
            numbers: schema.validation.int_or_string,
            ..Needs::default()
        })
    } else {
        Err(Misfit::new("is no quantity"))
    }
}

fn fits_int_or_string(schema: &Schema) -> Fits {
    let other_rules = Constraints {
        int_or_string: false,
        combinators: Default::default(),
        ..(*schema.validation).clone()
    };
    if schema.validation.int_or_string && other_rules == Constraints::default() {
        Ok(Needs {
            numbers: true,
            ..Needs::default()
        })
    } else {
        Err(Misfit::new("is no int-or-string of Kubernetes"))
    }
}

/// Rules that the schema has and Kubernetes has not, or otherwise.
fn check_rules(schema: &Schema, known: &[&Validation]) -> Result<(), Misfit> {
    // Named one by one, so that a new rule is thought of here.
    let Constraints {
        minimum,
        maximum,
        exclusive_minimum,
        exclusive_maximum,
        multiple_of,
        min_length,
        max_length,
        pattern,
        format: _,
        min_items,
        max_items,
        unique_items,
        min_properties,
        max_properties,
        enum_,
        combinators,
        rules,
        list_type,
        list_map_keys,
        map_type,
        int_or_string: _,
        preserve_unknown_fields: _,
        embedded_resource,
        element: _,
        type_: _,
        schemaless: _,
        external_docs: _,
        title: _,
        example: _,
        docs: _,
    } = &*schema.validation;
    let any = |same: &dyn Fn(&Constraints) -> bool| known.iter().any(|known| same(known));
    let checks: [(&str, bool); 18] = [
        (
            "minimum",
            minimum.is_none() || any(&|one| one.minimum == *minimum),
        ),
        (
            "maximum",
            maximum.is_none() || any(&|one| one.maximum == *maximum),
        ),
        (
            "exclusiveMinimum",
            !exclusive_minimum || any(&|one| one.exclusive_minimum),
        ),
        (
            "exclusiveMaximum",
            !exclusive_maximum || any(&|one| one.exclusive_maximum),
        ),
        (
            "multipleOf",
            multiple_of.is_none() || any(&|one| one.multiple_of == *multiple_of),
        ),
        (
            "minLength",
            min_length.is_none() || any(&|one| one.min_length == *min_length),
        ),
        (
            "maxLength",
            max_length.is_none() || any(&|one| one.max_length == *max_length),
        ),
        (
            "pattern",
            pattern.is_none() || any(&|one| one.pattern == *pattern),
        ),
        (
            "minItems",
            min_items.is_none() || any(&|one| one.min_items == *min_items),
        ),
        (
            "maxItems",
            max_items.is_none() || any(&|one| one.max_items == *max_items),
        ),
        ("uniqueItems", !unique_items || any(&|one| one.unique_items)),
        (
            "minProperties",
            min_properties.is_none() || any(&|one| one.min_properties == *min_properties),
        ),
        (
            "maxProperties",
            max_properties.is_none() || any(&|one| one.max_properties == *max_properties),
        ),
        (
            "enum",
            enum_.is_empty() || any(&|one| is_same_set(&one.enum_, enum_)),
        ),
        (
            "allOf, anyOf, oneOf or not",
            combinators.is_empty() || any(&|one| one.combinators == *combinators),
        ),
        (
            "x-kubernetes-validations",
            rules.is_empty() || any(&|one| one.rules == *rules),
        ),
        (
            "x-kubernetes-list-type",
            matches!(list_type, None | Some(ListType::Atomic))
                || any(&|one| one.list_type == *list_type && one.list_map_keys == *list_map_keys),
        ),
        (
            "x-kubernetes-map-type",
            matches!(map_type, None | Some(MapType::Granular))
                || any(&|one| one.map_type == *map_type),
        ),
    ];
    match checks.into_iter().find(|(_, fits)| !fits) {
        Some((keyword, _)) => Err(Misfit::new(format!(
            "Kubernetes has no such rule: {keyword}"
        ))),
        None if *embedded_resource => Err(Misfit::new("is an object of any kind")),
        None => Ok(()),
    }
}

fn is_same_set(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().all(|value| b.contains(value))
}
