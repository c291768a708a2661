//! The order of versions.

use std::cmp::Ordering;

/// Kubernetes' order of preference: stable before beta before alpha, higher numbers first, other names last by alphabet.
pub(crate) fn version_order(a: &str, b: &str) -> Ordering {
    match (version_rank(a), version_rank(b)) {
        (Some(a), Some(b)) => b.cmp(&a),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => a.cmp(b),
    }
}

fn version_rank(version: &str) -> Option<(u8, u64, u64)> {
    let rest = version.strip_prefix('v')?;
    let end = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    let major: u64 = rest[..end].parse().ok()?;
    let suffix = &rest[end..];
    if suffix.is_empty() {
        return Some((2, major, 0));
    }
    let (stage, number) = match (suffix.strip_prefix("beta"), suffix.strip_prefix("alpha")) {
        (Some(number), _) => (1, number),
        (_, Some(number)) => (0, number),
        _ => return None,
    };
    Some((stage, major, number.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_preferred_stable_first() {
        let mut versions = [
            "v1alpha1", "foo", "v2", "v1beta2", "v10", "v1", "v2beta1", "bar",
        ];
        versions.sort_by(|a, b| version_order(a, b));
        assert_eq!(
            versions,
            [
                "v10", "v2", "v1", "v2beta1", "v1beta2", "v1alpha1", "bar", "foo"
            ]
        );
    }
}
