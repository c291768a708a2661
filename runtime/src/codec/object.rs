//! serde of objects by lists of their fields.
//!
//! For each struct serde's derive writes an enum of the fields, two visitors and three ways of reading them, on which rustc spends
//! nine tenths of its time with generated types. `object!` writes a call a field each for reading and
//! writing, and what all structs share stands here.
//!
//! Two things that serde derives are not there. A struct is read from a map alone, never from an array of its fields' values.
//! And the map after `..` holds every property that the struct does not name: where another struct flattens this one
//! (`#[serde(flatten)]`) beside a map of its own, a property that neither names is in both maps, and is written twice.

use std::{collections::BTreeMap, convert::identity, fmt, marker::PhantomData};

use k8s_openapi::Resource;
use serde::{
    Deserialize, Deserializer, Serializer,
    de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, Unexpected, Visitor},
    ser::SerializeMap,
};

use super::{Codec, Decoded, object_writer::Writer, property::Names};

/// Implements `Serialize` and `Deserialize` for a struct by a list of its fields and the properties that hold them.
///
/// ```ignore
/// codec::object! {
///     VirtualMachineSpec; required image; optional run_policy, pod_cidr = "podCIDR"; ..unknown_fields
/// }
/// ```
///
/// A field without `= "…"` has the property of its name in camel case; there, U+0000 is written `\0=`. The word before fields is a method of [`Reader`] and [`Writer`] for each
/// of them. Fields are offered, and written, in the order of the list.
/// `..` names the map of the properties that the list has not, which are ignored without it. `or default_image` after a property
/// names the function that gives the field's value where the property is missing; other fields that may be missing keep their
/// value in the struct's `Default`. That is made for each object, and where it costs something, `from blank` after the struct's
/// name names a function that makes one for less. `as kind` after the name of a kind's struct stands for `apiVersion` and `kind`.
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

/// The name of a field or variant in JSON: the one that is given, or else its own.
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
    /// The names of the type and of its fields, after each U+0000 one; before those of fields, after an equals sign, those of
    /// their properties where they are not the same in camel case, with an equals sign after each U+0000 in them.
    const LIST: &'static str;

    /// The object that properties are read into: fields that a missing property would not leave as they are may have any value.
    #[must_use]
    fn blank() -> Self {
        Self::default()
    }

    /// Offers each field to the reader, in a fixed order.
    fn read<'de, A: MapAccess<'de>>(&mut self, reader: &mut Reader<'de, A>);

    /// Gives each field to the writer.
    fn write<M: SerializeMap>(&self, writer: &mut Writer<M>);
}

/// Reads a struct from a map.
///
/// # Errors
///
/// The deserializer's, or that a property is missing or stands there twice.
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
        reader.error.map_or(Ok(object), Err)
    }
}

/// Where a reader stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// At a property that no field has taken.
    Property,
    /// After a property that a field has taken.
    Taken,
    /// After all properties.
    End,
}

/// Reads the properties of one object into the fields that they belong to.
///
/// Each method is offered one field, the fields always in the order of the names, once for each property and once after all.
pub struct Reader<'de, A: MapAccess<'de>> {
    map: A,
    names: &'static [String],
    stage: Stage,
    /// The property's name.
    name: String,
    /// The position of the field that the property belongs to.
    owner: Option<usize>,
    /// The position of the field that is offered next.
    position: usize,
    seen: Seen,
    /// The first error; nothing is read after it.
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

    /// Reads the name of the next property, after the value of one that belongs to no field is skipped; false at the end.
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
        // Most objects are written in the order of their fields.
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

    /// Whether the property belongs to the field that is offered, which takes it.
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

    /// The name of a field's property.
    fn property(&self, position: usize) -> &'static str {
        self.names.get(position).map_or("", String::as_str)
    }

    /// Whether the field that was offered last has had no property among all of them.
    fn is_missing(&self) -> bool {
        self.stage == Stage::End && !self.seen.has(self.position - 1)
    }

    pub(super) fn demand(&mut self) {
        if self.is_missing() && self.error.is_none() {
            let name = self.property(self.position - 1);
            self.error = Some(A::Error::missing_field(name));
        }
    }

    /// Reads the value of the property as `T`.
    pub(super) fn value<T: Deserialize<'de>>(&mut self) -> Option<T> {
        match self.map.next_value() {
            Ok(value) => Some(value),
            Err(error) => {
                self.error = Some(error);
                None
            }
        }
    }

    /// Reads the value of the property into its field.
    pub(super) fn store<T, W: Deserialize<'de>>(
        &mut self,
        field: &mut T,
        unwrap: impl FnOnce(W) -> T,
    ) {
        if let Some(value) = self.value() {
            *field = unwrap(value);
        }
    }

    /// Gives the field that was offered last its default, if its property is missing.
    pub fn fill<T>(&mut self, field: &mut T, default: fn() -> T) {
        if self.is_missing() {
            *field = default();
        }
    }

    /// A field whose property has to be there.
    pub fn required<T: Deserialize<'de>>(&mut self, field: &mut T) {
        self.defaulted(field);
        self.demand();
    }

    /// [`required`](Self::required), with a wire format of its own.
    pub fn required_encoded<T: Codec>(&mut self, field: &mut T) {
        self.defaulted_encoded(field);
        self.demand();
    }

    /// A field that keeps its default when the property is missing, and is always written.
    pub fn defaulted<T: Deserialize<'de>>(&mut self, field: &mut T) {
        if self.takes() {
            self.store(field, identity);
        }
    }

    /// [`defaulted`](Self::defaulted), with a wire format of its own.
    pub fn defaulted_encoded<T: Codec>(&mut self, field: &mut T) {
        if self.takes() {
            self.store(field, Decoded::value);
        }
    }

    /// A field that is none when the property is null, and keeps its default when it is missing.
    pub fn optional<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        self.defaulted(field);
    }

    /// [`optional`](Self::optional), with a wire format of its own.
    pub fn optional_encoded<T: Codec>(&mut self, field: &mut Option<T>) {
        self.defaulted_encoded(field);
    }

    /// A field that keeps its default when the property is missing, where null is a value.
    pub fn nullable<T: Deserialize<'de>>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value();
        }
    }

    /// [`nullable`](Self::nullable), with a wire format of its own.
    pub fn nullable_encoded<T: Codec>(&mut self, field: &mut Option<T>) {
        if self.takes() {
            *field = self.value().map(Decoded::value);
        }
    }

    /// `apiVersion` and `kind`, which are those of `T` where they are there: the items of a list need not say theirs, as built-in
    /// kinds' do not.
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

    /// The map of the properties that belong to no field; it is offered last.
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

/// Reads a property's name into a text that is kept from property to property.
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

/// The positions of the fields that have had their property.
#[derive(Default)]
struct Seen {
    first: u64,
    /// Those from 64 on.
    rest: Vec<u64>,
}

impl Seen {
    /// Adds a position; false if it was there.
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
