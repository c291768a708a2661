//! Versions in Kubernetes' order of priority.

use std::cmp::{Ordering, Reverse};

/// Orders versions as the API server lists them, the preferred first.
///
/// `v2`, `v1`, `v1beta2`, `v1beta1`, `v1alpha1`, then other names, in alphabetical order. The
/// source of the rule is `CompareKubeAwareVersionStrings` of `k8s.io/apimachinery/pkg/version`,
/// which takes leading zeros too; equal versions are ordered by name.
#[must_use]
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    match (parse(a), parse(b)) {
        (Some(a_key), Some(b_key)) => b_key.cmp(&a_key).then_with(|| a.cmp(b)),
        (a_key, b_key) => Reverse(a_key.is_some())
            .cmp(&Reverse(b_key.is_some()))
            .then_with(|| a.cmp(b)),
    }
}

/// Whether the name is a version as Kubernetes writes them: `v1`, `v1beta1`, `v2alpha3`.
#[must_use]
pub fn is_kubernetes_version(name: &str) -> bool {
    parse(name).is_some()
}

/// Stability, major and minor; `None` for numbers too large for the type.
fn parse(name: &str) -> Option<(u8, u64, u64)> {
    let rest = name.strip_prefix('v')?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let (major, rest) = rest.split_at(digits);
    let major = number(major)?;
    if rest.is_empty() {
        return Some((2, major, 0));
    }
    let (stability, minor) = rest
        .strip_prefix("beta")
        .map(|minor| (1, minor))
        .or_else(|| rest.strip_prefix("alpha").map(|minor| (0, minor)))?;
    Some((stability, major, number(minor)?))
}

fn number(digits: &str) -> Option<u64> {
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stable_versions_come_first() {
        let mut versions = vec![
            "foo10",
            "v1",
            "v11alpha2",
            "v10",
            "v3beta1",
            "v2",
            "v11beta2",
            "foo1",
            "v12alpha1",
            "v10beta3",
            "v1beta",
            "v01",
        ];
        versions.sort_by(|a, b| compare_versions(a, b));
        assert_eq!(
            versions,
            [
                "v10",
                "v2",
                "v01",
                "v1",
                "v11beta2",
                "v10beta3",
                "v3beta1",
                "v12alpha1",
                "v11alpha2",
                "foo1",
                "foo10",
                "v1beta"
            ]
        );
    }

    #[test]
    fn only_kubernetes_versions_are_such() {
        assert!(is_kubernetes_version("v1beta1"));
        assert!(!is_kubernetes_version("v1beta"));
        assert!(!is_kubernetes_version("1"));
        assert!(!is_kubernetes_version("v99999999999999999999999"));
    }
}
