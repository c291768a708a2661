//! A rule of a schema node (`x-kubernetes-validations`), with its compiled expressions.

#[cfg(feature = "cel")]
mod compiled;

#[cfg(feature = "cel")]
pub(crate) use self::compiled::{Compiled, OldSelf, Programs};
use crate::props::Props;

/// A rule of a schema node.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    /// The expression.
    pub(crate) rule: String,
    /// Its settings and compiled expressions.
    #[cfg(feature = "cel")]
    pub(crate) compiled: Compiled,
}

impl Rule {
    /// Reads the rules of a raw node.
    pub(crate) fn read_all(props: Props<'_>) -> Vec<Self> {
        let rules = props.list("x-kubernetes-validations").iter();
        let rules = rules.filter_map(Props::new).map(|rule| Self {
            rule: rule.text("rule").trim().to_owned(),
            #[cfg(feature = "cel")]
            compiled: Compiled::new(rule),
        });
        rules.filter(|rule| !rule.rule.is_empty()).collect()
    }
}
