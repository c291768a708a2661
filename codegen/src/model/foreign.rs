//! Types that are not of the API: those of Kubernetes, and those of other Rust modules.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! known_types {
    ($($module:literal { $($name:ident)+ })+) => {
        /// Types that Kubernetes itself defines and k8s-openapi provides.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
        #[allow(missing_docs, reason = "the names are Kubernetes' own")]
        pub enum KnownType {
            $($($name,)+)+
        }

        impl KnownType {
            /// Every known type.
            pub const ALL: [Self; [$($(stringify!($name)),+),+].len()] = [$($(Self::$name),+),+];

            /// The path of its module, from `k8s_openapi` on.
            #[must_use]
            pub const fn module(self) -> &'static str {
                match self {
                    $($(Self::$name)|+ => $module,)+
                }
            }

            /// Its name in that module.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => stringify!($name),)+)+
                }
            }
        }
    };
}

known_types! {
    "k8s_openapi" { ByteString }
    "k8s_openapi::api::autoscaling::v1" { Scale }
    "k8s_openapi::api::core::v1" {
        Affinity ConfigMapKeySelector Container EnvVar LocalObjectReference ObjectReference PodSpec
        PodTemplateSpec ResourceRequirements SecretKeySelector Toleration Volume
    }
    "k8s_openapi::apimachinery::pkg::api::resource" { Quantity }
    "k8s_openapi::apimachinery::pkg::apis::meta::v1" {
        Condition Duration LabelSelector ListMeta MicroTime ObjectMeta OwnerReference Time
    }
    "k8s_openapi::apimachinery::pkg::runtime" { RawExtension }
    "k8s_openapi::apimachinery::pkg::util::intstr" { IntOrString }
}

impl KnownType {
    /// The type at a path below `k8s_openapi`.
    #[must_use]
    pub fn at(below: &[&str]) -> Option<Self> {
        let (name, module) = below.split_last()?;
        let is_in = |known: Self| {
            let mut segments = known.module().split("::").skip(1);
            module.iter().all(|one| segments.next() == Some(one)) && segments.next().is_none()
        };
        let mut all = Self::ALL.into_iter();
        all.find(|known| known.name() == *name && is_in(*known))
    }
}

/// A path to a Rust type from elsewhere, as the source's `use` items resolve it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalType {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The names of the path; the last is the type's.
    pub segments: Vec<String>,
    /// Generic arguments as the source has them, in angle brackets; empty without any.
    pub arguments: String,
}

impl ExternalType {
    /// A type without arguments, at a path without `::` before it.
    #[must_use]
    pub const fn new(segments: Vec<String>) -> Self {
        Self {
            global: false,
            segments,
            arguments: String::new(),
        }
    }

    /// The name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// The names after that of a crate, if the path leads through it.
    #[must_use]
    pub fn below(&self, name: &str) -> Option<&[String]> {
        let at = self.segments.iter().position(|segment| segment == name)?;
        self.segments.get(at + 1..)
    }
}

impl fmt::Display for ExternalType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let global = if self.global { "::" } else { "" };
        write!(f, "{global}{}{}", self.segments.join("::"), self.arguments)
    }
}

impl Serialize for ExternalType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_type_is_found_at_its_path() {
        for known in KnownType::ALL {
            let mut path: Vec<&str> = known.module().split("::").skip(1).collect();
            path.push(known.name());
            assert_eq!(KnownType::at(&path), Some(known));
        }
        assert_eq!(KnownType::at(&["api", "core", "v1", "Time"]), None);
        assert_eq!(KnownType::at(&["apimachinery", "Time"]), None);
        assert_eq!(KnownType::at(&[]), None);
    }
}
