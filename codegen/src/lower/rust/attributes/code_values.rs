//! Values that code makes, as far as functions, constants and implementations of `Default` say so.

use serde_json::{Map, Value};

use super::{
    super::{
        Cx, has_derive, named, resolve::Resolved, well_known::well_known, wire_names::wire_name,
    },
    openapi_values::{self, default_of_openapi},
};
use crate::{
    diag::Diagnostics,
    model::{TypeRef, names::Renamed},
    read::rust::{
        Body, DEFAULT_BY_HAND, Field, Fields, Item, Kind, Literal, Predicate, Style, Variant,
    },
};

/// The maximum depth to which types and functions are followed.
const MAX_DEPTH: usize = 16;

/// Returns the value of code for a field of a type, as serde serializes it; the code is seen from a
/// module.
pub(super) fn of_code(cx: &Cx<'_>, module: usize, code: &Literal, ty: &TypeRef) -> Option<Value> {
    evaluated(cx, (module, code), ty, MAX_DEPTH)
}

/// Returns the `Default` value of a type that is declared in the package.
pub(super) fn of_item(cx: &Cx<'_>, item: &Item) -> Option<Value> {
    default_of_item(cx, item, MAX_DEPTH)
}

/// Returns the `Default` value of a field's type.
pub(super) fn of_field(cx: &Cx<'_>, item: &Item, field: &Field) -> Option<Value> {
    default_of_field(cx, item, field, MAX_DEPTH)
}

fn evaluated(
    cx: &Cx<'_>,
    (module, code): (usize, &Literal),
    ty: &TypeRef,
    depth: usize,
) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let of_entries = |entries: &[(String, Literal)], ty: &TypeRef| {
        let entries = entries.iter().map(|(key, code)| {
            let value = evaluated(cx, (module, code), ty, depth)?;
            Some((key.clone(), value))
        });
        Some(Value::Object(entries.collect::<Option<_>>()?))
    };
    match (code, ty) {
        (Literal::Named(path), TypeRef::Optional(_)) if gives_default(cx, path) => {
            Some(Value::Null)
        }
        (Literal::Wrapped(path, value), _) if is_some(path) => {
            let inner = match ty {
                TypeRef::Optional(inner) => inner,
                other => other,
            };
            evaluated(cx, (module, value), inner, depth)
        }
        (_, TypeRef::Optional(inner) | TypeRef::Boxed(inner)) => {
            evaluated(cx, (module, code), inner, depth)
        }
        // A map of pairs that are collected.
        (Literal::Known(Value::Array(_)) | Literal::List(_), TypeRef::Map(value)) => {
            of_entries(&code.pairs()?, value)
        }
        (Literal::Known(value), _) => Some(value.clone()),
        (Literal::Named(path), _) => evaluated_path(cx, (module, path), ty, depth),
        (Literal::Map(entries), TypeRef::Map(value)) => of_entries(entries, value),
        (Literal::Wrapped(path, inner), TypeRef::Local(name)) => {
            of_wrapped(cx, cx.item(name)?, path, &|item, field| {
                let ty = cx.silent_reference(item, field);
                evaluated(cx, (module, inner), &ty, depth)
            })
        }
        (Literal::Struct(fields, rest), TypeRef::Known(_) | TypeRef::External(_)) => {
            let has_defaults = match rest.as_deref() {
                Some(Literal::Named(path)) => gives_default(cx, path),
                Some(_) => false,
                None => true,
            };
            let path = ty.path().filter(|_| has_defaults)?;
            openapi_values::of_struct(&path, fields, &|code, ty| {
                evaluated(cx, (module, code), ty, depth)
            })
        }
        (Literal::List(items), TypeRef::List(element)) => {
            let items = items.iter();
            let items = items.map(|code| evaluated(cx, (module, code), element, depth));
            Some(Value::Array(items.collect::<Option<_>>()?))
        }
        (Literal::Struct(fields, rest), TypeRef::Local(name)) => {
            let item = cx.item(name)?;
            let rest = match rest {
                Some(rest) => Some(evaluated(cx, (module, rest), ty, depth)?),
                None => None,
            };
            of_fields(cx, item, |field| {
                let code = fields.iter().find(|(name, _)| *name == field.name);
                match code {
                    Some((_, code)) => {
                        let ty = cx.silent_reference(item, field);
                        evaluated(cx, (module, code), &ty, depth)
                    }
                    None => Some(part(item, field, rest.as_ref()?)),
                }
            })
        }
        _ => None,
    }
}

