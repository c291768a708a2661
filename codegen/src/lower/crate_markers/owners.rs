//! Whether the rules of a crate allow the owner references that its code writes.

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::PolicyRule,
};

/// Warns about code that blocks the deletion of owners, if no rule allows to update the finalizers
/// of any. Servers with the admission plugin OwnerReferencesPermissionEnforcement, such as
/// OpenShift, refuse such owner references. Code without rules has no role to check.
pub(in crate::lower) fn check(
    rules: &[PolicyRule],
    code: Option<&Place>,
    diagnostics: &mut Diagnostics,
) {
    let Some(code) = code.filter(|_| !rules.is_empty() && !rules.iter().any(allows)) else {
        return;
    };
    diagnostics.push(
        Diagnostic::warning("no rule allows to update the finalizers of an owner")
            .at(code.clone(), "this owner reference blocks the owner's deletion")
            .help(
                "some clusters, such as OpenShift, refuse it then: write `+kubebuilder:rbac:groups=…,resources=…/finalizers,verbs=update` \
                 with the group and plural of the owner",
            ),
    );
}

fn allows(rule: &PolicyRule) -> bool {
    let is_update = |verb: &String| matches!(verb.as_str(), "update" | "*");
    let is_finalizers = |resource: &String| resource == "*" || resource.ends_with("/finalizers");
    rule.verbs.iter().any(is_update) && rule.resources.iter().any(is_finalizers)
}
