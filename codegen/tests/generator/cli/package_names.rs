//! Names follow a kustomization that deploys the operator's config under another namespace and
//! prefix.

use std::fs;

use serde_json::{Value, json};

use crate::cli::sandbox::testdata;

/// The text of what kustomize builds from the sample operator's config under the namespace `team-a`
/// and the prefix `blue-`, as `hack/packages.sh names` wrote it.
fn text(file: &str) -> String {
    fs::read_to_string(testdata().join("operator-renamed").join(file)).unwrap()
}

/// The objects of a file.
fn renamed(file: &str) -> Vec<Value> {
    serde_saphyr::from_multiple(&text(file)).unwrap()
}

/// The only object of a kind, or the first.
fn find<'a>(objects: &'a [Value], kind: &str) -> &'a Value {
    let mut objects = objects.iter();
    objects.find(|object| object["kind"] == kind).unwrap()
}

/// The names of the objects of a kind.
fn names_of(objects: &[Value], kind: &str) -> Vec<Value> {
    let objects = objects.iter().filter(|object| object["kind"] == kind);
    let names = objects.map(|object| object["metadata"]["name"].clone());
    names.collect()
}

/// Adds all values with a key, at any depth.
fn values_of<'a>(value: &'a Value, key: &str, found: &mut Vec<&'a Value>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                if name == key {
                    found.push(value);
                }
                values_of(value, key, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| values_of(item, key, found)),
        _ => {}
    }
}

#[test]
fn bindings_and_webhooks_refer_to_objects_by_their_new_names() {
    for file in ["self-signed.yaml", "cert-manager.yaml"] {
        assert!(!text(file).contains("sample-operator-system"), "{file}");
        let objects = renamed(file);
        let check_there = |kind: &str, name: &Value| {
            let names = names_of(&objects, kind);
            assert!(
                names.contains(name),
                "{file}: no {kind} {name} in {names:?}"
            );
        };
        let mut services = Vec::new();
        for object in &objects {
            values_of(object, "service", &mut services);
            let Some(role) = object.get("roleRef") else {
                continue;
            };
            check_there(role["kind"].as_str().unwrap(), &role["name"]);
            for subject in object["subjects"].as_array().unwrap() {
                check_there("ServiceAccount", &subject["name"]);
                assert_eq!(subject["namespace"], "team-a");
            }
        }
        let is_client = |service: &&&Value| service.get("path").is_some();
        let clients = services.iter().filter(is_client).count();
        assert!(clients >= 3, "{file}: two configurations and a conversion");
        for service in services.iter().filter(|service| service.is_object()) {
            check_there("Service", &service["name"]);
            assert_eq!(service["namespace"], "team-a", "{file}");
        }
    }
}

#[test]
fn flags_and_roles_of_a_self_signed_certificate_follow() {
    let objects = renamed("self-signed.yaml");
    let container = &find(&objects, "Deployment")["spec"]["template"]["spec"]["containers"][0];
    let args = container["args"].as_array().unwrap();
    let flag = json!("--webhook-self-signed=$(POD_NAMESPACE)/$(WEBHOOK_SERVICE)");
    assert!(args.contains(&flag), "{args:?}");
    let service = json!({"name": "WEBHOOK_SERVICE", "value": "blue-webhook-service"});
    assert!(container["env"].as_array().unwrap().contains(&service));
    let mut named = Vec::new();
    for role in objects
        .iter()
        .filter(|object| object["kind"] == "ClusterRole")
    {
        for rule in role["rules"].as_array().unwrap() {
            let is_of_webhooks = rule["apiGroups"][0] == "admissionregistration.k8s.io";
            named.extend(
                rule.get("resourceNames")
                    .filter(|_| is_of_webhooks)
                    .cloned(),
            );
        }
    }
    let configurations = names_of(&objects, "ValidatingWebhookConfiguration");
    assert_eq!(named, [Value::from(configurations)]);
}

#[test]
fn the_certificate_of_cert_manager_follows() {
    let objects = renamed("cert-manager.yaml");
    let certificate = find(&objects, "Certificate");
    let hosts = json!([
        "blue-webhook-service.team-a.svc",
        "blue-webhook-service.team-a.svc.cluster.local",
    ]);
    assert_eq!(certificate["spec"]["dnsNames"], hosts);
    let issuer = &certificate["spec"]["issuerRef"]["name"];
    assert!(names_of(&objects, "Issuer").contains(issuer), "{issuer}");
    let annotation = "/metadata/annotations/cert-manager.io~1inject-ca-from";
    let injected = objects
        .iter()
        .filter_map(|object| object.pointer(annotation));
    let injected: Vec<&Value> = injected.collect();
    assert_eq!(injected, ["team-a/blue-webhook-certificate"; 4]);
}
