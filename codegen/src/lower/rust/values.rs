//! Checks values in markers against the type of their field: defaults, enum values, and list keys.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Cx;
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    lower::bounds::is_less,
    model::{
        self, KnownType, ListType, StructDef, TypeDef, TypeKind, TypeRef, Validation, WireType,
    },
    read::{
        markers::{
            At, MarkerSet,
            field::{self, KubebuilderDefault, ListMapKey, ListTypeMarker, Schemaless},
            rules::{Enum, Type, XIntOrString},
        },
        rust::{Body, Field},
    },
    suggest,
};

/// The maximum depth to which values are compared with types.
const MAX_DEPTH: usize = 32;

impl Cx<'_> {
    /// Checks the values in the markers of every field of a version.
    pub(super) fn check_values(&self, types: &[TypeDef], diagnostics: &mut Diagnostics) {
        let by_name: BTreeMap<&str, &TypeDef> =
            types.iter().map(|def| (def.name.as_str(), def)).collect();
        let values = Values {
            cx: self,
            types: by_name,
        };
        for def in types {
            let Some(item) = self.item(&def.name) else {
                continue;
            };
            match (&def.kind, &item.body) {
                (TypeKind::Struct(def), Body::Struct(fields)) => {
                    values.check_fields(&def.fields, &fields.fields, diagnostics);
                }
                (TypeKind::Union(def), Body::Enum(variants)) => {
                    for (variant, source) in def.variants.iter().zip(variants) {
                        values.check_fields(&variant.fields, &source.fields.fields, diagnostics);
                    }
                }
                (TypeKind::Alias(alias), _) => {
                    let markers = &item.markers;
                    values.check_list(&alias.target, &def.validation, markers, diagnostics);
                }
                _ => {}
            }
        }
    }
}

struct Values<'a> {
    cx: &'a Cx<'a>,
    types: BTreeMap<&'a str, &'a TypeDef>,
}

impl<'a> Values<'a> {
    fn check_fields(
        &self,
        fields: &[model::Field],
        sources: &[Field],
        diagnostics: &mut Diagnostics,
    ) {
        for (field, source) in fields.iter().zip(sources) {
            if source.markers.0.is_empty() {
                continue;
            }
            if !declares_its_type(source) {
                self.check_default(field, source, diagnostics);
                self.check_enum(field, source, diagnostics);
            }
            self.check_list(&field.ty, &field.validation, &source.markers, diagnostics);
        }
    }

    fn check_default(&self, field: &model::Field, source: &Field, diagnostics: &mut Diagnostics) {
        let Some((default, place)) = field.default.as_ref().zip(default_place(&source.markers))
        else {
            return;
        };
        // Null means that the field has no default.
        if default.is_null() {
            return;
        }
        let misfit = self
            .misfit(default, &field.ty, MAX_DEPTH)
            .or_else(|| violation(default, &field.validation));
        if let Some(misfit) = misfit {
            let error = Diagnostic::error(format!("invalid default: {misfit}"))
                .at(place, "not a value of this field");
            diagnostics.push(self.with_quotes(error, default, &field.ty));
        }
    }

    /// Adds that the value is valid in quotes, if it is.
    fn with_quotes(&self, error: Diagnostic, value: &Value, ty: &TypeRef) -> Diagnostic {
        let quoted = Value::String(value.to_string());
        let is_bare = matches!(value, Value::Number(_) | Value::Bool(_));
        if is_bare && self.misfit(&quoted, ty, MAX_DEPTH).is_none() {
            return error.help(format!("put it in quotes: `\"{value}\"`"));
        }
        error
    }

