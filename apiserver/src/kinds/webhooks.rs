//! Validation of webhook configurations
//! (`k8s.io/kubernetes/pkg/apis/admissionregistration/validation`).

use std::collections::BTreeSet;

use kube_names::{label_1035_fault, label_key_faults, subdomain_fault};
use kube_schema::cel::{MUST_BE_BOOL, condition_faults};
use serde_json::Value;

use super::check::{label_selector, one_of};
use crate::field::{FieldError, FieldErrorKind};
use crate::metadata::object::{self, text};
use crate::webhooks::conditions::VARIABLES;

const REVIEWS: [&str; 2] = ["v1", "v1beta1"];
const SIDE_EFFECTS: [&str; 2] = ["None", "NoneOnDryRun"];
const MOST_CONDITIONS: usize = 64;

/// Validates the webhooks of a configuration.
pub(super) fn validate(configuration: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (path, webhook) in items("webhooks", &configuration["webhooks"]) {
        check_webhook(&path, webhook, &mut errors);
        let versions = &webhook["admissionReviewVersions"];
        check_review_versions(
            &format!("{path}.admissionReviewVersions"),
            versions,
            &mut errors,
        );
        let name = text(webhook, &["name"]);
        if name.is_empty() {
            continue;
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(format!("{path}.name"), name));
        }
    }
    errors
}

fn items<'v>(path: &str, list: &'v Value) -> impl Iterator<Item = (String, &'v Value)> {
    let items = list.as_array().into_iter().flatten().enumerate();
    items.map(move |(index, item)| (format!("{path}[{index}]"), item))
}

fn check_webhook(path: &str, webhook: &Value, errors: &mut Vec<FieldError>) {
    let at = |field: &str| format!("{path}.{field}");
    check_name(&at("name"), text(webhook, &["name"]), errors);
    for (path, rule) in items(&at("rules"), &webhook["rules"]) {
        check_rule(&path, rule, errors);
    }
    for (field, supported) in [
        ("failurePolicy", ["Fail", "Ignore"]),
        ("matchPolicy", ["Equivalent", "Exact"]),
    ] {
        one_of(at(field), &webhook[field], &supported, errors);
    }
    match webhook["sideEffects"].as_str() {
        None => {
            let detail = format!("must specify one of {}", SIDE_EFFECTS.join(", "));
            errors.push(FieldError::required(at("sideEffects"), detail));
        }
        Some(_) => one_of(
            at("sideEffects"),
            &webhook["sideEffects"],
            &SIDE_EFFECTS,
            errors,
        ),
    }
    let timeout = &webhook["timeoutSeconds"];
    if timeout
        .as_i64()
        .is_some_and(|seconds| !(1..=30).contains(&seconds))
    {
        let detail = "the timeout value must be between 1 and 30 seconds";
        errors.push(FieldError::invalid(
            at("timeoutSeconds"),
            timeout.clone(),
            detail,
        ));
    }
    for field in ["namespaceSelector", "objectSelector"] {
        label_selector(&at(field), &webhook[field], errors);
    }
    let policies = ["IfNeeded", "Never"];
    one_of(
        at("reinvocationPolicy"),
        &webhook["reinvocationPolicy"],
        &policies,
        errors,
    );
    check_client(&at("clientConfig"), &webhook["clientConfig"], errors);
    check_conditions(&at("matchConditions"), &webhook["matchConditions"], errors);
}

/// Checks that a name is a domain with at least three labels.
fn check_name(path: &str, name: &str, errors: &mut Vec<FieldError>) {
    if name.is_empty() {
        errors.push(FieldError::required(path, ""));
    } else if let Some(fault) = subdomain_fault(name) {
        errors.push(FieldError::invalid(path, name, fault));
    } else if name.split('.').count() < 3 {
        let detail = "should be a domain with at least three segments separated by dots";
        errors.push(FieldError::invalid(path, name, detail));
    }
}

