//! Decides about accesses by the stored roles and bindings, as
//! `k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac` does.

pub(crate) mod reviews;

use serde_json::Value;

use crate::core::{AuthorizationMode, Core};
use crate::metadata::object::{name, namespace, text};
use crate::rbac::access::Target;
use crate::rbac::rules::allows;
use crate::rbac::user::{MASTERS, User};
use crate::status::{ApiError, GroupResource};
use crate::store::Key;

const GROUP: &str = "rbac.authorization.k8s.io";

/// A decision, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) allowed: bool,
    /// The binding that allows the access, or the roles that were not found; may be empty.
    pub(crate) reason: String,
}

impl Decision {
    fn allowed(reason: String) -> Self {
        Self {
            allowed: true,
            reason,
        }
    }
}

/// Decides whether `user` may do what `target` says.
pub(crate) fn authorize(core: &Core, user: &User, target: Target<'_>) -> Decision {
    if core.options.authorization == AuthorizationMode::AlwaysAllow {
        return Decision::allowed(String::new());
    }
    if user.groups().iter().any(|group| group == MASTERS) {
        return Decision::allowed(String::new());
    }
    let mut missing = Vec::new();
    for bound in bindings(core, user, target.namespace()) {
        match bound.rules(core) {
            Ok(rules) if rules.iter().any(|rule| allows(rule, target)) => {
                return Decision::allowed(format!("RBAC: allowed by {}", bound.describe()));
            }
            Ok(_) => {}
            Err(error) => missing.push(error.message),
        }
    }
    missing.dedup();
    Decision {
        allowed: false,
        reason: match missing.as_slice() {
            [] => String::new(),
            [one] => format!("RBAC: {one}"),
            many => format!("RBAC: [{}]", many.join(", ")),
        },
    }
}

/// Returns an error unless `user` may do what `target` says.
///
/// # Errors
/// 403.
pub(crate) fn require(core: &Core, user: &User, target: Target<'_>) -> Result<(), ApiError> {
    let decision = authorize(core, user, target);
    match decision.allowed {
        true => Ok(()),
        false => Err(target.forbidden(user.shown(), &decision.reason)),
    }
}

/// Returns the rules that apply to `user` in `namespace`, for a review.
pub(super) fn rules_for(core: &Core, user: &User, namespace: &str) -> Vec<Value> {
    let bound = bindings(core, user, namespace);
    let rules = bound.iter().filter_map(|it| it.rules(core).ok());
    rules.flatten().collect()
}

/// A binding that applies to a user, and the subject by which it does.
struct Bound {
    binding: Value,
    subject: Value,
}

/// Returns the cluster-wide bindings of `user` and those of `namespace`, if it is not empty.
fn bindings(core: &Core, user: &User, namespace: &str) -> Vec<Bound> {
    let mut all = core.all_of(GROUP, "clusterrolebindings", "");
    if !namespace.is_empty() {
        all.extend(core.all_of(GROUP, "rolebindings", namespace));
    }
    let bound = all.into_iter().filter_map(|binding| {
        let own = self::namespace(&binding);
        let mut subjects = binding["subjects"].as_array().into_iter().flatten();
        let subject = subjects.find(|it| user.is_subject(it, own))?.clone();
        Some(Bound { binding, subject })
    });
    bound.collect()
}

impl Bound {
    /// Returns the rules of the role.
    fn rules(&self, core: &Core) -> Result<Vec<Value>, ApiError> {
        let role = &self.binding["roleRef"];
        let (kind, name) = (text(role, &["kind"]), text(role, &["name"]));
        let namespace = match kind {
            "Role" => namespace(&self.binding),
            _ => "",
        };
        let plural = format!("{}s", kind.to_lowercase());
        let served = core.builtin(GROUP, &plural);
        let stored = served.and_then(|it| core.find(&it, &Key::new(namespace, name)));
        let stored = stored.ok_or_else(|| {
            let resource = GroupResource::new(GROUP, kind.to_lowercase());
            ApiError::not_found(&resource, name)
        })?;
        let rules = stored.decode()["rules"].take();
        Ok(match rules {
            Value::Array(rules) => rules,
            _ => Vec::new(),
        })
    }

    fn describe(&self) -> String {
        let Self { binding, subject } = self;
        let role = &binding["roleRef"];
        let (own, within) = (name(binding), namespace(binding));
        let (kind, own) = match within {
            "" => ("ClusterRoleBinding", own.to_owned()),
            within => ("RoleBinding", format!("{own}/{within}")),
        };
        let who = text(subject, &["name"]);
        let who = match text(subject, &["kind"]) {
            "ServiceAccount" => match text(subject, &["namespace"]) {
                "" => format!("{who}/{within}"),
                namespace => format!("{who}/{namespace}"),
            },
            _ => who.to_owned(),
        };
        let (role_kind, role) = (text(role, &["kind"]), text(role, &["name"]));
        let subject = text(subject, &["kind"]);
        format!("{kind} {own:?} of {role_kind} {role:?} to {subject} {who:?}")
    }
}
