//! The ClusterServiceVersion: a release of the operator, as OLM lists and installs it.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{
    super::{CONTAINER, Package, namespaces::FLAG, object::Object},
    channel, descriptors,
    permissions::Permissions,
    webhooks,
};

/// The icon of operators without one of their own.
const ICON: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 64 64\"><path d=\"M32 4l24 14v28L32 60 8 46V18z\" fill=\"#326ce5\"/><circle cx=\"32\" cy=\"32\" r=\"11\" fill=\"none\" stroke=\"#fff\" stroke-width=\"5\"/></svg>";

/// How OLM may restrict an operator to namespaces: as its roles are. A conversion webhook allows
/// nothing but `AllNamespaces`.
fn install_modes(is_restricted: bool) -> Value {
    let modes = [
        ("OwnNamespace", is_restricted),
        ("SingleNamespace", is_restricted),
        ("MultiNamespace", is_restricted),
        ("AllNamespaces", !is_restricted),
    ];
    let modes = modes.map(|(ty, supported)| json!({ "type": ty, "supported": supported }));
    json!(modes)
}

/// The environment variable with the namespaces that OLM installs the operator for.
const TARGETS: &str = "OLM_TARGET_NAMESPACES";

/// Lets a restricted program watch the namespaces that OLM installs it for.
fn follow_targets(container: &mut Value) {
    if let Some(args) = container["args"].as_array_mut() {
        for arg in args {
            if arg.as_str().is_some_and(|arg| arg.starts_with(FLAG)) {
                *arg = format!("{FLAG}$({TARGETS})").into();
            }
        }
    }
    let targets = json!({
        "name": TARGETS,
        "valueFrom": { "fieldRef": { "fieldPath": "metadata.annotations['olm.targetNamespaces']" } },
    });
    match container["env"].as_array_mut() {
        Some(env) => env.push(targets),
        None => container["env"] = json!([targets]),
    }
}

pub(super) fn service_version(
    package: &Package,
    permissions: &Permissions<'_>,
    warnings: &mut Vec<String>,
) -> Value {
    let (name, version, about) = (package.name(), package.version(), &package.about);
    let definitions = package.objects.iter();
    let definitions = definitions.filter(|object| object.is("CustomResourceDefinition"));
    let owned: Vec<Value> = definitions
        .flat_map(|it| descriptors::owned(&it.0))
        .collect();
    let display_name = descriptors::words(name);
    let described = match about.description.as_str() {
        "" => format!("The operator {name}."),
        text => text.to_owned(),
    };
    let mut annotations = json!({
        "alm-examples": examples(package, &owned),
        "capabilities": "Basic Install",
        "containerImage": package.container()["image"],
        "description": described,
        "operatorframework.io/suggested-namespace": package.namespace(),
    });
    if !about.repository.is_empty() {
        annotations["repository"] = about.repository.as_str().into();
    }
    let mut spec = json!({
        "displayName": display_name,
        "description": described,
        "version": version,
        "maturity": channel(package),
        "provider": { "name": about.provider().unwrap_or(&display_name) },
        "icon": [icon(package)],
        "customresourcedefinitions": { "owned": owned },
        "install": install(package, permissions),
        "installModes": install_modes(!package.restricted_to().is_empty()),
    });
    let links = [("Home", &about.homepage), ("Sources", &about.repository)];
    let links = links.into_iter().filter(|(_, url)| !url.is_empty());
    let links = links.map(|(name, url)| json!({ "name": name, "url": url }));
    let maintainers = about.maintainers().filter(|it| it.has_mail());
    let lists: [(&str, Vec<Value>); 4] = [
        (
            "keywords",
            about.keywords.iter().map(|it| it.as_str().into()).collect(),
        ),
        ("links", links.collect()),
        (
            "maintainers",
            maintainers.map(|person| person.to_json()).collect(),
        ),
        (
            "webhookdefinitions",
            webhooks::definitions(package, warnings),
        ),
    ];
    for (key, items) in lists.into_iter().filter(|(_, items)| !items.is_empty()) {
        spec[key] = items.into();
    }
    json!({
        "apiVersion": "operators.coreos.com/v1alpha1",
        "kind": "ClusterServiceVersion",
        "metadata": {
            "name": format!("{name}.v{version}"),
            // OLM sets the namespace.
            "namespace": "placeholder",
            "annotations": annotations,
        },
        "spec": spec,
    })
}

/// Deployment and permissions.
fn install(package: &Package, permissions: &Permissions<'_>) -> Value {
    let mut deployment = package.deployment().clone();
    webhooks::mount(&mut deployment);
    if !package.restricted_to().is_empty()
        && let Some(container) = deployment.0.pointer_mut(CONTAINER)
    {
        follow_targets(container);
    }
    let mut entry = json!({ "name": package.name(), "spec": deployment.0["spec"] });
    if let Some(labels) = deployment.0["metadata"].get("labels") {
        entry["label"] = labels.clone();
    }
    let mut spec = json!({ "deployments": [entry] });
    let [everywhere, in_namespace] = permissions.to_json(package.service_account());
    for (key, permissions) in [
        ("clusterPermissions", everywhere),
        ("permissions", in_namespace),
    ] {
        if permissions != json!([]) {
            spec[key] = permissions;
        }
    }
    json!({ "strategy": "deployment", "spec": spec })
}

/// Samples of the owned kinds, in the order of their files, as JSON in a text.
fn examples(package: &Package, owned: &[Value]) -> String {
    let is_owned = |sample: &&Object| {
        let (group, version) = sample.group_version();
        owned.iter().any(|entry| {
            let of_group = entry["name"].as_str().and_then(|name| name.split_once('.'));
            of_group.is_some_and(|(_, name)| name == group)
                && entry["version"] == version
                && entry["kind"] == sample.kind()
        })
    };
    let samples = package.samples.iter().filter(is_owned);
    let samples: Value = samples.map(|sample| sample.0.clone()).collect();
    format!("{samples:#}")
}

fn icon(package: &Package) -> Value {
    let (media, data) = match &package.about.icon {
        Some(icon) => (icon.media, icon.bytes.as_slice()),
        None => ("image/svg+xml", ICON.as_bytes()),
    };
    json!({ "base64data": STANDARD.encode(data), "mediatype": media })
}
