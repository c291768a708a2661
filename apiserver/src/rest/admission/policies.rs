//! Validating admission policies (`k8s.io/apiserver/pkg/admission/plugin/policy/validating`).
//!
//! Expressions are not checked when a policy is created: one that cannot be evaluated fails, and
//! its failure policy decides.

use kube_schema::cel::{Scope, Undecided};
use serde_json::Value;

use super::request::{Admission, AsVersion, GROUP, States};
use crate::metadata::object::{self, list, text};
use crate::registry::Served;
use crate::selector::LabelSelector;
use crate::status::{ApiError, StatusCause};
use crate::store::Key;
use crate::webhooks::conditions;
use crate::webhooks::matching::Matcher;

/// What a failed validation says.
#[derive(Debug)]
struct Finding {
    message: String,
    /// Empty for the default.
    reason: String,
}

/// A finding, with the objects that led to it.
struct Denial {
    policy: String,
    /// `None` if the policy itself cannot be applied.
    binding: Option<String>,
    finding: Finding,
}

impl Denial {
    fn message(&self) -> String {
        let Self {
            policy,
            binding,
            finding,
        } = self;
        let binding = match binding {
            Some(binding) => format!(" with binding '{binding}'"),
            None => String::new(),
        };
        format!(
            "ValidatingAdmissionPolicy '{policy}'{binding} denied request: {}",
            finding.message
        )
    }
}

fn ignores_failures(policy: &Value) -> bool {
    text(policy, &["spec", "failurePolicy"]) == "Ignore"
}

impl Admission<'_> {
    /// Checks a write against the policies that are bound.
    ///
    /// # Errors
    /// The first denial, with the reason of its validation: 422 unless it says otherwise.
    pub(super) async fn check_policies(&self, states: States<'_>) -> Result<(), ApiError> {
        if self.is_exempt() {
            return Ok(());
        }
        let bindings = self
            .core
            .all_of(GROUP, "validatingadmissionpolicybindings", "");
        if bindings.is_empty() {
            return Ok(());
        }
        let mut denials = Vec::new();
        for policy in self.core.all_of(GROUP, "validatingadmissionpolicies", "") {
            let name = object::name(&policy);
            let bound = |it: &&Value| text(it, &["spec", "policyName"]) == name;
            let bindings: Vec<&Value> = bindings.iter().filter(bound).collect();
            if !bindings.is_empty() {
                denials.extend(self.judge(&policy, &bindings, states).await?);
            }
        }
        match denials.first() {
            Some(denial) => Err(self.refuse(denial)),
            None => Ok(()),
        }
    }

    /// Returns what a policy denies, and adds the warnings that its bindings ask for.
    async fn judge(
        &self,
        policy: &Value,
        bindings: &[&Value],
        states: States<'_>,
    ) -> Result<Vec<Denial>, ApiError> {
        let criteria = &policy["spec"]["matchConstraints"];
        let as_version = match self.meets(criteria, states) {
            Ok(None) => return Ok(Vec::new()),
            Ok(Some(as_version)) => as_version,
            Err(_) if ignores_failures(policy) => return Ok(Vec::new()),
            Err(why) => return Ok(vec![unusable(policy, None, &why.message)]),
        };
        let request = self.request("", &as_version, states).await?;
        let namespace = self.namespace_object();
        let mut denials = Vec::new();
        for binding in bindings {
            let criteria = &binding["spec"]["matchResources"];
            let params = match self.meets(criteria, states) {
                Ok(None) => continue,
                Ok(Some(_)) => self.params(policy, binding),
                Err(why) => Err(why.message),
            };
            let params = match params {
                Ok(params) => params,
                Err(_) if ignores_failures(policy) => continue,
                Err(why) => {
                    denials.push(unusable(policy, Some(binding), &why));
                    continue;
                }
            };
            let findings = params.iter().flat_map(|params| {
                let more = [("namespaceObject", &namespace), ("params", params)];
                validate(policy, conditions::scope(&request, &more))
            });
            for finding in findings {
                denials.extend(self.act(policy, binding, finding));
            }
        }
        Ok(denials)
    }

    /// Returns the version in which the request meets criteria, or `None` if it does not meet them.
    fn meets(&self, criteria: &Value, states: States<'_>) -> Result<Option<AsVersion>, ApiError> {
        if self.matched(Matcher::excluded(criteria), states)?.is_some() {
            return Ok(None);
        }
        self.matched(Matcher::of_policy(criteria), states)
    }

    /// Returns the Namespace of the request's object; null for cluster-scoped objects.
    fn namespace_object(&self) -> Value {
        let namespaces = self.core.builtin("", "namespaces");
        let namespaces = namespaces.filter(|_| !self.served.is("", "namespaces"));
        let found = namespaces.and_then(|served| {
            let stored = self.core.find(&served, &Key::new("", self.namespace))?;
            Some(served.decode(&stored))
        });
        found.unwrap_or_default()
    }

    /// Returns the parameters that a binding names: none if there are none and it allows that, null
    /// for a policy without parameters (`CollectParams`).
    fn params(&self, policy: &Value, binding: &Value) -> Result<Vec<Value>, String> {
        let kind = &policy["spec"]["paramKind"];
        let reference = &binding["spec"]["paramRef"];
        if kind.is_null() || reference.is_null() {
            return Ok(vec![Value::Null]);
        }
        let (api_version, kind) = (text(kind, &["apiVersion"]), text(kind, &["kind"]));
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let served = self.core.registry.lookup_kind(group, version, kind);
        let served = served.ok_or_else(|| {
            format!("failed to find resource referenced by paramKind: '{api_version}, Kind={kind}'")
        })?;
        let namespace = self.params_namespace(&served, text(reference, &["namespace"]))?;
        let found = match text(reference, &["name"]) {
            "" => {
                let selector = LabelSelector::of(&reference["selector"]);
                let snapshot = self.core.store.snapshot(served.resource.id, namespace);
                let stored = snapshot.objects.iter();
                let stored = stored.filter(|it| selector.matches(&it.labels));
                stored.map(|it| served.decode(it)).collect()
            }
            name => {
                let stored = self.core.find(&served, &Key::new(namespace, name));
                stored
                    .iter()
                    .map(|it| served.decode(it))
                    .collect::<Vec<_>>()
            }
        };
        let denies = text(reference, &["parameterNotFoundAction"]) == "Deny";
        if found.is_empty() && denies {
            return Err(
                "no params found for policy binding with `Deny` parameterNotFoundAction".to_owned(),
            );
        }
        Ok(found)
    }

    fn params_namespace<'n>(&'n self, served: &Served, named: &'n str) -> Result<&'n str, String> {
        let why = match (served.resource.namespaced, named, self.namespace) {
            (false, "", _) => return Ok(""),
            (true, "", own) if !own.is_empty() => return Ok(own),
            (true, named, _) if !named.is_empty() => return Ok(named),
            (false, ..) => {
                "paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
            }
            (true, ..) => {
                "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources"
            }
        };
        Err(why.to_owned())
    }

    /// Does what a binding asks for when a validation fails.
    fn act(&self, policy: &Value, binding: &Value, finding: Finding) -> Option<Denial> {
        let actions = list(&binding["spec"]["validationActions"]);
        let (policy, binding) = (object::name(policy), object::name(binding));
        if actions.iter().any(|action| action == "Warn") {
            self.by.warnings.extend([format!(
                "Validation failed for ValidatingAdmissionPolicy '{policy}' with binding '{binding}': {}",
                finding.message
            )]);
        }
        let denies = actions.iter().any(|action| action == "Deny");
        denies.then(|| Denial {
            policy: policy.to_owned(),
            binding: Some(binding.to_owned()),
            finding,
        })
    }

    fn refuse(&self, denial: &Denial) -> ApiError {
        let message = denial.message();
        let resource = self.served.resource.group_resource();
        let mut error = ApiError::forbidden(&resource, self.name, &message);
        let reason = match denial.finding.reason.as_str() {
            "" => "Invalid",
            reason => reason,
        };
        error.code = match reason {
            "Unauthorized" => 401,
            "Forbidden" => 403,
            "RequestEntityTooLarge" => 413,
            _ => 422,
        };
        error.reason = reason.to_owned().into();
        error.with_causes(vec![StatusCause {
            reason: "".into(),
            message,
            field: String::new(),
        }])
    }
}

