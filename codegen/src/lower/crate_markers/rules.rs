//! Role rules, from the `+kubebuilder:rbac` markers of a crate.

use super::{Cx, core_group};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    model::PolicyRule,
    read::markers::{At, Found, MarkerSet, rbac::Rbac},
    suggest::closest,
};

/// The API server's verbs for resources, including verbs for a single kind, such as `bind` for
/// roles.
#[rustfmt::skip]
const VERBS: [&str; 17] = [
    "*", "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy",
    "use", "bind", "escalate", "impersonate", "approve", "sign", "attest",
];

/// Verbs for non-resource URLs: HTTP methods.
const URL_VERBS: [&str; 8] = [
    "*", "get", "head", "post", "put", "patch", "delete", "options",
];

/// Builds the rules, in the order of the markers.
pub(super) fn rules(
    cx: &Cx,
    markers: &MarkerSet,
    diagnostics: &mut Diagnostics,
) -> Vec<PolicyRule> {
    let markers = markers.all::<Rbac>();
    let mut refused = Diagnostics::new();
    let rules = markers
        .map(|marker| {
            check_target(&marker, &mut refused);
            check_role(&marker, diagnostics);
            check_verbs(&marker, &mut refused);
            check_groups(cx, &marker, diagnostics);
            rule(marker.marker)
        })
        .collect();
    for found in refused {
        // controller-gen writes rules that the API server rejects.
        let severity = match cx.is_strict() {
            true => found.severity,
            false => Severity::Warning,
        };
        diagnostics.push(Diagnostic { severity, ..found });
    }
    rules
}

fn rule(marker: Rbac) -> PolicyRule {
    let list = |list: Option<At<Vec<String>>>| list.map(|list| list.value).unwrap_or_default();
    let named = |name: Option<At<String>>| name.map(|name| name.value).filter(|it| !it.is_empty());
    PolicyRule {
        groups: core_group(list(marker.groups)),
        resources: list(marker.resources),
        resource_names: list(marker.resource_names),
        verbs: marker.verbs.value,
        urls: list(marker.urls),
        namespace: named(marker.namespace),
        role_name: named(marker.role_name),
    }
}

fn is_given(list: Option<&At<Vec<String>>>) -> bool {
    list.is_some_and(|list| !list.value.is_empty())
}

/// Reports rules with both resources and URLs, with neither, or with resources but no group, which
/// the API server rejects.
fn check_target(marker: &Found<'_, Rbac>, diagnostics: &mut Diagnostics) {
    let resources = is_given(marker.resources.as_ref());
    let urls = is_given(marker.urls.as_ref());
    let mut report = |message: &str, label: &str, help: &str| {
        diagnostics.push(
            Diagnostic::error(message)
                .at(marker.place.clone(), label)
                .help(help),
        );
    };
    let apart = "write `resources=` with `groups=`, or `urls=`, in separate rules";
    let of_resources = is_given(marker.groups.as_ref()) || is_given(marker.resource_names.as_ref());
    match (resources, urls) {
        (true, true) => report("a rule needs either resources or URLs", "has both", apart),
        (false, false) => report(
            "a rule needs either resources or URLs",
            "has neither",
            apart,
        ),
        (false, true) if of_resources => report(
            "a rule for URLs must not have groups or resource names",
            "has some",
            "remove them",
        ),
        (true, false) if !is_given(marker.groups.as_ref()) => report(
            "a rule for resources needs groups",
            "has none",
            "write `groups=\"\"` for the core group, or `groups=*` for every group",
        ),
        _ => {}
    }
    if let (true, Some(namespace)) = (urls, &marker.namespace)
        && !namespace.is_empty()
    {
        diagnostics.push(
            Diagnostic::error("a rule for URLs must not have a namespace")
                .at(namespace.place.clone(), "the API server refuses it")
                .help("remove the namespace: URLs belong to the cluster"),
        );
    }
}

/// Checks the names of the role and of its namespace.
fn check_role(marker: &Found<'_, Rbac>, diagnostics: &mut Diagnostics) {
    if let Some(namespace) = &marker.namespace
        && !namespace.is_empty()
        && let Some(fault) = kube_names::label_fault(namespace)
    {
        diagnostics.push(
            Diagnostic::error(format!("invalid namespace {:?}", namespace.value))
                .at(namespace.place.clone(), "not a DNS label")
                .help(fault),
        );
    }
    if let Some(name) = &marker.role_name
        && (matches!(name.as_str(), "." | "..") || name.contains(['/', '%']))
    {
        diagnostics.push(
            Diagnostic::error(format!("invalid role name {:?}", name.value))
                .at(name.place.clone(), "not a path segment")
                .help("it must not be `.` or `..`, or contain `/` or `%`"),
        );
    }
}

fn check_verbs(marker: &Found<'_, Rbac>, diagnostics: &mut Diagnostics) {
    let verbs = &marker.verbs;
    if verbs.value.is_empty() {
        diagnostics.push(
            Diagnostic::error("a rule without verbs allows nothing")
                .at(marker.place.clone(), "no verbs")
                .help("write `verbs=get;list;watch`, or `verbs=*` for every verb"),
        );
    }
    let known: &[&str] = if is_given(marker.urls.as_ref()) {
        &URL_VERBS
    } else {
        &VERBS
    };
    for verb in &verbs.value {
        if !known.contains(&verb.as_str()) {
            let unknown = Diagnostic::warning(format!("unknown verb `{verb}` in a rule"))
                .at(verbs.part(verb), "no request has this verb");
            diagnostics.push(match closest(verb, known.iter().copied()) {
                Some(near) => unknown.help(format!("did you mean `{near}`?")),
                None => unknown.help(format!("the verbs are {}", known.join(", "))),
            });
        }
        if is_given(marker.resource_names.as_ref())
            && matches!(verb.as_str(), "create" | "deletecollection")
        {
            diagnostics.push(
                Diagnostic::warning(format!("`{verb}` is not allowed by `resourceNames`"))
                    .at(
                        verbs.part(verb),
                        "the URL of such a request contains no object name",
                    )
                    .help("allow it in a separate rule, without `resourceNames`"),
            );
        }
    }
}

/// Checks that groups do not contain versions, and that resources are lower-case plurals.
fn check_groups(cx: &Cx, marker: &Found<'_, Rbac>, diagnostics: &mut Diagnostics) {
    let empty = Vec::new();
    let groups = marker.groups.as_ref();
    for group in groups.map_or(&empty, |groups| &groups.value) {
        if let (Some((name, _)), Some(groups)) = (group.split_once('/'), groups) {
            diagnostics.push(
                Diagnostic::warning(format!("`{group}` is not an API group"))
                    .at(groups.part(group), "nothing matches it")
                    .help(format!("a rule applies to all versions: write `{name}`")),
            );
        }
    }
    let Some(resources) = &marker.resources else {
        return;
    };
    for resource in &resources.value {
        if resource.bytes().any(|byte| byte.is_ascii_uppercase()) {
            let lower = kube_names::controller_gen_plural(resource);
            diagnostics.push(
                Diagnostic::warning(format!("`{resource}` is not a resource"))
                    .at(resources.part(resource), "nothing matches it")
                    .help(format!("write the plural in lower case, such as `{lower}`")),
            );
            continue;
        }
        let mut groups = groups.map_or(&empty, |groups| &groups.value).iter();
        if let Some(group) = groups.next().filter(|_| groups.next().is_none()) {
            cx.check_resource(group, resource, &resources.part(resource), diagnostics);
        }
    }
}
