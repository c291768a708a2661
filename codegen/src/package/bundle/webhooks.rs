//! Webhooks as OLM declares them. It creates their configurations and their Service, and mounts a
//! certificate.

use serde_json::{Map, Value, json};

use super::super::{CONVERSION, Package, object::Object};

/// Where OLM mounts the certificate.
const CERTIFICATE: &str = "/tmp/k8s-webhook-server/serving-certs";

/// The flags that say where the certificate comes from.
const FLAGS: [&str; 2] = ["--webhook-cert-path=", "--webhook-self-signed="];

/// The flag for a Secret that OLM's certificate is not in.
const SECRET: &str = "--webhook-secret=";

/// The fields that webhooks of configurations and of OLM have in common.
const SHARED: [&str; 8] = [
    "admissionReviewVersions",
    "failurePolicy",
    "matchPolicy",
    "objectSelector",
    "reinvocationPolicy",
    "rules",
    "sideEffects",
    "timeoutSeconds",
];

/// The fields that [`definitions`] reads besides.
const READ: [&str; 2] = ["name", "clientConfig"];

/// `webhookdefinitions` of the ClusterServiceVersion.
pub(super) fn definitions(package: &Package, warnings: &mut Vec<String>) -> Vec<Value> {
    let mut found = Vec::new();
    for object in &package.objects {
        let ty = match object.kind() {
            "MutatingWebhookConfiguration" => "MutatingAdmissionWebhook",
            "ValidatingWebhookConfiguration" => "ValidatingAdmissionWebhook",
            _ => continue,
        };
        for webhook in object.0["webhooks"].as_array().into_iter().flatten() {
            let client = &webhook["clientConfig"];
            let name = webhook["name"].as_str().unwrap_or_default();
            let mut definition = definition(package, ty, name, client);
            for (key, value) in webhook.as_object().into_iter().flatten() {
                if SHARED.contains(&key.as_str()) {
                    definition.insert(key.clone(), value.clone());
                } else if !READ.contains(&key.as_str()) {
                    warnings.push(format!(
                        "the bundle leaves out `{key}` of the webhook {name}, which OLM does not know"
                    ));
                }
            }
            found.push(Value::Object(definition));
        }
    }
    for object in &package.objects {
        let Some(client) = object.0.pointer(CONVERSION) else {
            continue;
        };
        let name = format!("c{}", object.name());
        if !package.restricted_to().is_empty() {
            warnings.push(format!(
                "OLM does not install the bundle: a conversion webhook, as of {}, needs an operator of all namespaces",
                object.name()
            ));
        }
        let mut definition = definition(package, "ConversionWebhook", &name, client);
        let versions = object
            .0
            .pointer("/spec/conversion/webhook/conversionReviewVersions");
        let versions = versions.cloned().unwrap_or_else(|| json!(["v1"]));
        definition.insert("admissionReviewVersions".to_owned(), versions);
        definition.insert("conversionCRDs".to_owned(), json!([object.name()]));
        definition.insert("sideEffects".to_owned(), "None".into());
        found.push(Value::Object(definition));
    }
    found
}

/// What webhooks of all types have.
fn definition(package: &Package, ty: &str, name: &str, client: &Value) -> Map<String, Value> {
    let service = &client["service"];
    let mut definition = Map::new();
    let mut put = |key: &str, value: Value| definition.insert(key.to_owned(), value);
    put("type", ty.into());
    put("generateName", name.into());
    put("deploymentName", package.name().into());
    put(
        "containerPort",
        service.get("port").cloned().unwrap_or_else(|| 443.into()),
    );
    put("targetPort", target_port(package, service));
    if let Some(path) = service.get("path") {
        put("webhookPath", path.clone());
    }
    definition
}

/// The port of the program, by number.
fn target_port(package: &Package, service: &Value) -> Value {
    let mut services = package.objects.iter().filter(|object| object.is("Service"));
    let found = services.find(|object| service["name"] == object.name());
    let target = found.and_then(|found| found.0.pointer("/spec/ports/0/targetPort"));
    let target = target.cloned().unwrap_or_else(|| 443.into());
    let ports = package.container()["ports"].as_array();
    let mut ports = ports.into_iter().flatten();
    let named = ports.find(|port| port["name"] == target);
    named.map_or(target, |port| port["containerPort"].clone())
}

/// Takes the certificate that OLM mounts in place of the operator's own.
pub(super) fn mount(deployment: &mut Object) {
    let Some(pod) = deployment.0.pointer_mut("/spec/template/spec") else {
        return;
    };
    let mut own = Vec::new();
    for arg in list(pod, "/containers/0/args") {
        let Some(text) = arg.as_str() else { continue };
        let mut flags = FLAGS.iter();
        if let Some(value) = flags.find_map(|flag| text.strip_prefix(flag)) {
            own.push(value.to_owned());
            *arg = format!("{}{CERTIFICATE}", FLAGS[0]).into();
        }
    }
    retain(pod, "/containers/0", "args", |arg| {
        !arg.as_str().is_some_and(|arg| arg.starts_with(SECRET))
    });
    let is_own = |mount: &Value| {
        let path = mount["mountPath"].as_str().unwrap_or_default();
        own.iter().any(|own| own == path)
    };
    let mut volumes = Vec::new();
    retain(pod, "/containers/0", "volumeMounts", |mount| {
        if is_own(mount) {
            volumes.push(mount["name"].clone());
        }
        !is_own(mount)
    });
    retain(pod, "", "volumes", |volume| {
        !volumes.contains(&volume["name"])
    });
}

fn list<'a>(value: &'a mut Value, pointer: &str) -> impl Iterator<Item = &'a mut Value> {
    let items = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    items.into_iter().flatten()
}

/// Removes items of a list, and an empty list.
fn retain(value: &mut Value, at: &str, name: &str, mut keep: impl FnMut(&Value) -> bool) {
    let Some(Value::Object(owner)) = value.pointer_mut(at) else {
        return;
    };
    if let Some(Value::Array(items)) = owner.get_mut(name) {
        items.retain(|item| keep(item));
        if items.is_empty() {
            owner.remove(name);
        }
    }
}
