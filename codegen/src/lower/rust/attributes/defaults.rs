//! Defaults: the value that serde uses for a missing field, which schemars writes into the schema
//! and the API server fills in.

use serde_json::{Map, Value};

use super::super::{
    Cx, has_derive, named, resolve::Resolved, well_known::well_known, wire_names::wire_name,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{TypeRef, names::Renamed},
    read::rust::{Body, Field, Item, Kind, Literal, Predicate, Said, Style},
};

/// The maximum depth to which types are followed.
const MAX_DEPTH: usize = 16;

/// The default of a field in its schema.
pub(super) enum Default {
    /// There is none.
    Absent,
    /// The value, and the attribute that sets it.
    Known(Value, Said),
    /// Only known to code.
    Unknown(Diagnostic),
}

/// Determines the default of a field.
pub(super) fn of(cx: &Cx<'_>, item: &Item, field: &Field) -> Default {
    let serde = &field.serde;
    let is_taken_back = field
        .schema
        .unset
        .iter()
        .any(|name| name.value == "default");
    let own = field.schema.default.is_some() || serde.default;
    if is_taken_back || serde.skip_serializing || !(own || item.serde.default) {
        return Default::Absent;
    }
    let function = match &field.schema.default {
        Some(default) => default.value.clone(),
        None => serde.default_function.clone(),
    };
    let found = match (&function, own) {
        (Some(function), _) => of_function(cx, item, field, function),
        (None, true) => of_field(cx, item, field, MAX_DEPTH),
        // The default of the whole struct.
        (None, false) if item.serde.default_function.is_none() && has_derive(item, "Default") => {
            of_field(cx, item, field, MAX_DEPTH)
        }
        (None, false) => None,
    };
    let place = match &field.schema.default {
        Some(default) => default.place.clone(),
        None => field.place.clone(),
    };
    match found {
        Some(value) if value.is_null() => Default::Absent,
        Some(value) => match is_left_out(cx, item, field, &value) {
            Some(true) => Default::Absent,
            Some(false) => {
                let shown = "#[serde(default)]".to_owned();
                Default::Known(value, Said { shown, place })
            }
            None => Default::Unknown(unknown(field, serde.skip_function.as_deref(), place)),
        },
        None if own => Default::Unknown(unknown(field, function.as_deref(), place)),
        None => Default::Unknown(unknown_of_type(item)),
    }
}

fn unknown(field: &Field, function: Option<&str>, place: Place) -> Diagnostic {
    let what = function.map_or_else(|| "code".to_owned(), |function| format!("`{function}`"));
    let is_skip = function.is_some() && function == field.serde.skip_function.as_deref();
    let does = if is_skip {
        "decides whether there is one"
    } else {
        "makes it"
    };
    Diagnostic::warning(format!("the schema has no default for `{}`", field.name))
        .at(place, format!("{what} {does}"))
        .help("set it in a comment: `+kubebuilder:default=…`; `+kubebuilder:default=null` for none")
}

/// Reports one finding for all fields of the type.
fn unknown_of_type(item: &Item) -> Diagnostic {
    Diagnostic::warning(format!("the schema has no defaults for fields of `{}`", item.name))
        .at(item.place.clone(), "its default is computed by code")
        .help("set them in comments above the fields: `+kubebuilder:default=…`; `+kubebuilder:default=null` for none")
}

