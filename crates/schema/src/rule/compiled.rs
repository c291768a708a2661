//! The settings of a rule, and its expressions in the form that is evaluated.

use std::sync::{Arc, OnceLock};

use super::Rule;
use crate::cel::eval::Program;
use crate::field::FieldErrorKind;
use crate::props::Props;

/// A rule's settings, and its expressions, compiled on first use.
#[derive(Clone, Debug)]
pub(crate) struct Compiled {
    message: String,
    message_expression: String,
    pub(crate) reason: FieldErrorKind,
    pub(crate) field_path: String,
    pub(crate) old_self: OldSelf,
    programs: Arc<OnceLock<Result<Programs, String>>>,
}

/// The type of `oldSelf`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OldSelf {
    /// The old value; without one the rule does not apply.
    Value,
    /// An optional of the old value.
    Optional,
}

#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) rule: Program,
    pub(crate) message: Option<Program>,
    /// Whether the rule reads `oldSelf`.
    pub(crate) is_transition: bool,
}

impl Compiled {
    pub(super) fn new(rule: Props<'_>) -> Self {
        Self {
            message: rule.text("message").trim().to_owned(),
            message_expression: rule.text("messageExpression").to_owned(),
            reason: match rule.text("reason") {
                "FieldValueForbidden" => FieldErrorKind::Forbidden,
                "FieldValueRequired" => FieldErrorKind::Required,
                "FieldValueDuplicate" => FieldErrorKind::Duplicate,
                _ => FieldErrorKind::Invalid,
            },
            field_path: rule.text("fieldPath").replace("['", ".").replace("']", ""),
            old_self: if rule.flag("optionalOldSelf") {
                OldSelf::Optional
            } else {
                OldSelf::Value
            },
            programs: Arc::default(),
        }
    }

    pub(crate) fn programs(&self, rule: &str) -> Result<&Programs, &str> {
        let programs = self.programs.get_or_init(|| {
            let rule = Program::new(rule)?;
            let message = Some(&self.message_expression).filter(|text| !text.trim().is_empty());
            Ok(Programs {
                is_transition: rule.reads("oldSelf"),
                message: message.and_then(|text| Program::new(text).ok()),
                rule,
            })
        });
        programs.as_ref().map_err(String::as_str)
    }
}

impl Rule {
    /// Returns the rule as its evaluation errors name it.
    pub(crate) fn name(&self) -> &str {
        match self.compiled.message.as_str() {
            "" => &self.rule,
            message => message,
        }
    }

    pub(crate) fn message(&self) -> String {
        match self.compiled.message.as_str() {
            "" => format!("failed rule: {}", self.rule),
            message => message.to_owned(),
        }
    }
}
