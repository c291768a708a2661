//! Values of k8s-openapi's structs that code makes.

use serde_json::{Map, Value};

use crate::{
    builtin::{OpenapiStruct, Written, below_openapi, definition, openapi_structs, resolved},
    kubernetes::KubernetesVersion,
    model::{TypeKind, TypeRef, names},
    read::rust::Literal,
};

/// Returns the `Default` value of a struct of k8s-openapi, if it writes none of its fields then.
pub(super) fn default_of_openapi(path: &str) -> Option<Value> {
    let is_empty = found(path)?
        .fields()
        .all(|(_, written)| written == Written::Sometimes);
    is_empty.then(|| Value::Object(Map::new()))
}

/// Returns the value of a struct expression: fields that it does not name have their defaults.
pub(super) fn of_struct(
    path: &str,
    given: &[(String, Literal)],
    value: &dyn Fn(&Literal, &TypeRef) -> Option<Value>,
) -> Option<Value> {
    let TypeKind::Struct(body) = definition(path)?.kind else {
        return None;
    };
    let written = found(path)?;
    let mut entries = Map::new();
    for (name, code) in given {
        let mut all = body.fields.iter();
        let field = all.find(|it| names::is_same_field(name, &it.json_name))?;
        let mut all = written.fields();
        let always = |(name, it)| name == field.json_name && it == Written::Always;
        let is_optional = !all.any(always);
        let ty = resolved(field.ty.clone());
        let ty = match is_optional {
            true => TypeRef::Optional(Box::new(ty)),
            false => ty,
        };
        let value = value(code, &ty)?;
        if !(is_optional && value.is_null()) {
            entries.insert(field.json_name.clone(), value);
        }
    }
    let mut others = written
        .fields()
        .filter(|(name, _)| !entries.contains_key(*name));
    others
        .all(|(_, written)| written == Written::Sometimes)
        .then_some(Value::Object(entries))
}

/// Returns the value of a field, by its name in Rust, in that of a struct; null if it is left out.
pub(super) fn field_of(path: &str, name: &str, whole: &Value) -> Option<Value> {
    let mut fields = found(path)?.fields();
    let (name, _) = fields.find(|(json_name, _)| names::is_same_field(name, json_name))?;
    Some(whole.as_object()?.get(name).cloned().unwrap_or_default())
}

fn found(path: &str) -> Option<OpenapiStruct> {
    let mut structs = openapi_structs(KubernetesVersion::EARLIEST);
    structs.find(|one| below_openapi(one.path) == path)
}
