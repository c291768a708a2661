//! Conditions: the entries of `status.conditions`, maintained by the rules of the [API
//! conventions].
//!
//! ```
//! use codegen_runtime::condition;
//! # use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
//! let mut conditions: Vec<Condition> = Vec::new();
//! condition::set(&mut conditions, condition::new("Ready", false, "Scaling", "2 of 3 pods are ready", Some(4)));
//! assert!(!condition::is_true(&conditions, "Ready"));
//! ```
//!
//! [API conventions]: https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api-conventions.md#typical-status-properties

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{Condition, Time};

/// The longest message that the API server accepts, in bytes.
const MAX_MESSAGE: usize = 32_768;

/// Creates a condition with the current time. `reason` is one word in UpperCamelCase; `generation`
/// is the observed `metadata.generation`. A message that exceeds the API server's limit is
/// truncated.
pub fn new(
    type_: &str,
    is_true: bool,
    reason: &str,
    message: impl Into<String>,
    generation: Option<i64>,
) -> Condition {
    let mut message: String = message.into();
    let mut end = MAX_MESSAGE.min(message.len());
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message.truncate(end);
    Condition {
        type_: type_.to_owned(),
        status: if is_true { "True" } else { "False" }.to_owned(),
        reason: reason.to_owned(),
        message,
        observed_generation: generation,
        last_transition_time: Time(Timestamp::now()),
    }
}

/// Sets the condition of its type, like apimachinery's `meta.SetStatusCondition`; returns whether
/// anything changed.
///
/// The time of the last transition changes only when the condition's status does.
pub fn set(conditions: &mut Vec<Condition>, mut condition: Condition) -> bool {
    let old = conditions
        .iter_mut()
        .find(|old| old.type_ == condition.type_);
    let Some(old) = old else {
        conditions.push(condition);
        return true;
    };
    if old.status == condition.status {
        condition.last_transition_time = old.last_transition_time.clone();
    }
    let is_changed = *old != condition;
    *old = condition;
    is_changed
}

/// Returns the condition of a type.
pub fn find<'a>(conditions: &'a [Condition], type_: &str) -> Option<&'a Condition> {
    conditions.iter().find(|it| it.type_ == type_)
}

/// Whether the condition of a type is present and `True`.
pub fn is_true(conditions: &[Condition], type_: &str) -> bool {
    find(conditions, type_).is_some_and(|it| it.status == "True")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64, is_true: bool, reason: &str) -> Condition {
        Condition {
            last_transition_time: Time(
                Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(seconds),
            ),
            ..new("Ready", is_true, reason, "", Some(1))
        }
    }

    #[test]
    fn the_time_of_transition_stays_while_the_status_does() {
        let mut conditions = vec![new("Other", true, "Fine", "", None)];
        assert!(set(&mut conditions, at(1, false, "Scaling")));
        assert!(set(&mut conditions, at(2, false, "Waiting")));
        assert_eq!(find(&conditions, "Ready"), Some(&at(1, false, "Waiting")));
        assert!(!set(&mut conditions, at(3, false, "Waiting")));
        assert!(set(&mut conditions, at(4, true, "Running")));
        assert_eq!(find(&conditions, "Ready"), Some(&at(4, true, "Running")));
        assert_eq!(conditions.len(), 2);
        assert!(is_true(&conditions, "Ready") && !is_true(&conditions, "Absent"));
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let condition = new("Ready", false, "Failed", "é".repeat(MAX_MESSAGE), None);
        assert_eq!(condition.message.len(), MAX_MESSAGE);
        let odd = format!("x{}", "é".repeat(MAX_MESSAGE));
        assert_eq!(
            new("Ready", false, "Failed", odd, None).message.len(),
            MAX_MESSAGE - 1
        );
    }
}
