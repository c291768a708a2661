//! Objects in a form in which equal means the same to an API server, as Go's `equality.Semantic`
//! compares them.
//!
//! - Quantities are amounts: `1000m` is `1`.
//! - A null, an empty list and an empty map are absent. An empty struct, such as `emptyDir: {}`, is
//!   not.
//! - Times are what their types write. As in Go, the int-or-strings `80` and `"80"` differ.
//!
//! Only types can tell: in JSON, a quantity is a string, and a struct is a map. So this is a
//! serializer. Fields with any JSON are taken as they are.

use std::any::type_name;
use std::fmt::Display;

use kube_resource_quantity::{Format, Quantity};
use serde::ser::{
    Error as _, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, SerializeTupleVariant, Serializer,
};
use serde_json::{Error, Map, Value};

/// Returns `object` in that form.
///
/// # Errors
///
/// The object has no JSON form.
pub(super) fn semantic(object: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    object.serialize(Semantic)
}

/// The serializer. What is absent becomes null.
struct Semantic;

/// Returns any JSON as it is.
fn verbatim(value: &(impl Serialize + ?Sized)) -> Result<Value, Error> {
    value.serialize(serde_json::value::Serializer)
}

/// Returns a value in semantic form, unless its type holds any JSON.
fn part<T: Serialize + ?Sized>(value: &T) -> Result<Value, Error> {
    if type_name::<T>().contains(type_name::<Value>()) {
        verbatim(value)
    } else {
        value.serialize(Semantic)
    }
}

/// Returns a quantity in the form that all equal amounts have; other text as it is.
fn canonical(value: Value) -> Value {
    let text = match &value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return value,
    };
    match Quantity::new(text).amount() {
        // `1Gi` and `1073741824` are each canonical in their formats.
        Ok(amount) => Value::from(Quantity::from(amount.with_format(Format::DecimalSi)).as_str()),
        Err(_) => value,
    }
}

macro_rules! verbatim {
    ($($method:ident($ty:ty))+) => {
        $(fn $method(self, value: $ty) -> Result<Value, Error> {
            verbatim(value)
        })+
    };
    (copied $($method:ident($ty:ty))+) => {
        $(fn $method(self, value: $ty) -> Result<Value, Error> {
            verbatim(&value)
        })+
    };
}

impl Serializer for Semantic {
    type Ok = Value;
    type Error = Error;
    type SerializeSeq = Items;
    type SerializeTuple = Items;
    type SerializeTupleStruct = Items;
    type SerializeTupleVariant = Variant<Items>;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Variant<Fields>;

    verbatim! { copied
        serialize_bool(bool) serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_u8(u8)
        serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_f32(f32) serialize_f64(f64) serialize_char(char)
    }

    verbatim! { serialize_str(&str) serialize_bytes(&[u8]) }

