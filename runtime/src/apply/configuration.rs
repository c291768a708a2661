//! Apply configurations: typed subsets of a kind's fields, for server-side apply.

use std::collections::BTreeMap;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::extract::{self, ExtractError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

/// An apply configuration: a struct like its kind's in which all fields are optional, so that unset
/// fields are not sent.
///
/// The generator `apply` emits one for each kind (`VirtualMachineApply`) and for each nested
/// struct, with the macro `configuration!` as in the example.
/// [`TypedClient::apply`](crate::client::TypedClient::apply) and
/// [`Applier::apply`](super::Applier::apply) accept it in place of an object, and their
/// `apply_status` its status. It is also a [`Resource`] with the names of its kind.
///
/// ```
/// use codegen_runtime::apply::{self, ApplyConfiguration};
/// use codegen_runtime::codec;
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// apply::configuration! {
///     /// What to apply of a [`ConfigMap`].
///     pub struct ConfigMapApply of namespaced ConfigMap {
///         /// The entries.
///         data: map String,
///     }
/// }
/// codec::kinds! { "" / "v1"; ConfigMapApply = "ConfigMap", "configmaps", NamespaceResourceScope; }
///
/// let map = ConfigMapApply::new("settings", "default").labels([("tier", "web")]).data([("level", "debug")]);
/// let sent = serde_json::json!({
///     "apiVersion": "v1", "kind": "ConfigMap",
///     "metadata": {"name": "settings", "namespace": "default", "labels": {"tier": "web"}},
///     "data": {"level": "debug"},
/// });
/// assert_eq!(serde_json::to_value(&map)?, sent);
/// # Ok::<(), serde_json::Error>(())
/// ```
pub trait ApplyConfiguration: Resource<DynamicType = ()> + Serialize + DeserializeOwned {
    /// The kind that this configures.
    type Object: Resource<DynamicType = ()> + Serialize;

    /// Sets the labels.
    #[must_use]
    fn labels(
        mut self,
        labels: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let labels = labels.into_iter();
        let labels = labels.map(|(key, value)| (key.into(), value.into()));
        self.meta_mut().labels = Some(labels.collect());
        self
    }

    /// Sets the annotations.
    #[must_use]
    fn annotations(
        mut self,
        annotations: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let annotations = annotations.into_iter();
        let annotations = annotations.map(|(key, value)| (key.into(), value.into()));
        self.meta_mut().annotations = Some(annotations.collect());
        self
    }

    /// Sets the owners.
    #[must_use]
    fn owner_references(mut self, owners: impl IntoIterator<Item = OwnerReference>) -> Self {
        self.meta_mut().owner_references = Some(owners.into_iter().collect());
        self
    }

    /// Sets the finalizers.
    #[must_use]
    fn finalizers(mut self, finalizers: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let finalizers = finalizers.into_iter().map(Into::into);
        self.meta_mut().finalizers = Some(finalizers.collect());
        self
    }

    /// Returns the fields of `object` that `manager` has applied, with their current values, and
    /// the object's name and namespace; `None` if it has applied none. Change and apply the result
    /// in place of the previous configuration.
    ///
    /// `object` must come from a client's get, list or write. Fields that other managers have taken
    /// over since are not included.
    ///
    /// # Errors
    ///
    /// [`ExtractError::NoManagedFields`] for an object from an informer, which drops them; another
    /// error if the fields do not decode.
    fn extract(object: &Self::Object, manager: &str) -> Result<Option<Self>, ExtractError> {
        extract::extract(object, manager, "")
    }

    /// Like [`extract`](Self::extract), for the fields applied through a subresource, such as
    /// `status`.
    ///
    /// # Errors
    ///
    /// See [`extract`](Self::extract).
    fn extract_subresource(
        object: &Self::Object,
        manager: &str,
        subresource: &str,
    ) -> Result<Option<Self>, ExtractError> {
        extract::extract(object, manager, subresource)
    }
}

/// Returns a configuration with only a name.
#[doc(hidden)]
#[must_use]
pub fn named<C: ApplyConfiguration + Default>(name: String, namespace: Option<String>) -> C {
    let mut configuration = C::default();
    let meta = configuration.meta_mut();
    meta.name = Some(name);
    meta.namespace = namespace;
    configuration
}

/// Sets a field. Generated setters are a single call of this, which compiles fastest.
#[doc(hidden)]
#[inline]
pub fn put<T>(field: &mut Option<T>, value: impl Into<T>) {
    *field = Some(value.into());
}

/// Sets a list.
#[doc(hidden)]
pub fn fill<T>(field: &mut Option<Vec<T>>, items: impl IntoIterator<Item = impl Into<T>>) {
    *field = Some(items.into_iter().map(Into::into).collect());
}

/// Sets a map.
#[doc(hidden)]
pub fn fill_map<T>(
    field: &mut Option<BTreeMap<String, T>>,
    entries: impl IntoIterator<Item = (impl Into<String>, impl Into<T>)>,
) {
    let entries = entries.into_iter();
    *field = Some(
        entries
            .map(|(key, value)| (key.into(), value.into()))
            .collect(),
    );
}

/// Declares the struct of an [apply configuration](ApplyConfiguration), for a kind or for a nested
/// struct.
///
/// ```ignore
/// apply::configuration! {
///     /// What to apply of a [`VirtualMachineSpec`](api::VirtualMachineSpec).
///     pub struct VirtualMachineSpecApply {
///         /// Whether the machine runs.
///         action: into String,
///         replicas: plain i32,
///         disks: list DiskApply,
///         pod_cidrs = "podCIDRs": list String,
///         limits: map Quantity as optional_encoded,
///         deadline: nullable i64 as nullable,
///     }
/// }
/// ```
///
/// Each field is a public `Option` with a setter of the same name, which replaces the previous
/// value. The word before the type selects the field's type and the setter's argument:
///
/// | word | field | argument of the setter |
/// |---|---|---|
/// | `plain` | `T` | `T` |
/// | `into` | `T` | `impl Into<T>` |
/// | `list` | `Vec<T>` | items that convert into `T` |
/// | `map` | `BTreeMap<String, T>` | pairs that convert into key and value |
/// | `nullable` | `Option<T>` | a value, or `None` for null |
/// | `bare` | `T` | no setter |
///
/// `= "…"` and the word after `as` have the meaning they have in
/// [`codec::object!`](crate::codec::object); the latter defaults to `optional`. `of namespaced` or
/// `of cluster` precedes a kind: its configuration has `metadata` and `new`, and takes its names
/// from [`codec::kinds!`](crate::codec::kinds). `..unknown_fields: T` is the map of properties
/// without a field. `without PartialEq` after the name is for structs with fields that do not
/// implement it.
#[doc(hidden)]
#[macro_export]
macro_rules! __apply_configuration {
    (
        $(#[$attr:meta])*
        $vis:vis struct $name:ident $(without $without:ident)? of $scope:ident $object:path { $($fields:tt)* }
    ) => {
        $crate::__apply_configuration! { @items [$(#[$attr])*] $vis $name [$($without)?] [metadata] { $($fields)* } }

        impl $name {
            $crate::__apply_configuration! { @new $vis $scope }
        }

        impl $crate::apply::ApplyConfiguration for $name {
            type Object = $object;
        }
    };
    ($(#[$attr:meta])* $vis:vis struct $name:ident $(without $without:ident)? { $($fields:tt)* }) => {
        $crate::__apply_configuration! { @items [$(#[$attr])*] $vis $name [$($without)?] [] { $($fields)* } }
    };
    (
        @items [$($attr:tt)*] $vis:vis $name:ident [$($without:ident)?] [$($metadata:ident)?] {
            $($(#[$docs:meta])* $field:ident $(= $property:literal)?: $form:ident $ty:ty $(as $mode:ident)?,)*
            $(..$unknown:ident: $value:ty)?
        }
    ) => {
        $($attr)*
        #[allow(missing_docs, non_camel_case_types)]
        #[derive(Clone, Debug, Default)]
        $vis struct $name {
            $(
                /// Name, namespace, labels and the rest that every object has.
                $vis $metadata: $crate::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
            )?
            $(
                $(#[$docs])*
                $vis $field: ::core::option::Option<$crate::__apply_configuration!(@type $form $ty)>,
            )*
            $(
                /// Properties without a field.
                $vis $unknown: ::std::collections::BTreeMap<::std::string::String, $value>,
            )?
        }

        #[allow(missing_docs)]
        impl $name {
            $($crate::__apply_configuration! { @set [$(#[$docs])*] $vis $field $form $ty })*
        }

        $crate::__apply_configuration! { @eq [$($without)?] $name: $($metadata)? $($field)* $($unknown)? }

        impl $crate::codec::Object for $name {
            const LIST: &'static str = ::core::concat!(
                ::core::stringify!($name),
                $("\0api_version\0kind\0", ::core::stringify!($metadata),)?
                $("\0", $("=", $property, "\0",)? ::core::stringify!($field),)*
            );

            #[allow(unused_variables)]
            fn read<'de, A: $crate::codec::serde::de::MapAccess<'de>>(&mut self, reader: &mut $crate::codec::Reader<'de, A>) {
                $(
                    reader.kind::<Self>();
                    reader.defaulted(&mut self.$metadata);
                )?
                $($crate::__apply_configuration!(@call reader, &mut self.$field $(, $mode)?);)*
                $(reader.unknown(&mut self.$unknown);)?
            }

            #[allow(unused_variables)]
            fn write<M: $crate::codec::serde::ser::SerializeMap>(&self, writer: &mut $crate::codec::Writer<M>) {
                $(
                    writer.kind::<Self>();
                    writer.defaulted(&self.$metadata);
                )?
                $($crate::__apply_configuration!(@call writer, &self.$field $(, $mode)?);)*
                $(writer.unknown(&self.$unknown);)?
            }
        }

        impl<'de> $crate::codec::serde::Deserialize<'de> for $name {
            fn deserialize<D: $crate::codec::serde::Deserializer<'de>>(deserializer: D) -> ::core::result::Result<Self, D::Error> {
                $crate::codec::read_object(deserializer)
            }
        }

        impl $crate::codec::serde::Serialize for $name {
            fn serialize<S: $crate::codec::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                $crate::codec::write_object(self, serializer)
            }
        }
    };
    (@new $vis:vis namespaced) => {
        /// Creates a configuration with only this name.
        #[must_use]
        $vis fn new(name: impl ::core::convert::Into<::std::string::String>, namespace: impl ::core::convert::Into<::std::string::String>) -> Self {
            $crate::apply::named(name.into(), ::core::option::Option::Some(namespace.into()))
        }
    };
    (@new $vis:vis cluster) => {
        /// Creates a configuration with only this name.
        #[must_use]
        $vis fn new(name: impl ::core::convert::Into<::std::string::String>) -> Self {
            $crate::apply::named(name.into(), ::core::option::Option::None)
        }
    };
    (@type list $ty:ty) => { ::std::vec::Vec<$ty> };
    (@type map $ty:ty) => { ::std::collections::BTreeMap<::std::string::String, $ty> };
    (@type nullable $ty:ty) => { ::core::option::Option<$ty> };
    (@type $form:ident $ty:ty) => { $ty };
    (@call $to:ident, $field:expr) => { $to.optional($field) };
    (@call $to:ident, $field:expr, $mode:ident) => { $to.$mode($field) };
    (@eq [PartialEq] $name:ident: $($field:ident)*) => {};
    (@eq [] $name:ident: $($field:ident)*) => {
        impl ::core::cmp::PartialEq for $name {
            #[allow(unused_variables)]
            fn eq(&self, other: &Self) -> bool {
                true $(&& self.$field == other.$field)*
            }
        }
    };
    (@set [$($docs:tt)*] $vis:vis $field:ident bare $ty:ty) => {};
    (@set [$($docs:tt)*] $vis:vis $field:ident plain $ty:ty) => {
        $($docs)*
        #[inline]
        #[must_use]
        $vis fn $field(mut self, $field: $ty) -> Self {
            $crate::apply::put(&mut self.$field, $field);
            self
        }
    };
    (@set [$($docs:tt)*] $vis:vis $field:ident into $ty:ty) => {
        $($docs)*
        #[must_use]
        $vis fn $field(mut self, $field: impl ::core::convert::Into<$ty>) -> Self {
            $crate::apply::put(&mut self.$field, $field);
            self
        }
    };
    (@set [$($docs:tt)*] $vis:vis $field:ident nullable $ty:ty) => {
        $($docs)*
        #[must_use]
        $vis fn $field(mut self, $field: impl ::core::convert::Into<::core::option::Option<$ty>>) -> Self {
            $crate::apply::put(&mut self.$field, $field);
            self
        }
    };
    (@set [$($docs:tt)*] $vis:vis $field:ident list $ty:ty) => {
        $($docs)*
        #[must_use]
        $vis fn $field(
            mut self,
            $field: impl ::core::iter::IntoIterator<Item = impl ::core::convert::Into<$ty>>,
        ) -> Self {
            $crate::apply::fill(&mut self.$field, $field);
            self
        }
    };
    (@set [$($docs:tt)*] $vis:vis $field:ident map $ty:ty) => {
        $($docs)*
        #[must_use]
        $vis fn $field(
            mut self,
            $field: impl ::core::iter::IntoIterator<
                Item = (impl ::core::convert::Into<::std::string::String>, impl ::core::convert::Into<$ty>),
            >,
        ) -> Self {
            $crate::apply::fill_map(&mut self.$field, $field);
            self
        }
    };
}

pub use crate::__apply_configuration as configuration;
