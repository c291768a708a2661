//! Types defined outside of the API: Kubernetes' own, and those of other Rust modules.

use std::fmt;

use serde::{Serialize, Serializer};

use super::TypeRef;

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

            /// The path of its module, starting with `k8s_openapi`.
            #[must_use]
            pub const fn module(self) -> &'static str {
                match self {
                    $($(Self::$name)|+ => $module,)+
                }
            }

            /// The name in that module.
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
    /// Returns the type at a path relative to `k8s_openapi`.
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

/// A path to a Rust type defined elsewhere, resolved through the source's `use` items.
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalType {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The path segments; the last is the type's name.
    pub segments: Vec<String>,
    /// The generic arguments as written, including the angle brackets; empty if there are none.
    pub arguments: String,
    /// The type arguments, if the type belongs to the same version; used to instantiate its fields.
    pub instance: Vec<TypeRef>,
    /// Why its definition is not known, if its crate tells.
    pub missing: Option<String>,
}

/// Returns the type parameters in a list of generics written with angle brackets, without lifetimes
/// and const parameters.
pub(crate) fn type_parameters(generics: &str) -> Vec<String> {
    let inner = generics.trim().strip_prefix('<');
    let inner = inner.and_then(|inner| inner.strip_suffix('>'));
    let inner = inner.unwrap_or_default();
    let (mut depth, mut parameters, mut start) = (0_usize, Vec::new(), 0);
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 || at == inner.len() => {
                parameters.extend(inner.get(start..at).map(str::trim));
                start = at + 1;
            }
            _ => {}
        }
    }
    parameters.retain(|parameter| {
        let is_type = !parameter.starts_with('\'') && !parameter.starts_with("const ");
        is_type && !parameter.is_empty()
    });
    let name = |parameter: &&str| {
        let end = parameter.find([':', '=', ' ']).unwrap_or(parameter.len());
        parameter.get(..end).unwrap_or_default().to_owned()
    };
    parameters.iter().map(name).collect()
}

impl ExternalType {
    /// Creates a type without arguments, at a path without a leading `::`.
    #[must_use]
    pub const fn new(segments: Vec<String>) -> Self {
        Self {
            global: false,
            segments,
            arguments: String::new(),
            instance: Vec::new(),
            missing: None,
        }
    }

    /// The name of the type.
    #[must_use]
    pub fn name(&self) -> &str {
        self.segments.last().map_or("", String::as_str)
    }

    /// Returns the segments after the segment `name`, or `None` if the path does not contain it.
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
    fn type_parameters_are_told_from_the_rest() {
        let check = |generics: &str, expected: &[&str]| {
            assert_eq!(type_parameters(generics), expected, "{generics}");
        };
        check("", &[]);
        check("<T>", &["T"]);
        check(
            "<'a, T: Into<Vec<(A, B)>>, U = u8, const N: usize>",
            &["T", "U"],
        );
        check("<const N: usize, T, const M: usize, U>", &["T", "U"]);
    }

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