fn is_some(path: &[String]) -> bool {
    path.last().is_some_and(|last| last == "Some")
}

/// Returns the value in a struct or variant of one field, as serde writes it.
fn of_wrapped(
    cx: &Cx<'_>,
    item: &Item,
    path: &[String],
    value: &dyn Fn(&Item, &Field) -> Option<Value>,
) -> Option<Value> {
    let name = path.last()?;
    if item.serde.through.is_some() || cx.has_impl(item, "Serialize") {
        return None;
    }
    match &item.body {
        Body::Struct(Fields {
            fields,
            style: Style::Tuple,
        }) if *name == item.name || *name == "Self" => match fields.as_slice() {
            [only] if !only.serde.with => value(item, only),
            _ => None,
        },
        Body::Enum(variants) => {
            let variant = variants.iter().find(|variant| variant.name == *name)?;
            let ([only], Style::Tuple, None) = (
                variant.fields.fields.as_slice(),
                variant.fields.style,
                &item.serde.tag,
            ) else {
                return None;
            };
            let value = value(item, only)?;
            if item.serde.untagged || variant.serde.untagged {
                return Some(value);
            }
            let name = wire_name_of(item, variant);
            Some(Value::Object([(name, value)].into_iter().collect()))
        }
        _ => None,
    }
}

/// Returns the value of a function, a constant, a constructor or a variant.
fn evaluated_path(
    cx: &Cx<'_>,
    (module, path): (usize, &[String]),
    ty: &TypeRef,
    depth: usize,
) -> Option<Value> {
    let own = match ty {
        TypeRef::Local(name) => cx.item(name),
        _ => None,
    };
    let path = match (own, path.split_first()) {
        (Some(own), Some((head, rest))) if head == "Self" => {
            &*[std::slice::from_ref(&own.name), rest].concat()
        }
        _ => path,
    };
    if gives_default(cx, path) {
        return default_of_type(cx, ty, depth);
    }
    let is_variant = |own: &&Item| {
        let owner = path.len().checked_sub(2).and_then(|at| path.get(at));
        matches!(own.body, Body::Enum(_)) && owner == Some(&own.name)
    };
    let variant = path.last().zip(own.filter(is_variant));
    let variant = variant.and_then(|(last, own)| variant_name(cx, own, |name| name == last));
    if variant.is_some() {
        return variant;
    }
    let found = named::find(
        &cx.package.modules,
        &cx.package.values,
        (module, path),
        Literal::eq,
    );
    match found {
        Some((at, code)) => evaluated(cx, (*at, code), ty, depth),
        None => of_renamed_variant(cx, module, path),
    }
}

/// Returns the JSON name of a variant of an enum that is imported under another name, or whose
/// function is in another module.
fn of_renamed_variant(cx: &Cx<'_>, module: usize, path: &[String]) -> Option<Value> {
    let (variant, owner) = path.split_last()?;
    let owner = match cx.resolver.resolve(module, owner) {
        Resolved::Item(index) => cx.package.items.get(index),
        Resolved::External(_) => cx.named_last(owner),
    };
    variant_name(cx, owner?, |found| found == variant)
}

