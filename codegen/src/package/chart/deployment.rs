//! The Deployment's template: what clusters differ in is a setting, whose default is the
//! Deployment's own value.

use serde_json::{Map, Value, json};

use super::{
    super::{Package, kustomize::Image, namespaces::FLAG},
    settings::{Settings, of_type},
    template::Template,
    webhooks,
};

/// A field that is a setting of the same name.
struct Moved {
    name: &'static str,
    ty: &'static str,
    docs: &'static str,
}

const fn moved(name: &'static str, ty: &'static str, docs: &'static str) -> Moved {
    Moved { name, ty, docs }
}

/// Fields of the pod.
const OF_POD: [Moved; 7] = [
    moved(
        "imagePullSecrets",
        "array",
        "Secrets with the credentials of the image's registry, as in a pod.",
    ),
    moved("nodeSelector", "object", "Labels of the nodes to run on."),
    moved("tolerations", "array", "Taints of nodes to tolerate."),
    moved(
        "affinity",
        "object",
        "Which nodes, and which other pods' nodes, to prefer or require.",
    ),
    moved(
        "topologySpreadConstraints",
        "array",
        "How to spread replicas over zones or nodes.",
    ),
    moved(
        "priorityClassName",
        "string",
        "The class of the pods' priority.",
    ),
    moved(
        "securityContext",
        "object",
        "The security context of the pods.",
    ),
];

/// Fields of the container.
const OF_CONTAINER: [Moved; 2] = [
    moved(
        "resources",
        "object",
        "Requests and limits. The memory has to hold the objects of all watched kinds.",
    ),
    moved(
        "envFrom",
        "array",
        "Secrets and ConfigMaps whose entries become environment variables.",
    ),
];

fn pod(package: &Package) -> &Value {
    &package.deployment().0["spec"]["template"]["spec"]
}

/// Declares the settings.
pub(super) fn declare(package: &Package, settings: &mut Settings) {
    let (deployment, container) = (&package.deployment().0, package.container());
    let image = Image::parse(container["image"].as_str().unwrap_or_default());
    let tag = if image.tag == package.about.version {
        ""
    } else {
        image.tag
    };
    let text = || of_type("string");
    settings.add(
        "image.repository",
        "The image, without tag and digest.",
        image.repository.into(),
        text(),
    );
    settings.add(
        "image.tag",
        "Its tag; the chart's appVersion unless set.",
        tag.into(),
        text(),
    );
    settings.add(
        "image.digest",
        "Its digest, such as sha256:…",
        image.digest.into(),
        text(),
    );
    let policy = container["imagePullPolicy"]
        .as_str()
        .unwrap_or("IfNotPresent");
    let schema = json!({"enum": ["Always", "IfNotPresent", "Never"]});
    settings.add(
        "image.pullPolicy",
        "When to pull it.",
        policy.into(),
        schema,
    );
    let replicas = deployment["spec"]
        .get("replicas")
        .cloned()
        .unwrap_or_else(|| 1.into());
    let schema = json!({"type": "integer", "minimum": 0});
    settings.add(
        "replicas",
        "The number of pods: one leads, the others stand by.",
        replicas,
        schema,
    );
    let schema = json!({"type": "array", "items": {"type": "string"}});
    let (docs, of_watched) = match package.restricted_to().is_empty() {
        true => (
            "The namespaces whose objects to reconcile; all unless set.",
            schema.clone(),
        ),
        false => (
            "The namespaces whose objects to reconcile, each of which gets the operator's role.",
            json!({"type": "array", "items": {"type": "string"}, "minItems": 1}),
        ),
    };
    let watched = package.watched().into();
    settings.add("watchNamespaces", docs, watched, of_watched);
    settings.add("extraArgs", "More flags of the program.", json!([]), schema);
    settings.add(
        "extraEnv",
        "More environment variables, as in a container.",
        json!([]),
        of_type("array"),
    );
    for (fields, object) in [(&OF_CONTAINER[..], container), (&OF_POD[..], pod(package))] {
        for Moved { name, ty, docs } in fields {
            let own = object.get(name).cloned();
            settings.add(name, docs, own.unwrap_or_else(|| empty(ty)), of_type(ty));
        }
    }
    settings.add(
        "podLabels",
        "More labels of the pods.",
        json!({}),
        of_type("object"),
    );
    settings.add(
        "podAnnotations",
        "More annotations of the pods.",
        json!({}),
        of_type("object"),
    );
}

fn empty(ty: &str) -> Value {
    match ty {
        "array" => json!([]),
        "object" => json!({}),
        _ => json!(""),
    }
}

/// Replaces what is a setting.
pub(super) fn fill(package: &Package, template: &mut Template, object: &mut Value) {
    let replicas = template.inline(".Values.replicas");
    object["spec"]["replicas"] = replicas.into();
    let Some(Value::Object(pod_template)) = object.pointer_mut("/spec/template") else {
        return;
    };
    let metadata = pod_template.entry("metadata").or_insert_with(|| json!({}));
    if let Some(metadata) = metadata.as_object_mut() {
        template.members(metadata, "labels", "podLabels");
        template.members(metadata, "annotations", "podAnnotations");
    }
    let Some(Value::Object(pod)) = pod_template.get_mut("spec") else {
        return;
    };
    fill_fields(template, pod, &OF_POD);
    webhooks::fill(package, template, pod);
    let containers = pod.get_mut("containers").and_then(Value::as_array_mut);
    if let Some(Value::Object(container)) = containers.and_then(|it| it.first_mut()) {
        fill_container(package, template, container);
    }
}

fn fill_fields(template: &mut Template, object: &mut Map<String, Value>, fields: &[Moved]) {
    for Moved { name, ty, .. } in fields {
        if *ty == "string" {
            let lines =
                format!("{{{{- with .Values.{name} }}}}\n{name}: {{{{ . }}}}\n{{{{- end }}}}");
            let block = template.block(&lines);
            object.insert((*name).to_owned(), block);
        } else {
            template.field(object, name, name);
        }
    }
}

fn fill_container(package: &Package, template: &mut Template, container: &mut Map<String, Value>) {
    let image = template.inline(&format!("include \"{}.image\" .", package.name()));
    container.insert("image".to_owned(), image.into());
    let policy = template.inline(".Values.image.pullPolicy");
    container.insert("imagePullPolicy".to_owned(), policy.into());
    fill_fields(template, container, &OF_CONTAINER);
    let mut more = |name: &str, item: Value| {
        let items = container.entry(name).or_insert_with(|| json!([]));
        if let Some(items) = items.as_array_mut() {
            items.retain(|item| !item.as_str().is_some_and(|it| it.starts_with(FLAG)));
            items.push(item);
        }
    };
    let watched = format!(
        "{{{{- with .Values.watchNamespaces }}}}\n- {FLAG}{{{{ join \",\" . }}}}\n{{{{- end }}}}"
    );
    let watched = template.block(&watched);
    more("args", watched);
    let args = template.more("extraArgs");
    more("args", args);
    let env = template.more("extraEnv");
    more("env", env);
}