fn check_rule(path: &str, rule: &Value, errors: &mut Vec<FieldError>) {
    let operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];
    for (field, what) in [
        ("operations", "operations"),
        ("apiGroups", "API groups"),
        ("apiVersions", "API versions"),
    ] {
        let (path, list) = (format!("{path}.{field}"), &rule[field]);
        let values = object::list(list);
        if values.is_empty() {
            errors.push(FieldError::required(path.clone(), ""));
        }
        if values.len() > 1 && values.iter().any(|v| v == "*") {
            let detail = format!("if '*' is present, must not specify other {what}");
            errors.push(FieldError::invalid(path.clone(), list.clone(), detail));
        }
        for (path, value) in items(&path, list) {
            match (field, value.as_str()) {
                ("operations", _) => one_of(path, value, &operations, errors),
                ("apiVersions", Some("")) => errors.push(FieldError::required(path, "")),
                _ => {}
            }
        }
    }
    check_resources(&format!("{path}.resources"), &rule["resources"], errors);
    let scopes = ["*", "Cluster", "Namespaced"];
    one_of(format!("{path}.scope"), &rule["scope"], &scopes, errors);
}

fn check_resources(path: &str, list: &Value, errors: &mut Vec<FieldError>) {
    let names: Vec<&str> = items(path, list)
        .map(|(_, value)| value.as_str().unwrap_or_default())
        .collect();
    if names.is_empty() {
        errors.push(FieldError::required(path, ""));
    }
    let mut wild: Vec<String> = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let here = format!("{path}[{index}]");
        if name.is_empty() {
            errors.push(FieldError::required(here, ""));
            continue;
        }
        let Some((resource, subresource)) = name.split_once('/') else {
            continue;
        };
        for pattern in [format!("{resource}/*"), format!("*/{subresource}")] {
            if wild.contains(&pattern) {
                let detail = format!("if '{pattern}' is present, must not specify {name}");
                errors.push(FieldError::invalid(here.clone(), *name, detail));
            }
        }
        if subresource == "*" || resource == "*" {
            wild.push((*name).to_owned());
        }
    }
    let has = |wanted: &str| names.contains(&wanted);
    if names.len() > 1 && has("*/*") {
        let detail = "if '*/*' is present, must not specify other resources";
        errors.push(FieldError::invalid(path, list.clone(), detail));
    }
    // As in kube-apiserver, the last one without a subresource counts.
    let plain = names
        .iter()
        .rfind(|name| !name.is_empty() && !name.contains('/'));
    if has("*") && plain.is_some_and(|name| *name != "*") {
        let detail = "if '*' is present, must not specify other resources without subresources";
        errors.push(FieldError::invalid(path, list.clone(), detail));
    }
}

fn check_review_versions(path: &str, list: &Value, errors: &mut Vec<FieldError>) {
    let known = REVIEWS.join(", ");
    let mut seen: Vec<&str> = Vec::new();
    for (path, version) in items(path, list) {
        let version = version.as_str().unwrap_or_default();
        if seen.contains(&version) {
            errors.push(FieldError::invalid(path, version, "duplicate version"));
            continue;
        }
        seen.push(version);
        if let Some(fault) = label_1035_fault(version) {
            errors.push(FieldError::invalid(path, version, fault));
        }
    }
    if seen.is_empty() {
        errors.push(FieldError::required(
            path,
            format!("must specify one of {known}"),
        ));
    } else if !seen.iter().any(|version| REVIEWS.contains(version)) {
        let detail = format!("must include at least one of {known}");
        errors.push(FieldError::invalid(path, list.clone(), detail));
    }
}

fn check_client(path: &str, client: &Value, errors: &mut Vec<FieldError>) {
    let (url, service) = (&client["url"], &client["service"]);
    match (url.as_str(), service.is_object()) {
        (Some(url), false) => check_url(&format!("{path}.url"), url, errors),
        (None, true) => check_service(&format!("{path}.service"), service, errors),
        _ => {
            let detail = "exactly one of url or service is required";
            errors.push(FieldError::required(path, detail));
        }
    }
}