/// The denial of a policy or binding that cannot be applied.
fn unusable(policy: &Value, binding: Option<&Value>, why: &str) -> Denial {
    let what = match binding {
        Some(_) => "binding",
        None => "policy",
    };
    Denial {
        policy: object::name(policy).to_owned(),
        binding: binding.map(|it| object::name(it).to_owned()),
        finding: Finding {
            message: format!("failed to configure {what}: {why}"),
            reason: String::new(),
        },
    }
}

/// Returns the validations of a policy that do not hold, or the failures of its expressions unless
/// these are ignored.
fn validate(policy: &Value, mut scope: Result<Scope<'_>, Undecided>) -> Vec<Finding> {
    let spec = &policy["spec"];
    let failed = |message: String| Finding {
        message,
        reason: String::new(),
    };
    let keep = |finding: Finding| (!ignores_failures(policy)).then_some(finding);
    if let Ok(scope) = &mut scope {
        for variable in list(&spec["variables"]) {
            let expression = text(variable, &["expression"]);
            scope.compose(text(variable, &["name"]), expression.trim());
        }
    }
    match conditions::hold(list(&spec["matchConditions"]), &scope) {
        Ok(true) => {}
        Ok(false) => return Vec::new(),
        Err(why) => return keep(failed(why)).into_iter().collect(),
    }
    let validations = list(&spec["validations"]).iter();
    let findings = validations.filter_map(|validation| {
        let expression = text(validation, &["expression"]).trim();
        match conditions::holds(&scope, expression) {
            Ok(true) => None,
            Ok(false) => Some(Finding {
                message: message(validation, expression, scope.as_ref().ok()),
                reason: text(validation, &["reason"]).to_owned(),
            }),
            Err(why) => keep(failed(why)),
        }
    });
    findings.collect()
}

/// Returns the message of a validation that does not hold.
fn message(validation: &Value, expression: &str, scope: Option<&Scope<'_>>) -> String {
    let computed = text(validation, &["messageExpression"]);
    let computed = scope
        .filter(|_| !computed.is_empty())
        .and_then(|scope| scope.text(computed));
    let computed = computed
        .as_deref()
        .map(str::trim)
        .filter(|message| !message.is_empty() && !message.contains('\n'));
    match (computed, text(validation, &["message"]).trim()) {
        (Some(message), _) => message.to_owned(),
        (None, "") => format!("failed expression: {expression}"),
        (None, message) => message.to_owned(),
    }
}
