//! Evaluates one rule for one value, like `apiextensions-apiserver/pkg/apiserver/schema/cel`.

use serde_json::Value;

use super::Place;
use crate::cel::eval::value::Node;
use crate::cel::eval::{Program, Stop, Val};
use crate::cel::view::ValueSchema;
use crate::errors::{FieldErrors, Unevaluated};
use crate::field::{FieldError, FieldErrorKind, Path};
use crate::node::Schema;
use crate::rule::{OldSelf, Programs, Rule};
use crate::types::{ListType, Types};
use crate::validate::{Old, unchanged};

/// The maximum cost of one expression, and of all expressions of an object together.
const MOST_PER_CALL: u64 = 1_000_000;
const MOST: u64 = 10_000_000;

/// The maximum length of a message expression's result, in bytes.
const LONGEST_MESSAGE: usize = 5120;

impl ValueSchema for Schema {
    fn types(&self) -> Types {
        self.types
    }

    fn format(&self) -> Option<&str> {
        self.format.as_deref()
    }

    fn is_resource(&self) -> bool {
        self.embedded
    }

    fn is_struct(&self) -> bool {
        !self.properties.is_empty()
    }

    fn field(&self, name: &str) -> Option<&dyn ValueSchema> {
        Some(Schema::field(self, name)?)
    }

    fn items(&self) -> Option<&dyn ValueSchema> {
        Some(self.items.as_deref()?)
    }

    fn list_type(&self) -> &ListType {
        &self.list_type
    }
}

/// The evaluation of the rules of one object.
pub(super) struct Evaluation {
    pub(super) found: FieldErrors,
    left: u64,
    /// Whether the budget is used up: no further rules are evaluated.
    is_over: bool,
}

impl Default for Evaluation {
    fn default() -> Self {
        Self {
            found: FieldErrors::default(),
            left: MOST,
            is_over: false,
        }
    }
}

impl Evaluation {
    /// Evaluates a rule.
    pub(super) fn check(&mut self, rule: &Rule, place: Place<'_>, path: &Path<'_>) {
        if self.is_over {
            return;
        }
        let compiled = &rule.compiled;
        let programs = match compiled.programs(&rule.rule) {
            Ok(programs) => programs,
            Err(reason) => return self.not_evaluated(rule, path, reason),
        };
        let old = place.old.filter(|old| !old.is_null());
        if programs.is_transition && old.is_none() && compiled.old_self == OldSelf::Value {
            return;
        }
        let outcome = self.run(&programs.rule, place, compiled.old_self);
        match outcome {
            Ok(Val::Bool(true)) => {}
            Ok(_) => {
                let forgiven = !programs.is_transition
                    && old.is_some_and(|value| {
                        let schema = place.schema;
                        unchanged(place.value, Old { value, schema })
                    });
                if !forgiven {
                    let message = self.message(rule, programs, place);
                    self.refuse(rule, place, path, message);
                }
            }
            Err(stop) => self.stopped(rule, place, path, stop),
        }
    }

    fn not_evaluated(&mut self, rule: &Rule, path: &Path<'_>, reason: &str) {
        self.found.add_unevaluated(Unevaluated {
            field: path.field(),
            rule: rule.rule.clone(),
            reason: reason.to_owned(),
        });
    }

    /// Runs an expression for a value.
    fn run<'v>(
        &mut self,
        program: &Program,
        place: Place<'v>,
        old_self: OldSelf,
    ) -> Result<Val<'v>, Stop> {
        let is_root = place.value.get("metadata").is_some();
        let value = |value: &'v Value| -> Result<Val<'v>, Stop> {
            Ok(match Val::of(value, Some(place.schema))? {
                Val::Node(node) => Val::Node(Node {
                    resource: node.resource || is_root,
                    ..node
                }),
                other => other,
            })
        };
        let own = value(place.value)?;
        let old = place
            .old
            .filter(|old| !old.is_null())
            .map(value)
            .transpose()?;
        let old = match (old_self, old) {
            (OldSelf::Optional, old) => old.map_or(Val::Optional(None), Val::some),
            (OldSelf::Value, old) => old.unwrap_or(Val::Null),
        };
        let most = self.left.min(MOST_PER_CALL);
        let mut left = most;
        let outcome = program.run(&[("self", own), ("oldSelf", old)], &mut left);
        self.left -= most - left;
        outcome
    }

    /// Returns the message of a rule: the result of its message expression, if there is one.
    fn message(&mut self, rule: &Rule, programs: &Programs, place: Place<'_>) -> String {
        let Some(program) = &programs.message else {
            return rule.message();
        };
        match self.run(program, place, rule.compiled.old_self) {
            Ok(Val::String(text)) => {
                let text = text.trim();
                let fits =
                    !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n');
                if fits {
                    text.to_owned()
                } else {
                    rule.message()
                }
            }
            _ => rule.message(),
        }
    }

    fn refuse(&mut self, rule: &Rule, place: Place<'_>, path: &Path<'_>, message: String) {
        let compiled = &rule.compiled;
        let below = match path.render() {
            here if here.is_empty() => compiled.field_path.trim_start_matches('.').to_owned(),
            here => format!("{here}{}", compiled.field_path),
        };
        let field = match compiled.field_path.as_str() {
            "" => path.field(),
            _ => below,
        };
        let error = match compiled.reason {
            // The server omits the message.
            FieldErrorKind::Duplicate => FieldError::new(field, compiled.reason, ""),
            reason => FieldError::new(field, reason, message),
        };
        let is_whole = place.value.is_object() || place.value.is_array();
        self.found.add(FieldError {
            value: (!is_whole).then(|| place.value.clone()),
            ..error
        });
    }

    fn stopped(&mut self, rule: &Rule, place: Place<'_>, path: &Path<'_>, stop: Stop) {
        let name = rule.name();
        let detail = match stop {
            Stop::Unsupported(reason) => return self.not_evaluated(rule, path, &reason),
            Stop::Error(error) if error.starts_with("no such overload") => format!(
                "'{error}': call arguments did not match a supported operator, function or macro signature for rule: {name}"
            ),
            Stop::Error(error) => format!("{error} evaluating rule: {name}"),
            Stop::OverBudget => {
                self.is_over = true;
                format!(
                    "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: {name}"
                )
            }
        };
        let types = place.schema.types.names();
        self.found.add(FieldError::with_value(
            path.field(),
            FieldErrorKind::Invalid,
            Value::from(types),
            detail,
        ));
    }
}
