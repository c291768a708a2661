//! Validating webhooks (`k8s.io/apiserver/pkg/admission/plugin/webhook/validating`).

use futures::future::join_all;
use serde_json::Value;

use super::request::{Admission, Invocation, States};
use crate::status::ApiError;
use crate::webhooks::configuration::Stage;

impl Admission<'_> {
    /// Checks owner references and policies, and calls all validating webhooks concurrently. A
    /// deletion has no object.
    ///
    /// # Errors
    /// 403 for owner references that the user may not set, the first denial of a policy, the first
    /// rejection in the order of the webhooks, or the first failure that is not ignored.
    pub(crate) async fn validate(
        &self,
        object: Option<&Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        self.check_owners(object, old)?;
        let states = States { object, old };
        self.check_policies(states).await?;
        let mut invocations = Vec::new();
        for webhook in self.webhooks(Stage::Validating) {
            invocations.extend(self.invocation(webhook, states).await?);
        }
        if invocations.is_empty() {
            return Ok(());
        }
        let calls = invocations.iter().map(|it| self.verdict(it, states));
        join_all(calls).await.into_iter().collect()
    }

    async fn verdict(&self, invocation: &Invocation, states: States<'_>) -> Result<(), ApiError> {
        match self.ask(Stage::Validating, invocation, states).await {
            Ok(_) => Ok(()),
            Err(failed) => Self::settle(&invocation.webhook, failed),
        }
    }

    /// Runs both stages for a request whose object is not stored: a deletion, binding or eviction.
    ///
    /// # Errors
    /// Those of [`mutate`](Self::mutate) and [`validate`](Self::validate).
    pub(crate) async fn admit(
        &self,
        mut object: Option<&mut Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        self.mutate(object.as_deref_mut(), old).await?;
        self.validate(object.as_deref(), old).await
    }
}
