//! serde implementations of objects, from lists of their fields.
//!
//! serde's derive emits, for each struct, an enum of the fields, two visitors and three ways of reading; rustc spends
//! nine tenths of its time on these with generated types. `object!` emits one call per field for reading and writing,
//! and this module holds the code common to all structs.
//!
//! Two features of serde's derive are missing. A struct is read from a map only, never from an array of its fields'
//! values. And the map after `..` holds every property that the struct does not name: where another struct flattens
//! this one (`#[serde(flatten)]`) next to a map of its own, a property that neither names is in both maps and is written twice.

use std::{collections::BTreeMap, fmt, marker::PhantomData};

use k8s_openapi::Resource;
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Unexpected, Visitor},
    ser::SerializeMap,
};

use super::{Codec, Decoded, object_writer::Writer, property::Names};

/// Implements `Serialize` and `Deserialize` for a struct from a list of its fields and their properties.
///
/// ```ignore
/// codec::object! {
///     VirtualMachineSpec; required image; optional run_policy, pod_cidr = "podCIDR"; ..unknown_fields
/// }
/// ```
///
/// A field without `= "…"` has its own name in camel case as property; in `"…"`, U+0000 is written `\0=`. The word
/// before fields is the method of [`Reader`] and [`Writer`] that handles them. Fields are read and written in the order
/// of the list.
///
/// `..` names the map of the properties without a field, which are ignored without it. `or default_image` after a
/// property names the function that returns the field's value if the property is missing; other fields that may be
/// missing keep their value in the struct's `Default`. `Default` is built for each object; where it is expensive, `from
/// blank` after the struct's name names a cheaper constructor. `as kind` after the name of a kind's struct adds
/// `apiVersion` and `kind`.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_object {
    (
        $object:ident $(as $kind:ident)? $(from $blank:ident)?
        $(; $mode:ident $($field:ident $(= $property:literal)? $(or $default:ident)?),+)* $(; ..$unknown:ident)?
    ) => {
        impl $crate::codec::Object for $object {
            const LIST: &'static str = ::core::concat!(
                ::core::stringify!($object),
                $("\0api_version\0", ::core::stringify!($kind),)?
                $($("\0", $("=", $property, "\0",)? ::core::stringify!($field),)+)*
            );

            $(fn blank() -> Self {
                Self::$blank()
            })?

            #[allow(unused_variables)]
            fn read<'de, A: $crate::codec::serde::de::MapAccess<'de>>(&mut self, reader: &mut $crate::codec::Reader<'de, A>) {
                $(reader.$kind::<Self>();)?
                $($(
                    reader.$mode(&mut self.$field);
                    $(reader.fill(&mut self.$field, Self::$default);)?
                )+)*
                $(reader.unknown(&mut self.$unknown);)?
            }

            #[allow(unused_variables)]
            fn write<M: $crate::codec::serde::ser::SerializeMap>(&self, writer: &mut $crate::codec::Writer<M>) {
                $(writer.$kind::<Self>();)?
                $($(writer.$mode(&self.$field);)+)*
                $(writer.unknown(&self.$unknown);)?
            }
        }

        impl<'de> $crate::codec::serde::Deserialize<'de> for $object {
            fn deserialize<D: $crate::codec::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codec::read_object(deserializer)
            }
        }

        impl $crate::codec::serde::Serialize for $object {
            fn serialize<S: $crate::codec::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::codec::write_object(self, serializer)
            }
        }
    };
}

pub use crate::__codec_object as object;

/// The JSON name of a field or variant: the specified one, or else its own.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_name {
    ($own:ident) => {
        ::core::stringify!($own)
    };
    ($own:ident $given:literal) => {
        $given
    };
}

pub use crate::__codec_name as name;

/// A struct whose fields `object!` lists.
pub trait Object: Default {
    /// The name of the type and the names of its fields, separated by U+0000. A field's name follows an entry
    /// `=property`, unless the property is the field's name in camel case. A property with U+0000 in its name is split
    /// there into several such entries.
    const LIST: &'static str;

    /// Returns the object to read properties into. Fields that a missing property overwrites may have any value.
    #[must_use]
    fn blank() -> Self {
        Self::default()
    }