/// Whether a function returns the same value as the type's `Default`: `Default::default` and
/// similar, and `new` for types that are then empty. Modules and types may define functions of
/// these names that return other values.
fn gives_default(cx: &Cx<'_>, path: &[String]) -> bool {
    #[rustfmt::skip]
    const EMPTY: [&str; 10] = [
        "BTreeMap", "BTreeSet", "HashMap", "HashSet", "IndexMap", "IndexSet", "LinkedList",
        "String", "Vec", "VecDeque",
    ];
    let Some((name, before)) = path.split_last() else {
        return false;
    };
    // Skip the arguments in `Vec::<T>::new`.
    let mut owners = before.iter().rev().filter(|part| !part.starts_with('<'));
    let Some(owner) = owners.next() else {
        return !before.is_empty() && name == "default";
    };
    let is_own = cx.package.values.contains_key(&format!("{owner}::{name}"));
    let is_type = || {
        owner.starts_with(char::is_uppercase) || well_known(std::slice::from_ref(owner)).is_some()
    };
    match name.as_str() {
        _ if is_own => false,
        "default" => is_type(),
        "new" => EMPTY.contains(&owner.as_str()),
        _ => false,
    }
}

/// The value depends on the number of items for an array, which is therefore not known.
fn default_of_field(cx: &Cx<'_>, item: &Item, field: &Field, depth: usize) -> Option<Value> {
    let is_array = matches!(field.ty.kind, Kind::List(..));
    let ty = cx.silent_reference(item, field);
    (!is_array)
        .then(|| default_of_type(cx, &ty, depth))
        .flatten()
}

/// Returns the `Default` value of a type, as serialized by serde.
fn default_of_type(cx: &Cx<'_>, ty: &TypeRef, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match ty {
        TypeRef::Bool => Value::Bool(false),
        TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => Value::from(0),
        TypeRef::Float | TypeRef::Float32 => Value::from(0.0),
        TypeRef::String => Value::String(String::new()),
        TypeRef::Any | TypeRef::Optional(_) => Value::Null,
        TypeRef::List(_) => Value::Array(Vec::new()),
        TypeRef::Map(_) => Value::Object(Map::new()),
        TypeRef::Boxed(inner) => default_of_type(cx, inner, depth)?,
        TypeRef::Local(name) => default_of_item(cx, cx.item(name)?, depth)?,
        TypeRef::Known(ty) => default_of_openapi(&format!("{}::{}", ty.module(), ty.name()))?,
        // An instance of a generic type.
        TypeRef::External(ty) if !ty.instance.is_empty() => {
            default_of_item(cx, cx.item(ty.name())?, depth)?
        }
        TypeRef::External(ty) => default_of_openapi(&ty.segments.join("::"))?,
        TypeRef::Verbatim(_) => return None,
    })
}

fn default_of_item(cx: &Cx<'_>, item: &Item, depth: usize) -> Option<Value> {
    if let Body::Alias(ty) = &item.body {
        let ty = cx.reference(item, ty, &mut Diagnostics::new());
        return default_of_type(cx, &ty, depth);
    }
    if item.serde.through.is_some() || !has_derive(item, "Serialize") {
        return None;
    }
    if !has_derive(item, "Default") {
        let path = [item.name.clone(), DEFAULT_BY_HAND.to_owned()];
        let ty = TypeRef::Local(cx.key(item).to_owned());
        return evaluated_path(cx, (item.module, &path), &ty, depth);
    }
    match &item.body {
        Body::Struct(fields) => match (fields.style, fields.fields.as_slice()) {
            (Style::Tuple, [only]) => default_of_field(cx, item, only, depth),
            _ => of_fields(cx, item, |field| default_of_field(cx, item, field, depth)),
        },
        Body::Enum(variants) => {
            let marked = variants.iter().find(|variant| variant.default)?;
            variant_name(cx, item, |name| name == marked.name)
        }
        Body::Alias(_) => None,
    }
}

/// Returns the object that serde writes for a struct with named fields, each with its value.
fn of_fields(cx: &Cx<'_>, item: &Item, value: impl Fn(&Field) -> Option<Value>) -> Option<Value> {
    let Body::Struct(fields) = &item.body else {
        return None;
    };
    if fields.style != Style::Named || cx.has_impl(item, "Serialize") {
        return None;
    }
    let mut entries = Map::new();
    for field in fields.fields.iter().filter(|field| !field.serde.skip) {
        if field.serde.with || field.serde.flatten {
            return None;
        }
        let value = value(field)?;
        if !value.is_null() && !is_left_out(cx, item, field, &value)? {
            entries.insert(name_of(item, field), value);
        }
    }
    Some(Value::Object(entries))
}

