//! Findings of an old API that are not reported.

use std::collections::BTreeSet;

use super::Finding;

/// The findings as a baseline, a line each.
pub(crate) fn lines(findings: &[Finding]) -> String {
    let keys: BTreeSet<String> = findings.iter().map(Finding::key).collect();
    keys.iter().map(|key| format!("{key}\n")).collect()
}

/// Removes the findings that a baseline lists; returns the lines that no finding matches, so that
/// a baseline only shrinks.
pub(crate) fn except<'t>(text: &'t str, findings: &mut Vec<Finding>) -> BTreeSet<&'t str> {
    let listed: BTreeSet<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let mut unused = listed.clone();
    findings.retain(|finding| {
        let key = finding.key();
        unused.remove(key.as_str());
        !listed.contains(key.as_str())
    });
    unused
}
