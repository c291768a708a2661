//! A write as the webhooks see it.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::core::Core;
use crate::metadata::object;
use crate::registry::Served;
use crate::rest::Requester;
use crate::rest::conversion::convert;
use crate::status::ApiError;
use crate::webhooks::conditions;
use crate::webhooks::configuration::{Stage, Target, Webhook, webhooks};
use crate::webhooks::review::{self, Verdict};

/// A group, a version and a kind.
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

/// The kinds that no webhook sees, so that a faulty one can be taken away.
const EXEMPT: [&str; 6] = [
    "ValidatingWebhookConfiguration",
    "MutatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
];

/// A write that is up for admission.
pub(crate) struct Admission<'a> {
    pub(crate) core: &'a Arc<Core>,
    pub(crate) by: &'a Requester,
    pub(crate) served: &'a Served,
    pub(crate) subresource: &'a str,
    /// The kind of the object, if a subresource has its own.
    pub(crate) kind: Option<Kind>,
    /// `CREATE`, `UPDATE` or `DELETE`.
    pub(crate) operation: &'static str,
    pub(crate) namespace: &'a str,
    pub(crate) name: &'a str,
    pub(crate) options: Value,
    pub(crate) dry_run: bool,
}

/// The new and the old state of the object of a write.
#[derive(Clone, Copy, Debug)]
pub(super) struct States<'a> {
    pub(super) object: Option<&'a Value>,
    pub(super) old: Option<&'a Value>,
}

/// A webhook that is to be called, and in which version of the resource.
pub(super) struct Invocation {
    pub(super) webhook: Webhook,
    /// The version that its rules name, if it is another one than that of the request.
    pub(super) as_version: Option<Served>,
}

/// Why a call of a webhook came to nothing.
pub(super) enum Failed {
    /// It could not be asked, or answered nonsense: its failure policy decides.
    Call(String),
    /// The request fails, whatever the policy.
    Request(ApiError),
}

impl Admission<'_> {
    /// The webhooks of a stage, if the kind is one that they may see.
    pub(super) fn webhooks(&self, stage: Stage) -> Vec<Webhook> {
        let resource = &self.served.resource;
        if resource.group == "admissionregistration.k8s.io" && EXEMPT.contains(&&*resource.kind) {
            return Vec::new();
        }
        webhooks(self.core, stage)
    }

    /// For a namespace its own name, as kube-apiserver has it.
    fn namespace(&self) -> &str {
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
            subresource: self.subresource,
            namespace: self.namespace(),
        }
    }

    /// Whether a webhook is to be called.
    ///
    /// # Errors
    /// 404 when the namespace whose labels are asked for is gone, 403 when a condition fails and failures are not ignored.
    pub(super) async fn invocation(
        &self,
        webhook: Webhook,
        states: States<'_>,
    ) -> Result<Option<Invocation>, ApiError> {
        let in_namespace = self.in_selected_namespace(&webhook, states.object);
        if in_namespace == Ok(false) || !webhook.selects(states.object, states.old) {
            return Ok(None);
        }
        let own = &self.served.version().name;
        let as_version = match webhook.matching_rule(&self.target(own)) {
            Some(_) => None,
            None => match self.equivalent(&webhook) {
                Some(version) => Some(version),
                None => return Ok(None),
            },
        };
        in_namespace?;
        let invocation = Invocation {
            webhook,
            as_version,
        };
        let conditions = invocation.webhook.conditions();
        if !conditions.is_empty() {
            let request = self.request("", &invocation, states).await?;
            match conditions::hold(conditions, &request) {
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

    /// The version, other than the request's, by which the rules of a webhook name the resource: that of the earliest rule.
    fn equivalent(&self, webhook: &Webhook) -> Option<Served> {
        if !webhook.takes_equivalents() {
            return None;
        }
        let resource = &self.served.resource;
        let others = resource
            .versions
            .iter()
            .filter(|v| v.served && v.name != self.served.version().name);
        let matching = others.filter_map(|version| {
            let rule = webhook.matching_rule(&self.target(&version.name))?;
            Some((rule, self.served.in_version(&version.name)?))
        });
        matching
            .min_by_key(|(rule, _)| *rule)
            .map(|(_, served)| served)
    }

    fn in_selected_namespace(
        &self,
        webhook: &Webhook,
        object: Option<&Value>,
    ) -> Result<bool, ApiError> {
        use crate::store::stored::Labels;

        let is_namespace = self.served.is("", "namespaces");
        let namespace = self.namespace();
        if namespace.is_empty() && !is_namespace {
            return Ok(true);
        }
        let Some(selector) = webhook.namespaces() else {
            return Ok(true);
        };
        // A namespace that is being written has the labels that it is to have.
        if let (true, "", Some(object)) = (is_namespace, self.subresource, object) {
            return Ok(selector.matches(&Labels::of(object)));
        }
        let labels = self.core.labels_of_namespace(namespace);
        let missing = || {
            let namespaces = crate::status::GroupResource::new("", "namespaces");
            ApiError::not_found(&namespaces, namespace)
        };
        Ok(selector.matches(&labels.ok_or_else(missing)?))
    }

    /// The request of a review.
    pub(super) async fn request(
        &self,
        uid: &str,
        invocation: &Invocation,
        states: States<'_>,
    ) -> Result<Value, ApiError> {
        let asked = &self.served;
        let named = invocation.as_version.as_ref().unwrap_or(asked);
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
            "object": self.shown(states.object, invocation).await?,
            "oldObject": self.shown(states.old, invocation).await?,
            "dryRun": self.dry_run,
            "options": self.options,
        });
        for (field, value) in [
            ("subResource", self.subresource),
            ("requestSubResource", self.subresource),
            ("name", self.name),
            ("namespace", self.namespace()),
        ] {
            if !value.is_empty() {
                request[field] = json!(value);
            }
        }
        Ok(request)
    }

    /// A state in the version that a webhook wants.
    async fn shown(
        &self,
        state: Option<&Value>,
        invocation: &Invocation,
    ) -> Result<Value, ApiError> {
        match (state, &invocation.as_version) {
            (Some(state), Some(version)) if self.kind.is_none() => {
                let shown = convert(self.core, self.served, version, state.clone()).await;
                shown.map_err(|error| ApiError::internal(error.message))
            }
            (state, _) => Ok(state.cloned().unwrap_or_default()),
        }
    }

    /// Asks a webhook, and passes its warnings on.
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
        let request = self.request(&uid, invocation, states).await;
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

    /// The error of a failed call, unless the webhook's failures are ignored.
    pub(super) fn settle(webhook: &Webhook, failed: Failed) -> Result<(), ApiError> {
        match failed {
            Failed::Request(error) => Err(error),
            Failed::Call(why) => {
                let why = format!("failed calling webhook {:?}: {why}", webhook.name());
                if webhook.ignores_failures() {
                    tracing::warn!("{why}; it is ignored");
                    return Ok(());
                }
                Err(ApiError::internal(why))
            }
        }
    }
}