/// Returns the value of a function of the version that consists of one expression, or of a
/// constructor.
fn of_function(cx: &Cx<'_>, item: &Item, field: &Field, function: &str) -> Option<Value> {
    let path: Vec<String> = function
        .split("::")
        .map(|part| part.trim().to_owned())
        .collect();
    if gives_default(cx, &path) {
        return of_field(cx, item, field, MAX_DEPTH);
    }
    let named = Literal::Named(path);
    let value = cx.value(item.module, &named);
    value.or_else(|| of_variant(cx, item, &named))
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

/// Returns the JSON name of the variant that a function returns.
fn of_variant(cx: &Cx<'_>, item: &Item, function: &Literal) -> Option<Value> {
    let Literal::Named(path) = function else {
        return None;
    };
    let Literal::Named(variant) = cx.named(item.module, path)? else {
        return None;
    };
    let (variant, owner) = variant.split_last()?;
    let owner = match cx.resolver.resolve(item.module, owner) {
        Resolved::Item(index) => cx.package.items.get(index),
        // The function is in another module.
        Resolved::External(_) => cx.named_last(owner),
    };
    variant_name(cx, owner?, |found| found == variant)
}

/// Returns the `Default` value of a field's type. For an array, it depends on the number of items.
fn of_field(cx: &Cx<'_>, item: &Item, field: &Field, depth: usize) -> Option<Value> {
    let is_array = matches!(field.ty.kind, Kind::List(..));
    let ty = cx.silent_reference(item, field);
    (!is_array).then(|| of_type(cx, &ty, depth)).flatten()
}

/// Returns the `Default` value of a type, as serialized by serde.
fn of_type(cx: &Cx<'_>, ty: &TypeRef, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    Some(match ty {
        TypeRef::Bool => Value::Bool(false),
        TypeRef::Int32 | TypeRef::Int64 | TypeRef::Integer(_) => Value::from(0),
        TypeRef::Float | TypeRef::Float32 => Value::from(0.0),
        TypeRef::String => Value::String(String::new()),
        TypeRef::Any | TypeRef::Optional(_) => Value::Null,
        TypeRef::List(_) => Value::Array(Vec::new()),
        TypeRef::Map(_) => Value::Object(Map::new()),
        TypeRef::Boxed(inner) => of_type(cx, inner, depth)?,
        TypeRef::Local(name) => of_item(cx, cx.item(name)?, depth)?,
        TypeRef::Known(_) | TypeRef::External(_) | TypeRef::Verbatim(_) => return None,
    })
}

fn of_item(cx: &Cx<'_>, item: &Item, depth: usize) -> Option<Value> {
    let is_derived = ["Default", "Serialize"]
        .iter()
        .all(|name| has_derive(item, name));
    match &item.body {
        Body::Alias(ty) => of_type(cx, &cx.reference(item, ty, &mut Diagnostics::new()), depth),
        _ if !is_derived || item.serde.through.is_some() => None,
        Body::Struct(fields) => match (fields.style, fields.fields.as_slice()) {
            (Style::Tuple, [only]) => of_field(cx, item, only, depth),
            (Style::Named, fields) => {
                let mut entries = Map::new();
                for field in fields.iter().filter(|field| !field.serde.skip) {
                    if field.serde.with || field.serde.flatten {
                        return None;
                    }
                    let value = of_field(cx, item, field, depth)?;
                    if is_left_out(cx, item, field, &value)? {
                        continue;
                    }
                    let case = item.serde.rename_all.as_deref();
                    let silent = &mut Diagnostics::new();
                    let place = &field.place;
                    let name = wire_name(
                        &field.name,
                        &field.serde,
                        case,
                        Renamed::Field,
                        place,
                        silent,
                    );
                    entries.insert(name, value);
                }
                Some(Value::Object(entries))
            }
            _ => None,
        },
        Body::Enum(variants) => {
            let marked = variants.iter().find(|variant| variant.default)?;
            variant_name(cx, item, |name| name == marked.name)
        }
    }
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
    let case = item.serde.rename_all.as_deref();
    let silent = &mut Diagnostics::new();
    let place = &found.place;
    let name = wire_name(
        &found.name,
        &found.serde,
        case,
        Renamed::Variant,
        place,
        silent,
    );
    Some(Value::String(name))
}

/// Whether serde skips the value when serializing, so that schemars does not write it as default
/// either; `None` if that is not known.
fn is_left_out(cx: &Cx<'_>, item: &Item, field: &Field, value: &Value) -> Option<bool> {
    let Some(function) = &field.serde.skip_function else {
        return Some(value.is_null());
    };
    let path: Vec<String> = function
        .split("::")
        .map(|part| part.trim().to_owned())
        .collect();
    let default = || of_field(cx, item, field, MAX_DEPTH);
    decides(cx, (item.module, &path), value, &default, MAX_DEPTH)
}

/// What a function at a path, as seen from a module, decides for a value.
fn decides(
    cx: &Cx<'_>,
    (module, path): (usize, &[String]),
    value: &Value,
    default: &dyn Fn() -> Option<Value>,
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
        default,
        &|literal| cx.value(module, literal),
        &|path| decides(cx, (module, path), value, default, depth),
    )
}

impl Cx<'_> {
    fn silent_reference(&self, item: &Item, field: &Field) -> TypeRef {
        self.reference(item, &field.ty, &mut Diagnostics::new())
    }
}
