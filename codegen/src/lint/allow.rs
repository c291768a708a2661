//! Comments that allow a finding at a place:
//!
//! ```text
//! // lint: allow(phases) Users know it from v1alpha1.
//! ```

use super::rules::find;
use crate::diag::{Diagnostic, Diagnostics, Place};

const START: &str = "lint: allow(";

/// What the comments at a place allow.
#[derive(Debug, Default)]
pub(super) struct Allowed<'p> {
    place: Option<&'p Place>,
    /// For each comment, its rules and the reason.
    comments: Vec<(Vec<&'p str>, &'p str)>,
}

impl<'p> Allowed<'p> {
    /// Reads the comments on the line of a place, and those right above it.
    pub(super) fn at(place: &'p Place) -> Self {
        let text: &str = &place.text;
        let start = place.range.start.min(text.len());
        let before = text.get(..start).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text.get(line_start..).unwrap_or_default().lines().next();
        let above = text.get(..line_start).unwrap_or_default().lines().rev();
        let above = above.take_while(|line| {
            let line = line.trim_start();
            line.starts_with("//") || line.starts_with('#')
        });
        let comments = line.into_iter().chain(above).filter_map(|line| {
            let (_, rest) = line.split_once(START)?;
            let (rules, reason) = rest.split_once(')')?;
            Some((rules.split(',').map(str::trim).collect(), reason.trim()))
        });
        Self {
            place: Some(place),
            comments: comments.collect(),
        }
    }

    /// Whether a rule is allowed.
    pub(super) fn has(&self, id: &str) -> bool {
        self.comments.iter().any(|(rules, _)| rules.contains(&id))
    }

    /// Comments that name no rule, or give no reason.
    pub(super) fn faults(&self) -> Diagnostics {
        let mut faults = Diagnostics::new();
        let Some(place) = self.place else {
            return faults;
        };
        for (rules, reason) in &self.comments {
            if reason.is_empty() {
                let message = format!("`lint: allow({})` gives no reason", rules.join(", "));
                let fault = Diagnostic::error(message).at(place.clone(), "");
                faults.push(fault.help("write it behind the parenthesis"));
            }
            for rule in rules.iter().filter(|rule| find(rule).is_none()) {
                let fault = Diagnostic::error(format!("there is no rule `{rule}`"));
                let fault = fault.at(place.clone(), "");
                faults.push(fault.help("`kube-codegen lint --list` lists them"));
            }
        }
        faults
    }
}
