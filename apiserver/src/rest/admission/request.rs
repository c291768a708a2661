//! A write, as presented to the webhooks.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::core::Core;
use crate::metadata::object;
use crate::registry::{Served, Subresource, name_of};
use crate::rest::Requester;
use crate::rest::conversion::convert;
use crate::status::ApiError;
use crate::webhooks::conditions;
use crate::webhooks::configuration::{Stage, Webhook};
use crate::webhooks::matching::{Matcher, Target};
use crate::webhooks::review::{self, Verdict};

/// The group of webhook configurations and policies.
pub(super) const GROUP: &str = "admissionregistration.k8s.io";

/// A group, version and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

impl Kind {
    pub(crate) fn new(group: &str, version: &str, kind: &str) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
        }
    }

    fn of(served: &Served) -> Self {
        let resource = &served.resource;
        Self::new(&resource.group, &served.version().name, &resource.kind)
    }

    fn json(&self) -> Value {
        json!({"group": self.group, "version": self.version, "kind": self.kind})
    }
}

/// The kinds that are exempt from admission, so that a faulty webhook or policy can be removed.
const EXEMPT: [&str; 6] = [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
];

/// A write that is subject to admission.
pub(crate) struct Admission<'a> {
    pub(crate) core: &'a Arc<Core>,
    pub(crate) by: &'a Requester,
    pub(crate) served: &'a Served,
    pub(crate) subresource: Option<Subresource>,
    /// The kind of the object, for a subresource with a kind of its own.
    pub(crate) kind: Option<Kind>,
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub(crate) operation: &'static str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) options: Value,
    pub(crate) dry_run: bool,
}

/// The new and old state of the object in a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct States<'a> {
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
}

/// A webhook to call, and the version of the resource to call it with.
pub(super) struct Invocation {
    pub(super) webhook: Webhook,
    pub(super) as_version: AsVersion,
}

/// The version that rules name, if it differs from that of the request.
pub(super) struct AsVersion(pub(super) Option<Served>);

/// Why a webhook call failed.
pub(super) enum Failed {
    /// The call failed, or the answer is invalid: the failure policy decides.
    Call(String),
    /// The request fails regardless of the failure policy.
    Request(ApiError),
}