    fn check_enum(&self, field: &model::Field, source: &Field, diagnostics: &mut Diagnostics) {
        let Some(marker) = source.markers.get::<Enum>() else {
            return;
        };
        // On a list, the values may apply to its items.
        if matches!(field.ty, TypeRef::List(_) | TypeRef::Map(_)) {
            return;
        }
        for value in &marker.values.value {
            let is_null = value.is_null() && field.nullable;
            if let Some(misfit) = self
                .misfit(value, &field.ty, MAX_DEPTH)
                .filter(|_| !is_null)
            {
                let error = Diagnostic::error(format!("invalid enum value: {misfit}")).at(
                    marker.values.part(&value.to_string()),
                    "not of the field's type",
                );
                diagnostics.push(self.with_quotes(error, value, &field.ty));
            }
        }
    }

    /// Checks that the keys of a list of type map are required or defaulted scalar fields of its
    /// items, and that the items of a set are scalar.
    fn check_list(
        &self,
        ty: &TypeRef,
        validation: &Validation,
        markers: &MarkerSet,
        diagnostics: &mut Diagnostics,
    ) {
        let Some(element) = self.element(ty, MAX_DEPTH) else {
            return;
        };
        if let (Some(ListType::Set), Some(marker)) =
            (validation.list_type, markers.get::<ListTypeMarker>())
            && self
                .structure(element, MAX_DEPTH)
                .is_some_and(|(_, validation)| validation.map_type != Some(model::MapType::Atomic))
        {
            diagnostics.push(
                Diagnostic::error("the items of a set must be scalar")
                    .at(marker.place.clone(), "a list of objects")
                    .help("write `+listType=map` with `+listMapKey=<field>`, or mark the type of the items `+structType=atomic`"),
            );
        }
        if validation.list_type != Some(ListType::Map) {
            return;
        }
        let Some((def, _)) = self.structure(element, MAX_DEPTH) else {
            let is_foreign = matches!(
                element,
                TypeRef::External(_) | TypeRef::Any | TypeRef::Known(_)
            );
            // A type without serde may become an object; that it has none is reported at the type.
            let is_known = !is_foreign && self.cx.wire_type(element) != WireType::Unknown;
            if let Some(marker) = markers.get::<ListTypeMarker>().filter(|_| is_known) {
                diagnostics.push(
                    Diagnostic::error("the items of a list of type map must be objects")
                        .at(marker.place.clone(), "a list of something else")
                        .help("write `+listType=set`, or `+listType=atomic`"),
                );
            }
            return;
        };
        for key in markers.all::<ListMapKey>() {
            if let Some(error) = self.check_key(def, &key.field) {
                diagnostics.push(error);
            }
        }
    }

    fn check_key(&self, def: &StructDef, key: &At<String>) -> Option<Diagnostic> {
        let fields = || def.fields.iter().filter(|field| !field.skip);
        let found = fields().find(|field| !field.flatten && field.json_name == key.value);
        let Some(field) = found else {
            if fields().any(|field| field.flatten) {
                return None;
            }
            let unknown = Diagnostic::error(format!("unknown field `{}`", key.value)).at(
                key.place.clone(),
                "the items of the list have no such field",
            );
            let names = fields().map(|field| field.json_name.as_str());
            return Some(match suggest::closest(&key.value, names) {
                Some(near) => unknown.help(format!("did you mean `{near}`?")),
                None => unknown.help("write the field's JSON name"),
            });
        };
        if !field.required && field.default.is_none() {
            return Some(
                Diagnostic::error(format!("the key `{}` of a list may be missing", key.value))
                    .at(key.place.clone(), "neither required nor with a default")
                    .help(
                        "make the field required, or give it a default with `+kubebuilder:default=`",
                    ),
            );
        }
        let is_scalar = !matches!(field.ty, TypeRef::List(_) | TypeRef::Map(_))
            && self.structure(&field.ty, MAX_DEPTH).is_none();
        (!is_scalar).then(|| {
            Diagnostic::error(format!("the key `{}` of a list is not scalar", key.value))
                .at(key.place.clone(), "a list or an object")
                .help("use a field that is a string, a number or a boolean")
        })
    }

