//! Findings that a crate accepts, with a reason, and for a time.

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
    pub(crate) until: Option<String>,
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

/// Checks a date.
///
/// # Errors
///
/// What to write instead.
pub(crate) fn check_date(text: &str) -> Result<String, String> {
    let expected = || "expected a date such as \"2027-01-31\"".to_owned();
    let mut parts = text.split('-');
    let mut number = |length: usize, most: u32| {
        let part = parts.next().filter(|part| part.len() == length)?;
        part.parse::<u32>()
            .ok()
            .filter(|number| (1..=most).contains(number))
    };
    let is_date = number(4, 9999).is_some() && number(2, 12).is_some() && number(2, 31).is_some();
    (is_date && parts.next().is_none())
        .then(|| text.to_owned())
        .ok_or_else(expected)
}

impl Report {
    /// Marks the findings that are accepted on a day.
    ///
    /// # Errors
    ///
    /// Acceptances that nothing needs, and those that have expired.
    pub(crate) fn accept(&mut self, accepted: &[Accepted], today: &str) -> Diagnostics {
        let mut found = Diagnostics::new();
        for one in accepted {
            let mut is_used = false;
            let is_over = one.until.as_deref().is_some_and(|until| until < today);
            for located in &mut self.findings {
                if one.covers(&located.finding) {
                    is_used = true;
                    if !is_over {
                        located.accepted = Some(one.reason.clone());
                    }
                }
            }
            let error = |message: String| Diagnostic::error(message).at(one.place.clone(), "");
            if !is_used {
                let message = format!("nothing needs the accepted `{}`", one.id);
                found.push(error(message).help("remove it"));
            } else if is_over {
                let until = one.until.as_deref().unwrap_or_default();
                let message = format!("the accepted `{}` has expired on {until}", one.id);
                found.push(error(message).help("make the change compatible, or set another date"));
            }
        }
        found
    }
}

/// The date of a day since 1970-01-01, as `2027-01-31`, by Howard Hinnant's algorithm for civil
/// dates.
pub(crate) fn date(days: u64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, later) = match month {
        0..10 => (month + 3, 0),
        _ => (month - 9, 1),
    };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_checked_and_written() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (20_784, "2026-11-27"),
        ] {
            assert_eq!(date(days), expected);
            assert_eq!(check_date(expected).as_deref(), Ok(expected));
        }
        for wrong in [
            "",
            "2027",
            "2027-13-01",
            "27-01-01",
            "2027-01-01-",
            "2027-1-1",
        ] {
            assert!(check_date(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn ids_are_checked() {
        assert!(check_id("field-removed").is_ok());
        let error = check_id("field-remove").unwrap_err();
        assert!(error.ends_with("did you mean `field-removed`?"), "{error}");
    }
}