/// Returns the value of a field in that of a struct; null if serde leaves it out.
pub(super) fn part(item: &Item, field: &Field, whole: &Value) -> Value {
    whole.get(name_of(item, field)).cloned().unwrap_or_default()
}

fn name_of(item: &Item, field: &Field) -> String {
    let case = item.serde.rename_all.as_deref();
    let silent = &mut Diagnostics::new();
    let place = &field.place;
    wire_name(
        &field.name,
        &field.serde,
        case,
        Renamed::Field,
        place,
        silent,
    )
}

/// Returns the string that serde writes for a variant without data.
fn variant_name(cx: &Cx<'_>, item: &Item, is_meant: impl Fn(&str) -> bool) -> Option<Value> {
    let Body::Enum(variants) = &item.body else {
        return None;
    };
    let is_text = item.serde.tag.is_none() && !item.serde.untagged;
    let found = variants.iter().find(|variant| is_meant(&variant.name))?;
    if !is_text || found.fields.style != Style::Unit || cx.has_impl(item, "Serialize") {
        return None;
    }
    Some(Value::String(wire_name_of(item, found)))
}

fn wire_name_of(item: &Item, variant: &Variant) -> String {
    let case = item.serde.rename_all.as_deref();
    let silent = &mut Diagnostics::new();
    let place = &variant.place;
    wire_name(
        &variant.name,
        &variant.serde,
        case,
        Renamed::Variant,
        place,
        silent,
    )
}

/// Whether serde skips the value when serializing, so that schemars does not write it as default
/// either; `None` if that is not known.
pub(super) fn is_left_out(cx: &Cx<'_>, item: &Item, field: &Field, value: &Value) -> Option<bool> {
    let Some(function) = &field.serde.skip_function else {
        return Some(value.is_null());
    };
    let path: Vec<String> = function
        .split("::")
        .map(|part| part.trim().to_owned())
        .collect();
    let ty = cx.silent_reference(item, field);
    decides(cx, (item.module, &path), (value, &ty), MAX_DEPTH)
}

/// What a function at a path, as seen from a module, decides for a value.
fn decides(
    cx: &Cx<'_>,
    (module, path): (usize, &[String]),
    (value, ty): (&Value, &TypeRef),
    depth: usize,
) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    let package = cx.package;
    let found = named::find(
        &package.modules,
        &package.predicates,
        (module, path),
        Predicate::eq,
    );
    let standard = || Some((module, Predicate::of_standard(path)?));
    let (module, predicate) = found.cloned().or_else(standard)?;
    predicate.holds(
        value,
        &|| default_of_type(cx, ty, MAX_DEPTH),
        &|name| field_of(cx, ty, name, value),
        &|literal| evaluated(cx, (module, literal), ty, depth),
        &|path| decides(cx, (module, path), (value, ty), depth),
    )
}

/// Returns the value of a field, by its name in Rust, in that of a struct; null if serde leaves it
/// out.
fn field_of(cx: &Cx<'_>, ty: &TypeRef, name: &str, whole: &Value) -> Option<Value> {
    let item = match ty {
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => {
            return field_of(cx, inner, name, whole);
        }
        TypeRef::Local(key) => cx.item(key)?,
        TypeRef::External(ty) if !ty.instance.is_empty() => cx.item(ty.name())?,
        _ => return openapi_values::field_of(&ty.path()?, name, whole),
    };
    let Body::Struct(fields) = &item.body else {
        return None;
    };
    let field = fields.fields.iter().find(|field| field.name == name)?;
    let is_plain = !field.serde.flatten && !field.serde.with && whole.is_object();
    is_plain.then(|| part(item, field, whole))
}

impl Cx<'_> {
    pub(super) fn silent_reference(&self, item: &Item, field: &Field) -> TypeRef {
        self.reference(item, &field.ty, &mut Diagnostics::new())
    }
}