    /// Offers each field to the reader, in the order of the list.
    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &mut Reader<'de, A>);

    /// Passes each field to the writer.
    fn write<M: SerializeMap>(&self, writer: &mut Writer<M>);
}

/// Reads a struct from a map.
///
/// # Errors
///
/// The deserializer's, or a property is missing or duplicated.
pub fn read_object<'de, T: Object, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_map(ObjectVisitor(PhantomData))
}

/// Writes a struct as a map.
///
/// # Errors
///
/// The serializer's.
pub fn write_object<T: Object, S: Serializer>(
    object: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut writer = Writer::new(serializer.serialize_map(None)?, Names::of(T::LIST));
    object.write(&mut writer);
    writer.finish()
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Object> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "struct {}", Names::object(T::LIST))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let mut object = T::blank();
        let mut reader = Reader::new(map, Names::of(T::LIST));
        while reader.next_property()? {
            object.read(&mut reader);
        }
        reader.ask_for_missing();
        object.read(&mut reader);
        // A `match`, not `map_or`, which would be compiled for each type. So in the other functions that fields share.
        match reader.error {
            Some(error) => Err(error),
            None => Ok(object),
        }
    }
}

/// The state of a reader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// At a property that no field has claimed.
    Property,
    /// After a property that a field has claimed.
    Taken,
    /// After the last property.
    End,
}

/// Reads the properties of one object into their fields.
///
/// Each method offers one field. All fields are offered, in the order of the names, once for each property and once at the end.
pub struct Reader<'de, A: MapAccess<'de>> {
    map: A,
    names: &'static [String],
    stage: Stage,
    /// The property's name.
    name: String,
    /// The index of the field that the property belongs to.
    owner: Option<usize>,
    /// The index of the field that is offered next.
    position: usize,
    seen: Seen,
    /// The first error; reading stops there.
    error: Option<A::Error>,
    lifetime: PhantomData<&'de ()>,
}

