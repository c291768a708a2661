//! Types that are not of the API: those of Kubernetes, and those of other Rust modules.

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
#[derive(Clone, Debug, PartialEq)]
pub struct ExternalType {
    /// Whether the path starts with `::`.
    pub global: bool,
    /// The names of the path; the last is the type's.
    pub segments: Vec<String>,
    /// Generic arguments as the source has them, in angle brackets; empty without any.
    pub arguments: String,
    /// The generic arguments that are types, where the type is one of the same version, so that its fields have types.
    pub instance: Vec<TypeRef>,
}

/// The names of the types among generic parameters, which stand in angle brackets as in the source; none if a constant stands
/// before a type, since the arguments that are types are then not known by their number.
pub(crate) fn type_parameters(generics: &str) -> Option<Vec<String>> {
    let inner = generics.trim().strip_prefix('<')?.strip_suffix('>')?;
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
    parameters.retain(|parameter| !parameter.is_empty() && !parameter.starts_with('\''));
    let is_constant = |parameter: &str| parameter.starts_with("const ");
    let first = parameters.iter().position(|it| is_constant(it));
    let (types, constants) = parameters.split_at(first.unwrap_or(parameters.len()));
    if !constants.iter().all(|it| is_constant(it)) {
        return None;
    }
    let name = |parameter: &&str| {
        let end = parameter.find([':', '=', ' ']).unwrap_or(parameter.len());
        parameter.get(..end).unwrap_or_default().to_owned()
    };
    Some(types.iter().map(name).collect())
}

impl ExternalType {
    /// A type without arguments, at a path without `::` before it.
    #[must_use]
    pub const fn new(segments: Vec<String>) -> Self {
        Self {
            global: false,
            segments,
            arguments: String::new(),
            instance: Vec::new(),
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
    fn type_parameters_are_told_from_the_rest() {
        let check = |generics: &str, expected: Option<&[&str]>| {
            let found = type_parameters(generics);
            let expected = expected.map(|it| it.iter().map(|name| (*name).to_owned()).collect());
            assert_eq!(found, expected, "{generics}");
        };
        check("", None);
        check("<T>", Some(&["T"]));
        check(
            "<'a, T: Into<Vec<(A, B)>>, U = u8, const N: usize>",
            Some(&["T", "U"]),
        );
        check("<const N: usize, T>", None);
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
