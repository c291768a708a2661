//! Which rules count how, as the command line and codegen.toml say it.

use super::{
    Level, Levels,
    rules::{self, find},
};
use crate::suggest::closest;

/// Every rule that is on.
pub(crate) const ALL: &str = "all";

/// Rules by the level that they are to have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Those whose findings are errors.
    pub(crate) error: Vec<String>,
    /// Those whose findings are warnings.
    pub(crate) warn: Vec<String>,
    /// Those that are left out.
    pub(crate) off: Vec<String>,
}

impl Choice {
    /// The levels of the named rules; a rule's own name counts more than `all`.
    pub(crate) fn levels(&self) -> Levels {
        let mut levels = Levels::new();
        let given = [
            (&self.error, Level::Error),
            (&self.warn, Level::Warning),
            (&self.off, Level::Off),
        ];
        for (rules, level) in given {
            if rules.iter().any(|id| id == ALL) {
                let on = rules::all().filter(|rule| rule.level != Level::Off);
                levels.extend(on.map(|rule| (rule.id.to_owned(), level)));
            }
        }
        for (rules, level) in given {
            let named = rules.iter().filter(|id| *id != ALL);
            levels.extend(named.map(|id| (id.clone(), level)));
        }
        levels
    }
}

/// Checks the name of a rule, or `all`.
///
/// # Errors
///
/// There is none of the name; says which one is close.
pub(crate) fn check_rule(id: &str) -> Result<String, String> {
    if id == ALL || find(id).is_some() {
        return Ok(id.to_owned());
    }
    let close = closest(id, rules::all().map(|rule| rule.id));
    let close = close.map(|close| format!("; did you mean `{close}`?"));
    Err(format!(
        "there is no such rule{}",
        close.unwrap_or_default()
    ))
}
