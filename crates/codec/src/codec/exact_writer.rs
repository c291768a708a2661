//! Writes types of k8s-openapi, bypassing their own handling of numbers: the reverse of
//! [`exact_reader`](super::exact_reader).

use serde::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq, SerializeStruct},
};

use super::{int_or_string, optional_text, quantity};

/// Newtypes that hold any JSON, which is written unchanged.
pub(super) const OPAQUE: [&str; 3] = ["RawExtension", "JSON", "FieldsV1"];

/// The fields of k8s-openapi's structs that hold int-or-strings, which a serializer cannot tell from other strings.
const INT_OR_STRINGS: [(&str, &str); 11] = [
    ("HTTPGetAction", "port"),
    ("NetworkPolicyPort", "port"),
    ("PodDisruptionBudgetSpec", "maxUnavailable"),
    ("PodDisruptionBudgetSpec", "minAvailable"),
    ("RollingUpdateDaemonSet", "maxSurge"),
    ("RollingUpdateDaemonSet", "maxUnavailable"),
    ("RollingUpdateDeployment", "maxSurge"),
    ("RollingUpdateDeployment", "maxUnavailable"),
    ("RollingUpdateStatefulSetStrategy", "maxUnavailable"),
    ("ServicePort", "targetPort"),
    ("TCPSocketAction", "port"),
];

/// The meaning of a string.
#[derive(Clone, Copy)]
enum Text {
    Plain,
    Quantity,
    IntOrString,
    /// A string that is omitted when empty.
    Sparse,
}

/// A serializer, or a part of one.
pub(super) struct ExactWriter<S> {
    inner: S,
    text: Text,
    /// The struct whose fields are written; empty elsewhere.
    object: &'static str,
    /// Whether strings are omitted when empty.
    sparse: bool,
}

impl<S> ExactWriter<S> {
    pub(super) const fn new(inner: S) -> Self {
        Self::of_part(inner, false)
    }

    /// Creates a writer of a value where strings are omitted when empty.
    pub(super) const fn sparse(inner: S) -> Self {
        Self::of_part(inner, true)
    }

    const fn of_part(inner: S, sparse: bool) -> Self {
        Self {
            inner,
            text: Text::Plain,
            object: "",
            sparse,
        }
    }

    /// Wraps a nested value.
    const fn within<'a, T: ?Sized>(&self, value: &'a T, text: Text) -> Within<'a, T> {
        let sparse = self.sparse;
        Within {
            value,
            text,
            sparse,
        }
    }
}

/// A nested value.
struct Within<'a, T: ?Sized> {
    value: &'a T,
    text: Text,
    sparse: bool,
}

impl<T: Serialize + ?Sized> Serialize for Within<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(ExactWriter {
            text: self.text,
            ..ExactWriter::of_part(serializer, self.sparse)
        })
    }
}

/// Methods for values that contain no others.
macro_rules! plain {
    ($($method:ident($($argument:ident: $ty:ty),*))+) => {
        plain! { $($method($($argument: $ty),*) -> Ok)+ }
    };
    ($($method:ident($($argument:ident: $ty:ty),*) -> $result:ident)+) => {
        $(fn $method(self, $($argument: $ty),*) -> Result<S::$result, S::Error> {
            self.inner.$method($($argument),*)
        })+
    };
}

impl<S: Serializer> Serializer for ExactWriter<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = ExactWriter<S::SerializeSeq>;
    type SerializeMap = ExactWriter<S::SerializeMap>;
    type SerializeStruct = ExactWriter<S::SerializeStruct>;
    // k8s-openapi has no types of these forms.
    type SerializeTuple = S::SerializeTuple;
    type SerializeTupleStruct = S::SerializeTupleStruct;
    type SerializeTupleVariant = S::SerializeTupleVariant;
    type SerializeStructVariant = S::SerializeStructVariant;

    fn serialize_str(self, text: &str) -> Result<S::Ok, S::Error> {
        match self.text {
            Text::Plain => self.inner.serialize_str(text),
            Text::Quantity => quantity::write(text, self.inner),
            Text::IntOrString => int_or_string::write(text, self.inner),
            Text::Sparse => self.inner.serialize_str(optional_text::meant(text)),
        }
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        if name == "Quantity" {
            let text = Text::Quantity;
            value.serialize(ExactWriter { text, ..self })
        } else if OPAQUE.contains(&name) {
            self.inner.serialize_newtype_struct(name, value)
        } else {
            let value = self.within(value, Text::Plain);
            self.inner.serialize_newtype_struct(name, &value)
        }
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let value = self.within(value, self.text);
        self.inner.serialize_some(&value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Self::SerializeSeq, S::Error> {
        let sparse = self.sparse;
        let inner = self.inner.serialize_seq(len)?;
        Ok(ExactWriter::of_part(inner, sparse))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Self::SerializeMap, S::Error> {
        let sparse = self.sparse;
        let inner = self.inner.serialize_map(len)?;
        Ok(ExactWriter::of_part(inner, sparse))
    }

    fn serialize_struct(
        self,
        name: &'static str,
        len: usize,
    ) -> Result<Self::SerializeStruct, S::Error> {
        let sparse = self.sparse;
        let inner = self.inner.serialize_struct(name, len)?;
        Ok(ExactWriter {
            object: name,
            ..ExactWriter::of_part(inner, sparse)
        })
    }

    plain! {
        serialize_bool(value: bool) serialize_i8(value: i8) serialize_i16(value: i16) serialize_i32(value: i32)
        serialize_i64(value: i64) serialize_u8(value: u8) serialize_u16(value: u16) serialize_u32(value: u32)
        serialize_u64(value: u64) serialize_f32(value: f32) serialize_f64(value: f64) serialize_char(value: char)
        serialize_bytes(value: &[u8]) serialize_none() serialize_unit() serialize_unit_struct(name: &'static str)
        serialize_unit_variant(name: &'static str, index: u32, variant: &'static str)
    }

    plain! {
        serialize_tuple(len: usize) -> SerializeTuple
        serialize_tuple_struct(name: &'static str, len: usize) -> SerializeTupleStruct
        serialize_tuple_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeTupleVariant
        serialize_struct_variant(name: &'static str, index: u32, variant: &'static str, len: usize) -> SerializeStructVariant
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        self.inner
            .serialize_newtype_variant(name, index, variant, value)
    }

    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

impl<S: SerializeSeq> SerializeSeq for ExactWriter<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = self.within(value, Text::Plain);
        self.inner.serialize_element(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}

impl<S: SerializeMap> SerializeMap for ExactWriter<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.inner.serialize_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        let value = self.within(value, Text::Plain);
        self.inner.serialize_value(&value)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}

impl<S: SerializeStruct> SerializeStruct for ExactWriter<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        let text = if INT_OR_STRINGS.contains(&(self.object, name)) {
            Text::IntOrString
        } else if self.sparse && optional_text::leaves_out(self.object, name) {
            if optional_text::is_empty(value) {
                return self.inner.skip_field(name);
            }
            Text::Sparse
        } else {
            Text::Plain
        };
        let value = self.within(value, text);
        self.inner.serialize_field(name, &value)
    }

    fn skip_field(&mut self, name: &'static str) -> Result<(), S::Error> {
        self.inner.skip_field(name)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.inner.end()
    }
}