impl<'de, A: MapAccess<'de>> Reader<'de, A> {
    fn new(map: A, names: &'static Names) -> Self {
        Self {
            map,
            names: &names.properties,
            owner: None,
            stage: Stage::Taken,
            name: String::new(),
            position: 0,
            seen: Seen::default(),
            error: None,
            lifetime: PhantomData,
        }
    }

    /// Reads the name of the next property, after skipping the value of one without a field; returns false at the end.
    fn next_property(&mut self) -> Result<bool, A::Error> {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        if self.stage == Stage::Property {
            self.map.next_value::<IgnoredAny>()?;
        }
        self.position = 0;
        self.stage = Stage::Property;
        let found = self.map.next_key_seed(Name(&mut self.name))?;
        // Most objects have their properties in the order of the fields.
        let next = self.owner.map_or(0, |last| last + 1);
        self.owner = if self.names.get(next) == Some(&self.name) {
            Some(next)
        } else {
            self.names.iter().position(|name| *name == self.name)
        };
        Ok(found.is_some())
    }

    fn ask_for_missing(&mut self) {
        self.position = 0;
        self.stage = Stage::End;
    }

    /// Whether the property belongs to the offered field, which then claims it.
    pub(super) fn takes(&mut self) -> bool {
        let position = self.position;
        self.position += 1;
        if self.stage != Stage::Property || self.owner != Some(position) {
            return false;
        }
        self.stage = Stage::Taken;
        let first = self.seen.add(position);
        if !first {
            self.error = Some(A::Error::duplicate_field(self.property(position)));
        }
        first
    }

    /// Returns the name of a field's property.
    fn property(&self, position: usize) -> &'static str {
        self.names.get(position).map_or("", String::as_str)
    }

    /// Whether all properties have been read and none belonged to the field offered last.
    fn is_missing(&self) -> bool {
        self.stage == Stage::End && !self.seen.has(self.position - 1)
    }

    pub(super) fn demand(&mut self) {
        if self.is_missing() && self.error.is_none() {
            let name = self.property(self.position - 1);
            self.error = Some(A::Error::missing_field(name));
        }
    }

    /// Reads the property's value as `T`.
    pub(super) fn value<T: Deserialize<'de>>(&mut self) -> Option<T> {
        match self.map.next_value() {
            Ok(value) => Some(value),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// Reads the property's value into its field.
    pub(super) fn store<T, W: Deserialize<'de>>(
        &mut self,
        field: &mut T,
        unwrap: impl FnOnce(W) -> T,
    ) {
        if let Some(value) = self.value() {
            *field = unwrap(value);
        }
    }

    /// Sets the field offered last to its default if its property is missing.
    pub fn fill<T>(&mut self, field: &mut T, default: fn() -> T) {
        if self.is_missing() {
            *field = default();
        }
    }

    /// Reads a field whose property is required.
    pub fn required<T: Deserialize<'de>>(&mut self, field: &mut T) {
        self.defaulted(field);
        self.demand();
    }

    /// Like [`required`](Self::required), with a wire format of its own.
    pub fn required_encoded<T: Codec>(&mut self, field: &mut T) {
        self.defaulted_encoded(field);
        self.demand();
    }

    /// Reads a field that keeps its default if the property is missing; it is always written.
    pub fn defaulted<T: Deserialize<'de>>(&mut self, field: &mut T) {
        if self.takes() {
            match self.map.next_value() {
                Ok(value) => *field = value,
                Err(error) => self.error = Some(error),
            }
        }
    }

    /// Like [`defaulted`](Self::defaulted), with a wire format of its own.
    pub fn defaulted_encoded<T: Codec>(&mut self, field: &mut T) {
        if self.takes() {
            self.store(field, Decoded::value);
        }
    }

    /// Reads a field that is `None` if the property is null, and keeps its default if it is missing.
    pub fn optional<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        self.defaulted(field);
    }

    /// Like [`optional`](Self::optional), with a wire format of its own.
    pub fn optional_encoded<T: Codec>(&mut self, field: &mut Option<T>) {
        self.defaulted_encoded(field);
    }

    /// Reads a field that keeps its default if the property is missing, and to which null is a value.
    pub fn nullable<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value();
        }
    }

    /// Like [`nullable`](Self::nullable), with a wire format of its own.
    pub fn nullable_encoded<T: Codec>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value().map(Decoded::value);
        }
    }

    /// Reads `apiVersion` and `kind`, which must be those of `T` if present: list items may lack them, as those of
    /// built-in kinds do.
    pub fn kind<T: Resource>(&mut self) {
        self.constant(T::API_VERSION);
        self.constant(T::KIND);
    }

    fn constant(&mut self, expected: &'static str) {
        let mut actual = String::new();
        self.defaulted(&mut actual);
        if !actual.is_empty() && actual != expected {
            let actual = Unexpected::Str(&actual);
            self.error = Some(A::Error::invalid_value(actual, &expected));
        }
    }

    /// Reads the map of the properties without a field; it is offered last.
    pub fn unknown<T: Deserialize<'de>>(&mut self, field: &mut BTreeMap<String, T>) {
        if self.stage != Stage::Property {
            return;
        }
        self.stage = Stage::Taken;
        if let Some(value) = self.value() {
            field.insert(self.name.clone(), value);
        }
    }
}

impl<'de, A: MapAccess<'de>> fmt::Debug for Reader<'de, A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Reads a property's name into a `String` that is reused for every property.
struct Name<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a property's name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.0.clear();
        self.0.push_str(name);
        Ok(())
    }
}

/// The indexes of the fields whose property has been read.
#[derive(Default)]
struct Seen {
    first: u64,
    /// Those from 64 on.
    rest: Vec<u64>,
}

impl Seen {
    /// Adds an index; returns false if it was present.
    fn add(&mut self, position: usize) -> bool {
        let (word, bit) = (position / 64, 1 << (position % 64));
        if word > self.rest.len() {
            self.rest.resize(word, 0);
        }
        let bits = match word.checked_sub(1) {
            None => &mut self.first,
            Some(index) => &mut self.rest[index],
        };
        let added = *bits & bit == 0;
        *bits |= bit;
        added
    }

    fn has(&self, position: usize) -> bool {
        let bits = match (position / 64).checked_sub(1) {
            None => self.first,
            Some(index) => self.rest.get(index).copied().unwrap_or_default(),
        };
        bits & (1 << (position % 64)) != 0
    }
}
