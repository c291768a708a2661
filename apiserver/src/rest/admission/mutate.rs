//! Mutating webhooks (`k8s.io/apiserver/pkg/admission/plugin/webhook/mutating`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::request::{Admission, Failed, Invocation, States};
use crate::apply;
use crate::metadata::object;
use crate::patch::{self, PatchError};
use crate::rest::conversion::convert;
use crate::rest::{intake, strategy};
use crate::status::ApiError;
use crate::webhooks::configuration::{Stage, Webhook};

/// The webhooks to call a second time, because a later webhook changed the object.
#[derive(Default)]
struct Reinvocation {
    /// The webhooks called so far whose reinvocation policy is `IfNeeded`.
    previous: BTreeSet<usize>,
    again: BTreeSet<usize>,
}

impl Admission<'_> {
    /// Whether any webhooks are configured.
    pub(crate) fn has_webhooks(&self) -> bool {
        self.may_mutate() || !self.webhooks(Stage::Validating).is_empty()
    }

    /// Whether any mutating webhooks are configured.
    pub(crate) fn may_mutate(&self) -> bool {
        !self.webhooks(Stage::Mutating).is_empty()
    }

    /// Calls the mutating webhooks in order, each on the result of the previous one. A deletion has
    /// no object.
    ///
    /// # Errors
    /// If a webhook rejects the request, or fails with a failure policy other than `Ignore`.
    pub(crate) async fn mutate(
        &self,
        object: Option<&mut Value>,
        old: Option<&Value>,
    ) -> Result<(), ApiError> {
        let webhooks = self.webhooks(Stage::Mutating);
        if webhooks.is_empty() {
            return Ok(());
        }
        let mut own = object.as_deref().cloned();
        let mut state = Reinvocation::default();
        for (number, webhook) in webhooks.iter().enumerate() {
            self.call(number, webhook, &mut own, old, &mut state)
                .await?;
        }
        // Webhooks are reinvoked at most once.
        for (number, webhook) in webhooks.iter().enumerate() {
            if state.again.contains(&number) {
                self.call(number, webhook, &mut own, old, &mut state)
                    .await?;
            }
        }
        if let (Some(object), Some(mut own)) = (object, own) {
            self.mend_managed(object, &mut own);
            *object = own;
        }
        Ok(())
    }

    /// Restores the managed fields of an object if webhooks corrupted them
    /// (`k8s.io/apiserver/pkg/endpoints/handlers/fieldmanager`).
    fn mend_managed(&self, before: &Value, object: &mut Value) {
        let managed = |object: &Value| object["metadata"].get("managedFields").cloned();
        let was = managed(before);
        if was == managed(object) {
            return;
        }
        if let Err(why) = apply::check_managed(object) {
            object::set_meta(object, "managedFields", was);
            self.by.warnings.extend([format!(
                ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated \
mutating admission controller; please fix your requests: {why}"
            )]);
        }
    }

    async fn call(
        &self,
        number: usize,
        webhook: &Webhook,
        object: &mut Option<Value>,
        old: Option<&Value>,
        state: &mut Reinvocation,
    ) -> Result<(), ApiError> {
        let states = States {
            object: object.as_ref(),
            old,
        };
        let Some(invocation) = self.invocation(webhook.clone(), states).await? else {
            return Ok(());
        };
        match self.changed_by(&invocation, states).await {
            Ok(Some(changed)) => {
                if states.object != Some(&changed) {
                    state.again.append(&mut state.previous);
                }
                *object = Some(changed);
            }
            Ok(None) => {}
            Err(failed) => Self::settle(webhook, failed)?,
        }
        if webhook.is_reinvoked() {
            state.previous.insert(number);
        }
        Ok(())
    }

    /// Returns the object as changed by a webhook, if it is changed.
    async fn changed_by(
        &self,
        invocation: &Invocation,
        states: States<'_>,
    ) -> Result<Option<Value>, Failed> {
        let verdict = self.ask(Stage::Mutating, invocation, states).await?;
        let Some(bytes) = verdict.patch.filter(|bytes| !is_empty_patch(bytes)) else {
            return Ok(None);
        };
        let request = |why: String| Failed::Request(ApiError::internal(why));
        let Some(object) = states.object else {
            return Err(request(format!(
                "admission webhook {:?} attempted to modify the object, which is not supported for this operation",
                invocation.webhook.name()
            )));
        };
        let version = invocation
            .as_version
            .0
            .as_ref()
            .filter(|_| self.kind.is_none());
        let object = match version {
            Some(version) => {
                let shown = convert(self.core, self.served, version, object.clone()).await;
                shown.map_err(|error| request(error.message))?
            }
            None => object.clone(),
        };
        let patched = patch::json_patch(&object, &bytes).map_err(|error| match error {
            PatchError::BadRequest(why) => Failed::Call(format!(
                "received undecodable patch in webhook response: {}",
                why.trim_start_matches("error decoding patch: ")
            )),
            PatchError::TooLarge(why) | PatchError::Unprocessable(why) => request(why),
        })?;
        let mut patched = match version {
            Some(version) => {
                let back = convert(self.core, version, self.served, patched).await;
                back.map_err(|error| request(error.message))?
            }
            None => patched,
        };
        if self.kind.is_none() {
            intake::check_type(self.served, self.subresource, &mut patched).map_err(|error| {
                match error.code {
                    422 => Failed::Request(error),
                    _ => request(error.message),
                }
            })?;
            intake::shape(self.served, &mut patched).map_err(request)?;
            strategy::set_defaults(self.served, &mut patched);
        }
        Ok(Some(patched))
    }
}

/// Whether a patch has no operations.
fn is_empty_patch(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Vec<Value>>(bytes).is_ok_and(|operations| operations.is_empty())
}