fn check_url(path: &str, url: &str, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let mut refuse = |value: &str, detail: String| {
        errors.push(FieldError::invalid(path, value, detail));
    };
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    if scheme != "https" {
        refuse(
            scheme,
            format!("'https' is the only allowed URL scheme{FORM}"),
        );
    }
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = if scheme.is_empty() {
        ""
    } else {
        rest.split('/').next().unwrap_or_default()
    };
    let (user, host) = authority
        .rsplit_once('@')
        .map_or((None, authority), |(user, host)| (Some(user), host));
    if host.is_empty() {
        refuse(host, format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        refuse(
            user,
            "user information is not permitted in the URL".to_owned(),
        );
    }
    if !fragment.is_empty() {
        refuse(
            fragment,
            "fragments are not permitted in the URL".to_owned(),
        );
    }
    if !query.is_empty() {
        refuse(
            query,
            "query parameters are not permitted in the URL".to_owned(),
        );
    }
}

fn check_service(path: &str, service: &Value, errors: &mut Vec<FieldError>) {
    // kube-apiserver swaps these two arguments.
    for (field, named) in [("namespace", "name"), ("name", "namespace")] {
        if text(service, &[field]).is_empty() {
            errors.push(FieldError::required(format!("{path}.{named}"), ""));
        }
    }
    let port = &service["port"];
    if port
        .as_i64()
        .is_some_and(|port| !(1..=65535).contains(&port))
    {
        let detail = "port is not valid: must be between 1 and 65535, inclusive";
        errors.push(FieldError::invalid(
            format!("{path}.port"),
            port.clone(),
            detail,
        ));
    }
    let given = text(service, &["path"]);
    if matches!(given, "" | "/") {
        return;
    }
    let mut refuse = |detail: String| {
        errors.push(FieldError::invalid(format!("{path}.path"), given, detail));
    };
    if given == "//" {
        return refuse("segment[0] may not be empty".to_owned());
    }
    if !given.starts_with('/') {
        refuse("must start with a '/'".to_owned());
    }
    let segments = given.get(1..).unwrap_or_default();
    let segments = segments.strip_suffix('/').unwrap_or(segments);
    for (index, segment) in segments.split('/').enumerate() {
        if segment.is_empty() {
            refuse(format!("segment[{index}] may not be empty"));
        } else if let Some(fault) = subdomain_fault(segment) {
            refuse(format!("segment[{index}]: {fault}"));
        }
    }
}

fn check_conditions(path: &str, list: &Value, errors: &mut Vec<FieldError>) {
    let count = list.as_array().map_or(0, Vec::len);
    if count > MOST_CONDITIONS {
        let detail = format!("must have at most {MOST_CONDITIONS} items");
        let error = FieldError::with_value(path, FieldErrorKind::TooMany, count.into(), detail);
        errors.push(error);
    }
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for (path, condition) in items(path, list) {
        let (name, given) = (text(condition, &["name"]), text(condition, &["expression"]));
        let expression = given.trim();
        if expression.is_empty() {
            errors.push(FieldError::required(format!("{path}.expression"), ""));
        }
        for fault in condition_faults(expression, &VARIABLES) {
            let detail = match fault.as_str() {
                MUST_BE_BOOL => fault,
                _ => format!("compilation failed: {fault}"),
            };
            errors.push(FieldError::invalid(
                format!("{path}.expression"),
                expression,
                detail,
            ));
        }
        if name.is_empty() {
            errors.push(FieldError::required(format!("{path}.name"), ""));
            continue;
        }
        for fault in label_key_faults(name) {
            errors.push(FieldError::invalid(format!("{path}.name"), name, fault));
        }
        if !names.insert(name) {
            errors.push(FieldError::duplicate(format!("{path}.name"), name));
        }
    }
}
