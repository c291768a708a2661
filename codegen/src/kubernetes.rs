//! Which types of Kubernetes itself generated code may use.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which schemas of CRDs become types of k8s-openapi.
///
/// No data is lost: every property of such a schema is a field of the type in all Kubernetes
/// versions from [`KubernetesVersion`] on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KubernetesTypes {
    /// Schemas with the same structure, including those of older and newer releases, which have
    /// fewer of the fields.
    #[default]
    All,
    /// Schemas with every field of the type.
    Exact,
    /// None: every schema gets a type of its own.
    None,
}

/// The minor version of the latest Kubernetes version, that of the table of types and of
/// k8s-openapi. `hack/kubernetes-version.sh` sets it.
const LATEST: u8 = 37;

/// The minor version of the earliest one that k8s-openapi has a feature for: each of its releases
/// has five.
const WITH_FEATURE: u8 = LATEST - 4;

/// The minor version of the earliest one whose types are known.
const WITH_TYPES: u8 = 30;

/// A Kubernetes version that k8s-openapi has a feature for.
pub type KubernetesVersion = VersionFrom<WITH_FEATURE>;

/// A Kubernetes version whose types manifests can describe: those of releases of k8s-openapi that
/// operators still use.
pub type TypesVersion = VersionFrom<WITH_TYPES>;

/// A Kubernetes version from 1.`EARLIEST` to the latest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct VersionFrom<const EARLIEST: u8>(u8);

impl<const EARLIEST: u8> VersionFrom<EARLIEST> {
    /// The earliest supported version.
    pub const EARLIEST: Self = Self(EARLIEST);
    /// The latest supported version.
    pub const LATEST: Self = Self(LATEST);
    /// The number of versions.
    pub(crate) const COUNT: usize = (LATEST - EARLIEST + 1) as usize;

    /// All versions, in order.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        Self::EARLIEST.and_later()
    }

    /// This version and every later one.
    pub fn and_later(self) -> impl DoubleEndedIterator<Item = Self> {
        (self.0..=LATEST).map(Self)
    }

    /// Parses a version such as `1.36`, also as in Kubernetes' tags and k8s-openapi's features
    /// (`v1.36`, `v1_36`).
    ///
    /// # Errors
    ///
    /// A message that lists the valid versions.
    pub fn parse(word: &str) -> Result<Self, String> {
        let plain = word.strip_prefix('v').unwrap_or(word).replace('_', ".");
        let known = Self::all().find(|version| version.to_string() == plain);
        known.ok_or_else(|| {
            let (earliest, latest) = (Self::EARLIEST, Self::LATEST);
            let limit = match EARLIEST {
                WITH_FEATURE => "which k8s-openapi has features for",
                _ => "whose types are known",
            };
            format!("expected a version from `{earliest}` to `{latest}`, {limit}, found `{word}`")
        })
    }

    /// The feature of k8s-openapi that selects it (`v1_36`).
    #[must_use]
    pub fn feature(self) -> String {
        format!("v1_{}", self.0)
    }

    /// The minor version (36).
    #[must_use]
    pub const fn minor(self) -> u8 {
        self.0
    }

    /// The position in [`all`](Self::all).
    pub(crate) const fn index(self) -> usize {
        (self.0 - EARLIEST) as usize
    }

    /// The previous version, if it is supported.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        Self::all().rev().find(|other| *other < self)
    }
}

impl TypesVersion {
    /// The version that a feature of k8s-openapi selects (`v1_36`; `latest` in the release with
    /// the version), or the nearest one that is known; `None` for other features.
    pub(crate) fn of_feature(feature: &str, release: Option<&str>) -> Option<Self> {
        let minor = match feature {
            "latest" => Self::latest_of(release?)?,
            "earliest" => Self::latest_of(release?)?.checked_sub(4)?,
            feature => feature.strip_prefix("v1_")?.parse().ok()?,
        };
        Some(Self(minor).clamp(Self::EARLIEST, Self::LATEST))
    }

    /// The latest minor version in a release of k8s-openapi (`0.28.0`): each adds one.
    fn latest_of(release: &str) -> Option<u8> {
        let plain = release.trim_start_matches(['^', '=', '~', ' ']);
        let minor: u8 = plain.strip_prefix("0.")?.split('.').next()?.parse().ok()?;
        minor.checked_add(8)
    }
}

impl<const EARLIEST: u8> fmt::Display for VersionFrom<EARLIEST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

impl<const EARLIEST: u8> TryFrom<String> for VersionFrom<EARLIEST> {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Self::parse(&word)
    }
}

impl<const EARLIEST: u8> From<VersionFrom<EARLIEST>> for String {
    fn from(version: VersionFrom<EARLIEST>) -> Self {
        version.to_string()
    }
}

/// The options that decide which schemas are replaced by Kubernetes types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// Which schemas are recognised.
    pub types: KubernetesTypes,
    /// The oldest supported Kubernetes version.
    pub version: Option<KubernetesVersion>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_k8s_openapi_select_a_version() {
        let check = |feature: &str, release: &str, minor: Option<u8>| {
            let found = TypesVersion::of_feature(feature, Some(release));
            assert_eq!(found.map(TypesVersion::minor), minor, "{feature} {release}");
        };
        check("v1_32", "0.25.0", Some(32));
        check("latest", "0.25.0", Some(33));
        check("latest", "^0.27", Some(35));
        check("latest", "=0.28.0", Some(36));
        check("latest", "0.20", Some(30));
        check("earliest", "0.28", Some(32));
        check("earliest", "0.26.1", Some(30));
        check("latest", "1", None);
        check("schemars", "0.28", None);
        assert_eq!(TypesVersion::of_feature("latest", None), None);
    }

    #[test]
    fn versions_are_those_of_k8s_openapi() {
        for word in ["1.33", "v1.36", "v1_37"] {
            assert!(KubernetesVersion::parse(word).is_ok(), "{word}");
        }
        for word in ["1.32", "1.99", "1.36.2", "36", "latest", ""] {
            assert!(KubernetesVersion::parse(word).is_err(), "{word}");
        }
        let version = KubernetesVersion::parse("1.36").unwrap();
        assert_eq!(version.feature(), "v1_36");
        assert_eq!(version.previous().unwrap().to_string(), "1.35");
        assert_eq!(KubernetesVersion::EARLIEST.previous(), None);
    }
}
