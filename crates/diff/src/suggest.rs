//! Which version number Kubernetes' rules ask for.

use crate::finding::{Finding, Severity};

/// The next version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The version stays as it is.
    Stay,
    /// A new API version is needed beside this one.
    Next(String),
}

/// Suggests the version that follows `version` (`v1alpha1`, `v1beta2`, `v1`) for changes of it.
///
/// Kubernetes' deprecation policy: what is in a version may not change incompatibly, at any level;
/// an incompatible change comes in a new version of the same level, and of the next major number
/// for a stable one.
#[must_use]
pub fn suggest(version: &str, findings: &[Finding]) -> Step {
    let own = findings.iter().filter(|it| it.version == version);
    let worst = own.map(Finding::severity).max();
    if worst != Some(Severity::Incompatible) {
        return Step::Stay;
    }
    let stem = version.trim_end_matches(|c: char| c.is_ascii_digit());
    let number = version
        .get(stem.len()..)
        .and_then(|it| it.parse::<u64>().ok());
    match number.and_then(|number| number.checked_add(1)) {
        Some(next) => Step::Next(format!("{stem}{next}")),
        None => Step::Next(format!("{version}2")),
    }
}
