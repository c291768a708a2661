//! Comparing two sets of CRDs, wherever they come from, and the forms of the result.
//!
//! `kube_crd_diff` compares two CRDs; this module pairs those of two sets, finds the lines of what
//! it found, and prints it: [`text`] for people, [`json`], [`annotations`] for GitHub, [`sarif`].
//! What cannot be read is printed in these forms too: [`unread`].
//! Start at [`compare`].

mod accept;
pub(crate) mod annotations;
mod declared;
mod definition;
pub(crate) mod json;
pub(crate) mod sarif;
pub(crate) mod text;
pub(crate) mod unread;

use std::collections::BTreeMap;

use kube_crd_diff::{Finding, Options, Severity, Step, suggest};
use rayon::prelude::*;

pub(crate) use self::{
    accept::{Accepted, check_id, parse_date},
    declared::{Declared, Types},
    definition::{Definition, Origin, Places, Set, Spot, YamlFile},
};
use crate::diag::{Diagnostic, Diagnostics};

/// A finding with its lines.
#[derive(Debug)]
pub(crate) struct Located {
    pub(crate) finding: Finding,
    /// Where it is in the old input.
    pub(crate) old: Option<Spot>,
    /// Where it is in the new input.
    pub(crate) new: Option<Spot>,
    /// Why it is accepted, if it is.
    pub(crate) accepted: Option<String>,
}

/// All findings of two sets.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// The findings by CRD.
    pub(crate) findings: Vec<Located>,
}

/// Compares two sets of CRDs: those of one name with each other.
///
/// # Errors
///
/// A set has two different CRDs of one name.
pub(crate) fn compare(old: &Set, new: &Set, budget: usize) -> Result<Report, Diagnostics> {
    let (before, after) = (old.by_name()?, new.by_name()?);
    let mut names: Vec<&String> = before.keys().chain(after.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let samples = old.samples.iter().chain(&new.samples).cloned();
    let options = Options {
        budget,
        samples: samples.collect(),
    };
    let compared = names.par_iter().with_max_len(1).map(|name| {
        let (old, new) = (before.get(*name).copied(), after.get(*name).copied());
        located(old, new, &options)
    });
    Ok(Report {
        findings: compared.flatten_iter().collect(),
    })
}

fn located(old: Option<&Definition>, new: Option<&Definition>, options: &Options) -> Vec<Located> {
    let findings = match (old, new) {
        (Some(old), Some(new)) => kube_crd_diff::compare(&old.value, &new.value, options),
        (Some(old), None) => vec![kube_crd_diff::removed(&old.value)],
        (None, Some(new)) => vec![kube_crd_diff::added(&new.value)],
        (None, None) => Vec::new(),
    };
    if findings.is_empty() {
        return Vec::new();
    }
    let (old, new) = (old.map(Places::of), new.map(Places::of));
    let located = findings.into_iter().map(|finding| {
        let spot = |places: &Option<Places<'_>>, pointer: &Option<kube_crd_diff::Pointer>| {
            let (places, pointer) = (places.as_ref()?, pointer.as_ref()?);
            places.spot(&finding, pointer)
        };
        Located {
            old: spot(&old, &finding.old),
            new: spot(&new, &finding.new),
            accepted: None,
            finding,
        }
    });
    located.collect()
}

impl Report {
    /// The number of findings of a severity that are not accepted.
    pub(crate) fn count(&self, severity: Severity) -> usize {
        let all = self
            .findings
            .iter()
            .filter(|it| it.accepted.is_none() && it.finding.severity() == severity);
        all.count()
    }

    /// The version that each changed version needs: a line each.
    pub(crate) fn suggestions(&self) -> Vec<String> {
        let mut versions: BTreeMap<(&str, &str), Vec<Finding>> = BTreeMap::new();
        for Located { finding, .. } in &self.findings {
            if !finding.version.is_empty() {
                let key = (finding.crd.as_str(), finding.version.as_str());
                versions.entry(key).or_default().push(finding.clone());
            }
        }
        let lines = versions.into_iter().map(|((crd, version), findings)| {
            match suggest(version, &findings) {
                Step::Stay => format!("{crd}: `{version}` can stay: nothing in it is incompatible"),
                Step::Next(next) => format!(
                    "{crd}: `{version}` has incompatible changes: keep it as it was, and bring them as `{next}`"
                ),
            }
        });
        lines.collect()
    }
}

/// Reports two different CRDs of one name.
fn twice(name: &str, one: &Definition, other: &Definition) -> Diagnostic {
    let message = format!(
        "two CRDs are named {name}: {} and {}",
        one.shown(),
        other.shown()
    );
    Diagnostic::error(message).help("compare one of them: name files instead of their folder")
}