impl Admission<'_> {
    /// Returns the webhooks of a stage in call order, by the name of the configuration, then by
    /// position; none for exempt kinds.
    pub(super) fn webhooks(&self, stage: Stage) -> Vec<Webhook> {
        if self.is_exempt() {
            return Vec::new();
        }
        let configurations = self.core.all_of(GROUP, stage.plural(), "");
        configurations
            .into_iter()
            .flat_map(Webhook::all_of)
            .collect()
    }

    /// Whether neither webhooks nor policies see the write.
    pub(super) fn is_exempt(&self) -> bool {
        let resource = &self.served.resource;
        resource.group == GROUP && EXEMPT.contains(&&*resource.kind)
    }

    /// Returns the namespace of the request; a Namespace is in itself, as in kube-apiserver.
    pub(super) fn namespace(&self) -> &str {
        if self.served.is("", "namespaces") {
            self.name
        } else {
            self.namespace
        }
    }

    fn target<'t>(&'t self, version: &'t str) -> Target<'t> {
        Target {
            operation: self.operation,
            group: &self.served.resource.group,
            version,
            plural: &self.served.resource.plural,
            subresource: name_of(self.subresource),
            namespace: self.namespace(),
            name: self.name,
        }
    }

    /// Returns how to call a webhook, or `None` if it does not match the request.
    ///
    /// # Errors
    /// 404 if the namespace whose labels are needed does not exist, 403 if a match condition fails
    /// and the failure policy is not `Ignore`.
    pub(super) async fn invocation(
        &self,
        webhook: Webhook,
        states: States<'_>,
    ) -> Result<Option<Invocation>, ApiError> {
        let Some(as_version) = self.matched(webhook.matcher(), states)? else {
            return Ok(None);
        };
        let invocation = Invocation {
            webhook,
            as_version,
        };
        let conditions = invocation.webhook.conditions();
        if !conditions.is_empty() {
            let request = self.request("", &invocation.as_version, states).await?;
            match conditions::hold(conditions, &conditions::scope(&request, &[])) {
                Ok(true) => {}
                Ok(false) => return Ok(None),
                Err(_) if invocation.webhook.ignores_failures() => return Ok(None),
                Err(why) => {
                    let resource = self.served.resource.group_resource();
                    return Err(ApiError::forbidden(&resource, self.name, &why));
                }
            }
        }
        Ok(Some(invocation))
    }

    /// Returns the version in which the request meets criteria, or `None` if it does not meet them.
    ///
    /// # Errors
    /// 404 if the namespace whose labels are needed does not exist.
    pub(super) fn matched(
        &self,
        matcher: Matcher<'_>,
        states: States<'_>,
    ) -> Result<Option<AsVersion>, ApiError> {
        let in_namespace = self.in_selected_namespace(matcher, states.object);
        if in_namespace == Ok(false) || !matcher.selects(states.object, states.old) {
            return Ok(None);
        }
        let own = &self.served.version().name;
        let as_version = match matcher.rule(&self.target(own)) {
            Some(_) => Some(AsVersion(None)),
            None => self.equivalent(matcher).map(|it| AsVersion(Some(it))),
        };
        if as_version.is_some() {
            in_namespace?;
        }
        Ok(as_version)
    }

    /// Returns the version, other than the request's, in which the first matching rule names the
    /// resource.
    fn equivalent(&self, matcher: Matcher<'_>) -> Option<Served> {
        if !matcher.takes_equivalents() {
            return None;
        }
        let resource = &self.served.resource;
        let others = resource
            .versions
            .iter()
            .filter(|v| v.served && v.name != self.served.version().name);
        let matching = others.filter_map(|version| {
            let rule = matcher.rule(&self.target(&version.name))?;
            Some((rule, self.served.in_version(&version.name)?))
        });
        matching
            .min_by_key(|(rule, _)| *rule)
            .map(|(_, served)| served)
    }

    fn in_selected_namespace(
        &self,
        matcher: Matcher<'_>,
        object: Option<&Value>,
    ) -> Result<bool, ApiError> {
        use crate::store::stored::Labels;

        let is_namespace = self.served.is("", "namespaces");
        let namespace = self.namespace();
        if namespace.is_empty() && !is_namespace {
            return Ok(true);
        }
        let Some(selector) = matcher.namespaces() else {
            return Ok(true);
        };
        // A Namespace that is being written is matched by its new labels.
        if let (true, None, Some(object)) = (is_namespace, self.subresource, object) {
            return Ok(selector.matches(&Labels::of(object)));
        }
        let labels = self.core.labels_of_namespace(namespace);
        let missing = || {
            let namespaces = crate::status::GroupResource::new("", "namespaces");
            ApiError::not_found(&namespaces, namespace)
        };
        Ok(selector.matches(&labels.ok_or_else(missing)?))
    }

    /// Builds the `request` of a review.
    pub(super) async fn request(
        &self,
        uid: &str,
        as_version: &AsVersion,
        states: States<'_>,
    ) -> Result<Value, ApiError> {
        let asked = &self.served;
        let named = as_version.0.as_ref().unwrap_or(asked);
        let resource = |served: &Served| {
            let it = &served.resource;
            json!({"group": it.group, "version": served.version().name, "resource": it.plural})
        };
        let kind = |served: &Served| self.kind.clone().unwrap_or_else(|| Kind::of(served)).json();
        let mut request = json!({
            "uid": uid,
            "kind": kind(named),
            "resource": resource(named),
            "requestKind": kind(asked),
            "requestResource": resource(asked),
            "operation": self.operation,
            "userInfo": self.by.info(),
            "object": self.shown(states.object, as_version).await?,
            "oldObject": self.shown(states.old, as_version).await?,
            "dryRun": self.dry_run,
            "options": self.options,
        });
        for (field, value) in [
            ("subResource", name_of(self.subresource)),
            ("requestSubResource", name_of(self.subresource)),
            ("name", self.name),
            ("namespace", self.namespace()),
        ] {
            if !value.is_empty() {
                request[field] = json!(value);
            }
        }
        Ok(request)
    }

    /// Converts a state to the version that a webhook or policy expects.
    async fn shown(
        &self,
        state: Option<&Value>,
        as_version: &AsVersion,
    ) -> Result<Value, ApiError> {
        match (state, &as_version.0) {
            (Some(state), Some(version)) if self.kind.is_none() => {
                let shown = convert(self.core, self.served, version, state.clone()).await;
                shown.map_err(|error| ApiError::internal(error.message))
            }
            (state, _) => Ok(state.cloned().unwrap_or_default()),
        }
    }

    /// Calls a webhook; adds its warnings to the request's.
    pub(super) async fn ask(
        &self,
        stage: Stage,
        invocation: &Invocation,
        states: States<'_>,
    ) -> Result<Verdict, Failed> {
        let webhook = &invocation.webhook;
        let name = webhook.name();
        if self.dry_run && !webhook.takes_dry_runs() {
            let why = format!("admission webhook {name:?} does not support dry run");
            return Err(Failed::Request(ApiError::bad_request(why)));
        }
        let Some(version) = webhook.review_version() else {
            let why = "webhook does not accept known AdmissionReview versions (v1, v1beta1)";
            return Err(Failed::Call(format!(
                "could not create admission objects: {why}"
            )));
        };
        let uid = object::new_uid();
        let request = self.request(&uid, &invocation.as_version, states).await;
        let review = review::review(version, &request.map_err(Failed::Request)?);
        let host = self.core.external_host(webhook.client());
        let (client, timeout) = (webhook.client(), webhook.timeout());
        let backends = &self.core.backends;
        let answer = backends
            .post(client, host.as_deref(), timeout, &review)
            .await
            .map_err(|why| Failed::Call(format!("failed to call webhook: {why}")))?;
        let verdict = review::read_verdict(version, &uid, stage == Stage::Mutating, &answer)
            .map_err(|why| Failed::Call(format!("received invalid webhook response: {why}")))?;
        self.by.warnings.extend(verdict.warnings.iter().cloned());
        match &verdict.refusal {
            Some(status) => Err(Failed::Request(review::denied(name, status))),
            None => Ok(verdict),
        }
    }

    /// Returns the error of a failed call, unless the failure policy is `Ignore`.
    pub(super) fn settle(webhook: &Webhook, failed: Failed) -> Result<(), ApiError> {
        match failed {
            Failed::Request(error) => Err(error),
            Failed::Call(why) => {
                let why = format!("failed calling webhook {:?}: {why}", webhook.name());
                if webhook.ignores_failures() {
                    tracing::warn!("{why}; ignored because of its failure policy");
                    return Ok(());
                }
                Err(ApiError::internal(why))
            }
        }
    }
}
