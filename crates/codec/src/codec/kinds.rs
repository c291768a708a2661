//! Implements the traits of kube and k8s-openapi for kinds: their names, scope and metadata. Gives them a constructor.

/// Implements `Resource`, `ListableResource` and `Metadata` for the kinds of one API version, whose types are in the calling module.
///
/// ```ignore
/// codec::kinds! {
///     "cloudnative.czs" / "v1alpha1";
///     Network, "networks", ClusterResourceScope, pub new(NetworkSpec);
///     VirtualMachine, "virtualmachines", NamespaceResourceScope;
/// }
/// ```
///
/// Group and version come first. A type without `= "…"` has the name of its kind; the second name is the plural. The
/// list kind is the object's kind followed by `List`, unless `in` names another one. `new` names the type of the field `spec`, and
/// gives the kind a constructor with this visibility.
#[doc(hidden)]
#[macro_export]
macro_rules! __codec_kinds {
    (@api_version "" $version:tt) => {
        $version
    };
    (@api_version $group:tt $version:tt) => {
        ::core::concat!($group, "/", $version)
    };
    (@list [$($kind:tt)*]) => {
        ::core::concat!($crate::codec::name!($($kind)*), "List")
    };
    (@list [$($kind:tt)*] $list:literal) => {
        $list
    };
    (
        $group:tt / $version:tt;
        $($(#[$cfg:meta])* $object:ident $(= $kind:literal)?, $plural:literal, $scope:ident $(in $list:literal)?
            $(, $vis:vis new($spec:ty))?;)*
    ) => {
        $(
            $(#[$cfg])*
            impl $object {
                $(
                    #[doc = "Returns an object with this name and spec; everything else has its default."]
                    #[must_use]
                    $vis fn new(name: impl ::core::convert::Into<::std::string::String>, spec: $spec) -> Self {
                        let mut object = Self {
                            spec: ::core::convert::From::from(spec),
                            ..::core::default::Default::default()
                        };
                        object.metadata.name = ::core::option::Option::Some(name.into());
                        object
                    }
                )?
            }

            $(#[$cfg])*
            impl $crate::k8s_openapi::Resource for $object {
                const API_VERSION: &'static str = $crate::codec::kinds!(@api_version $group $version);
                const GROUP: &'static str = $group;
                const KIND: &'static str = $crate::codec::name!($object $($kind)?);
                const VERSION: &'static str = $version;
                const URL_PATH_SEGMENT: &'static str = $plural;
                type Scope = $crate::k8s_openapi::$scope;
            }

            $(#[$cfg])*
            impl $crate::k8s_openapi::ListableResource for $object {
                const LIST_KIND: &'static str = $crate::codec::kinds!(@list [$object $($kind)?] $($list)?);
            }

            $(#[$cfg])*
            impl $crate::k8s_openapi::Metadata for $object {
                type Ty = $crate::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

                fn metadata(&self) -> &Self::Ty {
                    &self.metadata
                }

                fn metadata_mut(&mut self) -> &mut Self::Ty {
                    &mut self.metadata
                }
            }
        )*
    };
}

pub use crate::__codec_kinds as kinds;
