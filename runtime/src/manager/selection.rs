//! `--controllers=*,-foo`: selects the controllers to run.

use std::fmt;
use std::str::FromStr;

/// Selects the controllers of a process to run, in the syntax of kube-controller-manager's
/// `--controllers` flag.
///
/// A comma-separated list: `*` enables all that are on by default, `foo` enables the controller
/// `foo`, `-foo` disables it. Of two entries for one controller the first applies. The default is
/// `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection {
    entries: Vec<String>,
}

/// The selection names an unknown controller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} is not in the list of known controllers: {}", .known.join(", "))]
pub struct UnknownController {
    /// The unknown name.
    pub name: String,
    /// The names of the known controllers.
    pub known: Vec<String>,
}

impl Selection {
    /// Whether the controller `name` runs. `by_default` is whether `*` includes it.
    pub fn is_enabled(&self, name: &str, by_default: bool) -> bool {
        let own = |entry: &String| match entry.strip_prefix('-') {
            Some(disabled) => (disabled == name).then_some(false),
            None => (entry == name).then_some(true),
        };
        let star = self.entries.iter().any(|entry| entry == "*");
        self.entries
            .iter()
            .find_map(own)
            .unwrap_or(star && by_default)
    }

    /// Checks that every selected controller is one of `known`.
    ///
    /// # Errors
    ///
    /// The first unknown name.
    pub fn check<'a>(
        &self,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), UnknownController> {
        let known: Vec<&str> = known.into_iter().collect();
        let named = self
            .entries
            .iter()
            .filter(|entry| *entry != "*")
            .map(|entry| entry.strip_prefix('-').unwrap_or(entry));
        match named.into_iter().find(|name| !known.contains(name)) {
            None => Ok(()),
            Some(name) => {
                let known = known.into_iter().map(str::to_owned).collect();
                Err(UnknownController {
                    name: name.to_owned(),
                    known,
                })
            }
        }
    }
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            entries: vec!["*".to_owned()],
        }
    }
}

impl FromStr for Selection {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let entries = text
            .split(',')
            .map(str::trim)
            .filter(|entry| !entry.is_empty());
        Ok(Self {
            entries: entries.map(str::to_owned).collect(),
        })
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.entries.join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(selection: &str, expected: [bool; 3]) {
        let selection: Selection = selection.parse().expect("it never fails");
        let enabled = [("foo", true), ("bar", true), ("off", false)]
            .map(|(name, on)| selection.is_enabled(name, on));
        assert_eq!(enabled, expected, "{selection}");
    }

    #[test]
    fn controllers_are_enabled_and_disabled_by_name() {
        check("*", [true, true, false]);
        check("*,-foo", [false, true, false]);
        check("-foo,*", [false, true, false]);
        check("foo", [true, false, false]);
        check("*,off", [true, true, true]);
        check("foo,-foo", [true, false, false]);
        check("", [false, false, false]);
        check(" * , -bar ", [true, false, false]);
    }

    #[test]
    fn an_unknown_controller_is_an_error_that_lists_the_known() {
        let selection: Selection = "*,-fo".parse().expect("it never fails");
        let error = selection.check(["foo", "bar"]).expect_err("fo is unknown");
        assert_eq!(
            error.to_string(),
            "\"fo\" is not in the list of known controllers: foo, bar"
        );
        assert!(
            "*,-foo,bar"
                .parse::<Selection>()
                .expect("it never fails")
                .check(["foo", "bar"])
                .is_ok()
        );
    }
}
