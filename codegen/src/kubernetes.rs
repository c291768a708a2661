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

/// A Kubernetes version that k8s-openapi 0.29 has a feature for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum KubernetesVersion {
    /// 1.33
    V1_33,
    /// 1.34
    V1_34,
    /// 1.35
    V1_35,
    /// 1.36
    V1_36,
    /// 1.37
    V1_37,
}

impl KubernetesVersion {
    /// All versions, in order.
    pub const ALL: [Self; 5] = [
        Self::V1_33,
        Self::V1_34,
        Self::V1_35,
        Self::V1_36,
        Self::V1_37,
    ];
    const EARLIEST_MINOR: u8 = 33;
    /// The earliest supported version.
    pub const EARLIEST: Self = Self::V1_33;
    /// The latest supported version.
    pub const LATEST: Self = Self::V1_37;

    /// This version and every later one.
    pub fn and_later(self) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |other| *other >= self)
    }

    /// Parses a version such as `1.36`, also as in Kubernetes' tags and k8s-openapi's features
    /// (`v1.36`, `v1_36`).
    ///
    /// # Errors
    ///
    /// A message that lists the valid versions.
    pub fn parse(word: &str) -> Result<Self, String> {
        let plain = word.strip_prefix('v').unwrap_or(word).replace('_', ".");
        Self::ALL
            .into_iter()
            .find(|version| version.to_string() == plain)
            .ok_or_else(|| {
                format!(
                    "expected a version from `{}` to `{}`, which k8s-openapi has features for, found `{word}`",
                    Self::EARLIEST,
                    Self::LATEST
                )
            })
    }

    /// The feature of k8s-openapi that selects it (`v1_36`).
    #[must_use]
    pub fn feature(self) -> String {
        format!("v1_{}", self.minor())
    }

    /// The minor version (36).
    #[must_use]
    pub const fn minor(self) -> u8 {
        Self::EARLIEST_MINOR + self as u8
    }

    /// The previous version, if k8s-openapi supports it.
    #[must_use]
    pub fn previous(self) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|other| *other < self)
    }
}

/// A Kubernetes version whose types manifests can describe: those of releases of k8s-openapi that
/// operators still use, up to that of the table of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TypesVersion(u8);

impl TypesVersion {
    /// The earliest version.
    pub const EARLIEST: Self = Self(30);
    /// The version of the table.
    pub const LATEST: Self = Self(37);

    /// Parses a version such as `1.36`, `v1.36` or `v1_36`.
    ///
    /// # Errors
    ///
    /// A message that lists the valid versions.
    pub fn parse(word: &str) -> Result<Self, String> {
        let plain = word.strip_prefix('v').unwrap_or(word).replace('_', ".");
        let minor = plain.strip_prefix("1.").and_then(|it| it.parse().ok());
        let known = minor
            .map(Self)
            .filter(|it| (Self::EARLIEST..=Self::LATEST).contains(it));
        known.ok_or_else(|| {
            let (earliest, latest) = (Self::EARLIEST, Self::LATEST);
            format!("expected a version from `{earliest}` to `{latest}`, whose types are known, found `{word}`")
        })
    }

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

    /// The minor version (36).
    #[must_use]
    pub const fn minor(self) -> u8 {
        self.0
    }
}

impl fmt::Display for TypesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

impl fmt::Display for KubernetesVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.minor())
    }
}

impl TryFrom<String> for KubernetesVersion {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Self::parse(&word)
    }
}

impl From<KubernetesVersion> for String {
    fn from(version: KubernetesVersion) -> Self {
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
        for word in ["1.32", "1.38", "1.36.2", "36", "latest", ""] {
            assert!(KubernetesVersion::parse(word).is_err(), "{word}");
        }
        let version = KubernetesVersion::parse("1.36").unwrap();
        assert_eq!(version.feature(), "v1_36");
        assert_eq!(version.previous().unwrap().to_string(), "1.35");
        assert_eq!(KubernetesVersion::EARLIEST.previous(), None);
    }
}
