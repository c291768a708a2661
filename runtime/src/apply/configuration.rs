//! Apply configurations: the fields of a kind that a program has an opinion on, as types.

use std::collections::BTreeMap;

use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::extract::{self, ExtractError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

/// What to apply of an object: a struct like its kind's whose fields are all optional, so that what is not set is not sent.
///
/// The generator `apply` writes one for each kind (`VirtualMachineApply`) and for each struct within, by the macro `configuration!` as
/// below. It goes where an object would: to [`TypedClient::apply`](crate::client::TypedClient::apply) and
/// [`Applier::apply`](super::Applier::apply), its status to `apply_status`. It is a [`Resource`] too, with the names of its kind.
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
    /// The kind.
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

    /// The fields of `object` that `manager` has applied, with their values as they are now, and the object's names; `None` if it
    /// has applied none. To be changed and applied again, in place of what this manager applied before.
    ///
    /// `object` is as a client's get, list or write gives it. Fields that others have taken over since are not in it.
    ///
    /// # Errors
    ///
    /// [`ExtractError::NoManagedFields`] for an object from an informer, which leaves them out; or fields that do not decode.
    fn extract(object: &Self::Object, manager: &str) -> Result<Option<Self>, ExtractError> {
        extract::extract(object, manager, "")
    }

    /// [`extract`](Self::extract) of what was applied through a subresource, such as `status`.
    ///
    /// # Errors
    ///
    /// As there.
    fn extract_subresource(
        object: &Self::Object,
        manager: &str,
        subresource: &str,
    ) -> Result<Option<Self>, ExtractError> {
        extract::extract(object, manager, subresource)
    }
}

/// A configuration of a name and nothing else.
#[doc(hidden)]
#[must_use]
pub fn named<C: ApplyConfiguration + Default>(name: String, namespace: Option<String>) -> C {
    let mut configuration = C::default();
    let meta = configuration.meta_mut();
    meta.name = Some(name);
    meta.namespace = namespace;
    configuration
}

/// Sets a field: setters are one call each, which is what rustc checks fastest.
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

/// Declares a struct of an [apply configuration](ApplyConfiguration): that of a kind, or of what stands within.
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
/// Each field is a public `Option`, and has a setter of its name, which replaces what was there. The word before the type is the
/// form of both:
///
/// | word | field | what the setter takes |
/// |---|---|---|
/// | `plain` | `T` | it |
/// | `into` | `T` | what becomes it |
/// | `list` | `Vec<T>` | items that become its |
/// | `map` | `BTreeMap<String, T>` | pairs that become its |
/// | `nullable` | `Option<T>` | a value, or `None` for null |
/// | `bare` | `T` | there is none |
///
/// `= "…"` and the word after `as` are those of [`codec::object!`](crate::codec::object), the latter `optional` if none is given.
/// `of namespaced`, or `of cluster`, stands before a kind: its configuration has `metadata` and `new`; [`codec::kinds!`](crate::codec::kinds)
/// gives its names. `..unknown_fields: T` is the map of properties without a field. `without PartialEq` after the name is for
/// fields that have none.
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
        /// The object of this name, and nothing of it yet.
        #[must_use]
        $vis fn new(name: impl ::core::convert::Into<::std::string::String>, namespace: impl ::core::convert::Into<::std::string::String>) -> Self {
            $crate::apply::named(name.into(), ::core::option::Option::Some(namespace.into()))
        }
    };
    (@new $vis:vis cluster) => {
        /// The object of this name, and nothing of it yet.
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
