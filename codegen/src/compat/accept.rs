//! Findings that a crate accepts, with a reason, and for a time.

use jiff::civil::Date;
use kube_crd_diff::{Finding, RULES, Severity};

use super::Report;
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    suggest::closest,
};

/// An accepted finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Accepted {
    /// The finding (`field-removed`).
    pub(crate) id: String,
    /// The path (`spec.size`); `None` for any.
    pub(crate) path: Option<String>,
    /// The name of the CRD; `None` for any.
    pub(crate) crd: Option<String>,
    /// Why it is accepted.
    pub(crate) reason: String,
    /// The last day on which it is (`2027-01-31`); `None` for good.
    pub(crate) until: Option<Date>,
    /// Where it is written.
    pub(crate) place: Place,
}

impl Accepted {
    fn covers(&self, finding: &Finding) -> bool {
        finding.severity() != Severity::Compatible
            && self.id == finding.rule.id
            && self.path.as_ref().is_none_or(|path| *path == finding.path)
            && self.crd.as_ref().is_none_or(|crd| *crd == finding.crd)
    }
}

/// Checks the name of a finding.
///
/// # Errors
///
/// What to write instead.
pub(crate) fn check_id(id: &str) -> Result<String, String> {
    if RULES.iter().any(|rule| rule.id == id) {
        return Ok(id.to_owned());
    }
    Err(match closest(id, RULES.iter().map(|rule| rule.id)) {
        Some(near) => format!("there is no finding `{id}`: did you mean `{near}`?"),
        None => format!("there is no finding `{id}`: docs/diff.md lists them"),
    })
}

/// Parses a date.
///
/// # Errors
///
/// What to write instead.
pub(crate) fn parse_date(text: &str) -> Result<Date, String> {
    let date: Option<Date> = text.parse().ok();
    let date = date.filter(|date| date.to_string() == text);
    date.ok_or_else(|| "expected a date such as \"2027-01-31\"".to_owned())
}

impl Report {
    /// Marks the findings that are accepted on a day.
    ///
    /// # Errors
    ///
    /// Acceptances that nothing needs, and those that have expired.
    pub(crate) fn accept(&mut self, accepted: &[Accepted], today: Date) -> Diagnostics {
        let mut found = Diagnostics::new();
        for one in accepted {
            let mut is_used = false;
            let over = one.until.filter(|until| *until < today);
            for located in &mut self.findings {
                if one.covers(&located.finding) {
                    is_used = true;
                    if over.is_none() {
                        located.accepted = Some(one.reason.clone());
                    }
                }
            }
            let error = |message: String| Diagnostic::error(message).at(one.place.clone(), "");
            if !is_used {
                let message = format!("nothing needs the accepted `{}`", one.id);
                found.push(error(message).help("remove it"));
            } else if let Some(until) = over {
                let message = format!("the accepted `{}` has expired on {until}", one.id);
                found.push(error(message).help("make the change compatible, or set another date"));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_in_the_usual_form() {
        let found = parse_date("2028-02-29").unwrap();
        assert!(found < parse_date("2028-03-01").unwrap());
        for wrong in [
            "",
            "2027",
            "2027-13-01",
            "27-01-01",
            "2027-01-01-",
            "2027-1-1",
            "2027-02-29",
            "20270131",
        ] {
            assert!(parse_date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ids_are_checked() {
        assert!(check_id("field-removed").is_ok());
        let error = check_id("field-remove").unwrap_err();
        assert!(error.ends_with("did you mean `field-removed`?"), "{error}");
    }
}