    fn serialize_none(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, Error> {
        part(value)
    }

    fn serialize_unit(self) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Result<Value, Error> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
    ) -> Result<Value, Error> {
        Ok(Value::from(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        if name == "Quantity" {
            verbatim(value).map(canonical)
        } else {
            part(value)
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Value, Error> {
        Ok(named(variant, part(value)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items, Error> {
        Ok(Items(Vec::with_capacity(len.unwrap_or_default())))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Items, Error> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Variant<Items>, Error> {
        let content = self.serialize_seq(Some(len))?;
        Ok(Variant { variant, content })
    }

    /// A map states its length. Generated structs and structs with flattened fields are written as
    /// maps, too, and state none.
    fn serialize_map(self, len: Option<usize>) -> Result<Fields, Error> {
        let form = if len.is_some() {
            Form::Map
        } else {
            Form::Struct
        };
        Ok(Fields::new(form))
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Fields, Error> {
        Ok(Fields::new(Form::Struct))
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _len: usize,
    ) -> Result<Variant<Fields>, Error> {
        let content = Fields::new(Form::Struct);
        Ok(Variant { variant, content })
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<Value, Error> {
        Ok(Value::from(value.to_string()))
    }
}

fn named(name: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([(name.to_owned(), value)]))
}

struct Items(Vec<Value>);

impl Items {
    fn finish(self) -> Value {
        if self.0.is_empty() {
            Value::Null
        } else {
            Value::Array(self.0)
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Struct,
    Map,
}

struct Fields {
    form: Form,
    fields: Map<String, Value>,
    /// The key whose value follows.
    key: String,
}

impl Fields {
    fn new(form: Form) -> Self {
        Self {
            form,
            fields: Map::new(),
            key: String::new(),
        }
    }

    /// Adds a field, unless it is an absent one of a struct. In a map, the key alone means
    /// something.
    fn add<T: Serialize + ?Sized>(&mut self, name: String, value: &T) -> Result<(), Error> {
        let value = part(value)?;
        if self.form == Form::Map || !value.is_null() {
            self.fields.insert(name, value);
        }
        Ok(())
    }

    fn finish(self) -> Value {
        if self.form == Form::Map && self.fields.is_empty() {
            Value::Null
        } else {
            Value::Object(self.fields)
        }
    }
}

/// The content of an enum's variant.
struct Variant<C> {
    variant: &'static str,
    content: C,
}

macro_rules! items {
    ($($kind:ident $method:ident)+) => {
        $(impl $kind for Items {
            type Ok = Value;
            type Error = Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
                self.0.push(part(value)?);
                Ok(())
            }

            fn end(self) -> Result<Value, Error> {
                Ok(self.finish())
            }
        })+
    };
}

items! { SerializeSeq serialize_element SerializeTuple serialize_element SerializeTupleStruct serialize_field }

impl SerializeTupleVariant for Variant<Items> {
    type Ok = Value;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        self.content.0.push(part(value)?);
        Ok(())
    }

    fn end(self) -> Result<Value, Error> {
        Ok(named(self.variant, self.content.finish()))
    }
}

impl SerializeMap for Fields {
    type Ok = Value;
    type Error = Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Error> {
        self.key = match verbatim(key)? {
            Value::String(key) => key,
            key @ (Value::Number(_) | Value::Bool(_)) => key.to_string(),
            _ => return Err(Error::custom("key must be a string")),
        };
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Error> {
        let key = std::mem::take(&mut self.key);
        self.add(key, value)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.finish())
    }
}

impl SerializeStruct for Fields {
    type Ok = Value;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.add(name.to_owned(), value)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(self.finish())
    }
}

impl SerializeStructVariant for Variant<Fields> {
    type Ok = Value;
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Error> {
        self.content.add(name.to_owned(), value)
    }

    fn end(self) -> Result<Value, Error> {
        Ok(named(self.variant, self.content.finish()))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::{Pod, ResourceQuota, Service};
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check<K: serde::de::DeserializeOwned + Serialize>(one: Value, other: Value, same: bool) {
        let read = |value: &Value| semantic(&serde_json::from_value::<K>(value.clone()).unwrap());
        let (a, b) = (read(&one).unwrap(), read(&other).unwrap());
        assert_eq!(a == b, same, "{a} and {b}");
    }

    #[test]
    fn quantities_are_compared_by_their_amounts_and_texts_as_they_are() {
        let quota = |amount: &str| json!({"spec": {"hard": {"cpu": amount}}});
        check::<ResourceQuota>(quota("1"), quota("1000m"), true);
        check::<ResourceQuota>(quota("1Gi"), quota("1024Mi"), true);
        check::<ResourceQuota>(quota("1Gi"), quota("1073741824"), true);
        check::<ResourceQuota>(quota("1"), quota("1001m"), false);
        check::<ResourceQuota>(quota("none"), quota("None"), false);
        let named = |label: &str| json!({"metadata": {"labels": {"cpu": label}}});
        check::<Pod>(named("1"), named("1000m"), false);
    }

    #[test]
    fn null_and_empty_lists_and_maps_are_absent_but_not_empty_structs() {
        let pod = |volume: Value| json!({"spec": {"containers": [], "volumes": [volume]}});
        check::<Pod>(
            pod(json!({"name": "v", "emptyDir": {}})),
            pod(json!({"name": "v"})),
            false,
        );
        check::<Pod>(
            json!({"metadata": {"labels": {}, "finalizers": []}, "spec": {"containers": [], "nodeSelector": {}}}),
            json!({"metadata": {}, "spec": {"containers": []}}),
            true,
        );
        let key = |value: Value| json!({"metadata": {"annotations": value}});
        check::<Pod>(key(json!({"a": ""})), key(json!({})), false);
    }

    #[test]
    fn int_or_strings_are_compared_as_go_compares_them() {
        let service = |port: Value| json!({"spec": {"ports": [{"port": 80, "targetPort": port}]}});
        check::<Service>(service(json!(80)), service(json!("80")), false);
    }

    #[test]
    fn times_are_compared_whatever_their_zone() {
        let created = |time: &str| json!({"metadata": {"creationTimestamp": time}});
        check::<Deployment>(
            created("2026-01-01T01:00:00+01:00"),
            created("2026-01-01T00:00:00Z"),
            true,
        );
    }

    #[test]
    fn any_json_is_taken_as_it_is() {
        #[derive(serde::Serialize, serde::Deserialize)]
        struct Loose {
            any: Option<Value>,
        }
        check::<Loose>(json!({"any": {}}), json!({}), false);
        check::<Loose>(
            json!({"any": {"a": null}}),
            json!({"any": {"a": null}}),
            true,
        );
        check::<Loose>(
            json!({"any": {"a": []}}),
            json!({"any": {"a": null}}),
            false,
        );
    }
}
