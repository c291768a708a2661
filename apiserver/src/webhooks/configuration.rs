//! Webhook configurations, and the requests that their webhooks match.

use std::time::Duration;

use serde_json::Value;

use super::matching::{Matcher, texts};
use crate::metadata::object::{list, text};

/// The two kinds of admission webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Mutating,
    Validating,
}

impl Stage {
    /// The resource of its configurations.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            Self::Mutating => "mutatingwebhookconfigurations",
            Self::Validating => "validatingwebhookconfigurations",
        }
    }
}

/// A webhook of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Webhook(Value);

impl Webhook {
    /// The webhooks of a configuration, in call order.
    pub(crate) fn all_of(mut configuration: Value) -> impl Iterator<Item = Self> {
        let webhooks = match configuration["webhooks"].take() {
            Value::Array(list) => list,
            _ => Vec::new(),
        };
        webhooks.into_iter().map(Self)
    }

    pub(crate) fn name(&self) -> &str {
        text(&self.0, &["name"])
    }

    pub(crate) fn client(&self) -> &Value {
        &self.0["clientConfig"]
    }

    pub(crate) fn timeout(&self) -> Duration {
        let seconds = self.0["timeoutSeconds"].as_u64();
        Duration::from_secs(seconds.unwrap_or(10))
    }

    pub(crate) fn ignores_failures(&self) -> bool {
        text(&self.0, &["failurePolicy"]) == "Ignore"
    }

    pub(crate) fn is_reinvoked(&self) -> bool {
        text(&self.0, &["reinvocationPolicy"]) == "IfNeeded"
    }

    pub(crate) fn takes_dry_runs(&self) -> bool {
        matches!(text(&self.0, &["sideEffects"]), "None" | "NoneOnDryRun")
    }

    /// Returns the first review version that both sides support.
    pub(crate) fn review_version(&self) -> Option<&str> {
        texts(&self.0["admissionReviewVersions"])
            .find(|version| matches!(*version, "v1" | "v1beta1"))
    }

    pub(crate) fn conditions(&self) -> &[Value] {
        list(&self.0["matchConditions"])
    }

    /// Returns what the webhook is called for.
    pub(crate) fn matcher(&self) -> Matcher<'_> {
        Matcher::of_webhook(&self.0)
    }
}
