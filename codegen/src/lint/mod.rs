//! The conventions of Kubernetes APIs, held against CRDs from any input: annotated Rust,
//! kube-derive, Go and YAML alike.
//!
//! [`rules`] is the table; `fields` and `sizes` have the checks of one value, `definitions` those
//! of a version; `fix` mends sources.
//! Everything is seen as the API server sees it, in the CRD, and reported where it is declared.
//! Types of other crates and packages are not checked: who declares them answers for them. Start at
//! `lint`.

mod allow;
pub(crate) mod baseline;
pub(crate) mod choice;
mod definitions;
mod fields;
pub(crate) mod fix;
pub(crate) mod print;
pub mod rules;
mod sizes;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;
use serde_json::Value;

use self::{
    allow::Allowed,
    rules::{Check, Fix, Rule},
};
use crate::{
    compat::{Definition, Places, Set, text::located},
    diag::{Diagnostics, Place},
};

/// How a finding counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// It is not reported.
    Off,
    /// It is reported.
    Warning,
    /// It is reported, and the command fails.
    Error,
}

impl Level {
    /// The level in the book and in `--list`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A deviation from a convention.
#[derive(Debug)]
pub(crate) struct Finding {
    pub(crate) rule: &'static Rule,
    pub(crate) level: Level,
    /// The name of the CRD.
    pub(crate) crd: String,
    pub(crate) version: String,
    /// The field (`spec.disks[].size`); empty for the definition.
    pub(crate) path: String,
    /// What is the case, on one line.
    pub(crate) message: String,
    pub(crate) place: Option<Place>,
    /// The change that mends it.
    fix: Option<&'static Fix>,
}

impl Finding {
    /// The line by which a baseline names it.
    pub(crate) fn key(&self) -> String {
        let place = located([&self.crd, &self.version, &self.path]);
        format!("{} {place}", self.rule.id)
    }
}

/// The levels of rules that differ from their defaults, by id.
pub(crate) type Levels = BTreeMap<String, Level>;

/// Checks all CRDs; findings are in the order of CRDs, versions and fields. A type that several
/// versions or kinds share is reported once.
///
/// # Errors
///
/// A comment that allows a finding names no rule or gives no reason; two CRDs have one name.
pub(crate) fn lint(set: &Set, levels: &Levels) -> Result<Vec<Finding>, Diagnostics> {
    let definitions = set.by_name()?;
    let definitions: Vec<&Definition> = definitions.into_values().collect();
    let linted = definitions.par_iter().with_max_len(1);
    let linted: Vec<_> = linted.map(|definition| one(definition, levels)).collect();
    let mut found = Vec::new();
    let mut diagnostics = Diagnostics::new();
    for (findings, faults) in linted {
        found.extend(findings);
        diagnostics.extend(faults);
    }
    let mut seen = BTreeSet::new();
    found.retain(|finding: &Finding| match &finding.place {
        Some(place) => seen.insert((finding.rule.id, place.file.clone(), place.range.start)),
        None => true,
    });
    diagnostics.sort();
    diagnostics.finish(found)
}

/// What a check of a version found.
struct Fault {
    /// The keys from the version to the value.
    pointer: Vec<String>,
    /// The field; empty for the version itself.
    path: String,
    /// What is the case.
    message: String,
    fix: Option<&'static Fix>,
}

fn one(definition: &Definition, levels: &Levels) -> (Vec<Finding>, Diagnostics) {
    let (mut found, mut diagnostics) = (Vec::new(), Diagnostics::new());
    let places = Places::of(definition);
    let crd = definition.name();
    let versions = definition.value.pointer("/spec/versions");
    let versions = versions.and_then(Value::as_array).into_iter().flatten();
    let served = versions.enumerate().filter(|(_, it)| it["served"] != false);
    for (index, version) in served {
        let name = version["name"].as_str().unwrap_or_default();
        for (rule, level, fault) in faults(&definition.value, version, &places, levels) {
            let start = ["spec".to_owned(), "versions".to_owned(), index.to_string()];
            let pointer: Vec<String> = start.into_iter().chain(fault.pointer).collect();
            let place = match &places {
                Places::Yaml(..) => places.place(name, &fault.path, &pointer).map(Some),
                Places::Types(types) => {
                    let own = types.at(name, &fault.path).filter(|it| it.exact);
                    own.map(|it| it.place.cloned())
                }
            };
            let Some(place) = place else {
                continue;
            };
            let allowed = place.as_ref().map(Allowed::at).unwrap_or_default();
            diagnostics.extend(allowed.faults());
            if !allowed.has(rule.id) {
                found.push(Finding {
                    rule,
                    level,
                    crd: crd.clone(),
                    version: name.to_owned(),
                    path: fault.path,
                    message: fault.message,
                    place,
                    fix: fault.fix,
                });
            }
        }
    }
    (found, diagnostics)
}

/// What the rules that are on find in a version: first those of the version, then field by field.
fn faults(
    crd: &Value,
    version: &Value,
    places: &Places<'_>,
    levels: &Levels,
) -> Vec<(&'static Rule, Level, Fault)> {
    let (mut found, mut fields) = (Vec::new(), Vec::new());
    for rule in rules::all() {
        match (
            levels.get(rule.id).copied().unwrap_or(rule.level),
            rule.check,
        ) {
            (Level::Off, _) => {}
            (level, Check::Field(check)) => fields.push((rule, level, check)),
            (level, Check::Version(check)) => {
                let faults = check(crd, version).into_iter();
                found.extend(faults.map(|fault| (rule, level, fault)));
            }
        }
    }
    let name = version["name"].as_str().unwrap_or_default();
    let types = match places {
        Places::Yaml(..) => None,
        Places::Types(types) => types.root(name).map(|root| (types, root)),
    };
    walk::fields(version, types, &mut |field| {
        let faults = fields.iter().filter_map(|(rule, level, check)| {
            let fault = Fault {
                message: check(field)?,
                pointer: field.pointer.to_vec(),
                path: field.path.to_owned(),
                fix: rule.fix.as_ref().filter(|fix| (fix.applies)(field)),
            };
            Some((*rule, *level, fault))
        });
        found.extend(faults);
    });
    found
}