    /// Returns the type of a list's items, through aliases.
    fn element(&self, ty: &'a TypeRef, depth: usize) -> Option<&'a TypeRef>
    where
        Self: 'a,
    {
        match ty {
            TypeRef::List(inner) => Some(inner),
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.element(inner, depth),
            TypeRef::Local(name) => match &self.types.get(name.as_str())?.kind {
                TypeKind::Alias(alias) => self.element(&alias.target, depth.checked_sub(1)?),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the struct that a type refers to, through aliases, with its constraints.
    fn structure(&self, ty: &'a TypeRef, depth: usize) -> Option<(&'a StructDef, &'a Validation)> {
        match ty {
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.structure(inner, depth),
            TypeRef::Local(name) => {
                let def = self.known(name)?;
                match &def.kind {
                    TypeKind::Struct(fields) if !fields.tuple => Some((fields, &def.validation)),
                    TypeKind::Alias(alias) => self.structure(&alias.target, depth.checked_sub(1)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns a type of the version whose wire format follows its fields or variants.
    fn known(&self, name: &str) -> Option<&'a TypeDef> {
        let wire = self.cx.wire_type(&TypeRef::Local(name.to_owned()));
        let def = self.types.get(name)?;
        (wire != WireType::Unknown).then_some(*def)
    }

    /// Explains why a value does not have the type; `None` if it does, or if the type is unknown.
    fn misfit(&self, value: &Value, ty: &TypeRef, depth: usize) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        let expected = |what: &str, fits: bool| {
            (!fits).then(|| format!("expected {what}, found {}", described(value)))
        };
        match ty {
            TypeRef::Bool => expected("a boolean", value.is_boolean()),
            TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => {
                expected("an integer", is_whole(value))
            }
            TypeRef::Float | TypeRef::Float32 => expected("a number", value.is_number()),
            TypeRef::String => expected("a string", value.is_string()),
            TypeRef::Known(known) => match (known, self.cx.wire_type(ty)) {
                (KnownType::Quantity, _) => {
                    expected("a number or string", value.is_number() || value.is_string())
                }
                (_, WireType::IntOrString) => {
                    expected("an integer or string", is_whole(value) || value.is_string())
                }
                (_, WireType::String) => expected("a string", value.is_string()),
                (_, WireType::Object) => expected("an object", value.is_object()),
                _ => None,
            },
            TypeRef::List(inner) => match value {
                Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                    let misfit = self.misfit(item, inner, depth)?;
                    Some(format!("{misfit} at [{index}]"))
                }),
                _ => expected("a list", false),
            },
            TypeRef::Map(inner) => match value {
                Value::Object(entries) => entries.iter().find_map(|(key, value)| {
                    let misfit = self.misfit(value, inner, depth)?;
                    Some(format!("{misfit} at `{key}`"))
                }),
                _ => expected("an object", false),
            },
            TypeRef::Optional(_) if value.is_null() => None,
            TypeRef::Optional(inner) | TypeRef::Boxed(inner) => self.misfit(value, inner, depth),
            TypeRef::Local(name) => self.local_misfit(value, name, depth),
            TypeRef::Any | TypeRef::External(_) | TypeRef::Verbatim(_) => None,
        }
    }

    fn local_misfit(&self, value: &Value, name: &str, depth: usize) -> Option<String> {
        match &self.known(name)?.kind {
            TypeKind::Alias(alias) => self.misfit(value, &alias.target, depth),
            TypeKind::Enum(def) if def.open.is_some() && value.is_string() => None,
            TypeKind::Enum(def) => {
                let mut values = def.variants.iter().map(|variant| variant.value.as_str());
                let is_listed = value.as_str().is_some_and(|text| values.any(|v| v == text));
                (!is_listed).then(|| {
                    let values = def.variants.iter().map(|variant| variant.value.as_str());
                    let values = values.collect::<Vec<_>>().join(", ");
                    format!("expected one of {values}, found {}", described(value))
                })
            }
            TypeKind::Struct(def) if !def.tuple => match value {
                Value::Object(entries) => self.struct_misfit(entries, def, depth),
                _ => Some(format!("expected an object, found {}", described(value))),
            },
            TypeKind::Struct(_) | TypeKind::Union(_) => None,
        }
    }

    fn struct_misfit(
        &self,
        entries: &serde_json::Map<String, Value>,
        def: &StructDef,
        depth: usize,
    ) -> Option<String> {
        let fields = || def.fields.iter().filter(|field| !field.skip);
        let is_open = fields().any(|field| field.flatten);
        for (key, value) in entries {
            match fields().find(|field| !field.flatten && field.json_name == *key) {
                Some(field) if value.is_null() && (field.nullable || field.option) => {}
                Some(field) => {
                    if let Some(misfit) = self.misfit(value, &field.ty, depth) {
                        return Some(format!("{misfit} at `{key}`"));
                    }
                }
                None if is_open => {}
                None => return Some(format!("unknown field `{key}`")),
            }
        }
        fields()
            .filter(|field| field.required && field.default.is_none() && !field.flatten)
            .find(|field| !entries.contains_key(&field.json_name))
            .map(|field| format!("the field `{}` is missing", field.json_name))
    }
}

/// Whether markers or serde give the field a wire type that differs from the Rust type.
fn declares_its_type(field: &Field) -> bool {
    let markers = &field.markers;
    field.serde.with
        || markers.has::<Type>()
        || markers.has::<XIntOrString>()
        || markers.has::<Schemaless>()
}

/// Returns the place of a marker comment that sets the default. One that serde sets matters only if
/// a schema is written, and is checked then.
fn default_place(markers: &MarkerSet) -> Option<Place> {
    let mut markers_of_serde = markers.0.iter().filter(|marker| marker.attribute.is_some());
    if markers_of_serde.any(crate::read::markers::Marker::is::<KubebuilderDefault>) {
        return None;
    }
    let kubebuilder = markers.get::<KubebuilderDefault>();
    let place = kubebuilder.map(|default| default.marker.value.place);
    place.or_else(|| Some(markers.get::<field::Default>()?.marker.value.place))
}

fn is_whole(value: &Value) -> bool {
    let number = value.as_number();
    number.is_some_and(|number| {
        number.is_i64()
            || number.is_u64()
            || number.as_f64().is_some_and(|number| number.fract() == 0.0)
    })
}

/// Describes a value: its type, and the value itself if it is scalar.
fn described(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(_) => format!("the boolean {value}"),
        Value::Number(_) => format!("the number {value}"),
        Value::String(_) => format!("the string {value}"),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// Describes the rule of the field that a value violates; patterns and expressions are left to the
/// API server.
fn violation(value: &Value, rules: &Validation) -> Option<String> {
    if !rules.enum_.is_empty() && !rules.enum_.contains(value) {
        return Some(format!("{value} is not one of the permitted values"));
    }
    let at_least = |length: usize, least: Option<u64>, what: &str| {
        let least = least.filter(|least| (length as u64) < *least)?;
        Some(format!("fewer than {least} {what}"))
    };
    let at_most = |length: usize, greatest: Option<u64>, what: &str| {
        let greatest = greatest.filter(|greatest| length as u64 > *greatest)?;
        Some(format!("more than {greatest} {what}"))
    };
    match value {
        Value::Number(number) => {
            let low = rules.minimum.as_ref().filter(|low| is_less(number, low));
            let high = rules.maximum.as_ref().filter(|high| is_less(high, number));
            let low = low.map(|low| format!("{number} is less than the minimum {low}"));
            low.or_else(|| high.map(|high| format!("{number} is more than the maximum {high}")))
        }
        Value::String(text) => {
            let length = text.chars().count();
            at_least(length, rules.min_length, "characters")
                .or_else(|| at_most(length, rules.max_length, "characters"))
        }
        Value::Array(items) => at_least(items.len(), rules.min_items, "items")
            .or_else(|| at_most(items.len(), rules.max_items, "items")),
        Value::Object(entries) => at_least(entries.len(), rules.min_properties, "keys")
            .or_else(|| at_most(entries.len(), rules.max_properties, "keys")),
        _ => None,
    }
}
