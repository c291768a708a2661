//! What single built-in kinds do on writes beside the common rules.

use serde_json::{Value, json};

use super::{namespaces, rules};
use crate::core::Core;
use crate::object;
use crate::registry::Served;
use crate::schema::FieldError;
use crate::types::{self, base64};

fn kind_of(served: &Served) -> (&str, &str) {
    if served.resource.is_custom() {
        return ("", "");
    }
    (&served.resource.group, &served.resource.kind)
}

/// Fills in what a kind's strategy sets on create.
pub(crate) fn prepare_create(core: &Core, served: &Served, object: &mut Value) {
    match kind_of(served) {
        ("", "Namespace") => namespaces::prepare(object),
        ("", "Secret") => secret(object),
        ("apiextensions.k8s.io", _) => super::crd_kind::prepare(core, None, object),
        (group, kind) if !kind.is_empty() => {
            crate::defaults::apply(group, kind, object);
            crate::defaults::initial_status(group, kind, object);
            complete(core, (group, kind), None, object);
            // A status that has just been made has its empty values written, too.
            let name = types::type_name(group, &served.version().name, kind);
            drop(types::normal::normalise(&name, object));
        }
        _ => {}
    }
}

/// Fills in what depends on the object's identity or on others.
fn complete(core: &Core, kind: (&str, &str), old: Option<&Value>, object: &mut Value) {
    match kind {
        ("", "Service") => {
            let taken: Vec<Value> = core
                .builtin("", "services")
                .map(|served| core.store.snapshot(served.resource.id, "").objects)
                .unwrap_or_default()
                .iter()
                .map(|stored| stored.decode())
                .collect();
            crate::defaults::services::allocate(old, object, &taken);
        }
        ("batch", "Job") if old.is_none() && object["spec"]["manualSelector"] != json!(true) => {
            job_labels(object)
        }
        ("apps", "DaemonSet") => {
            let changed =
                old.is_some_and(|old| old["spec"]["template"] != object["spec"]["template"]);
            template_generation(old, object, changed);
        }
        ("", "PersistentVolume") if old.is_none() => {
            let now = object::rfc3339(core.now());
            object::child(object::fields(object), "status")
                .insert("lastPhaseTransitionTime".into(), json!(now));
        }
        ("", "Node") if old.is_none() => {
            let taint = json!({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"});
            let spec = object::child(object::fields(object), "spec");
            if let Value::Array(taints) = spec.entry("taints").or_insert_with(|| json!([]))
                && !taints.contains(&taint)
            {
                taints.push(taint);
            }
        }
        _ => {}
    }
}

/// Counts the templates of a daemon set, in the annotation that has outlived its field.
fn template_generation(old: Option<&Value>, object: &mut Value, changed: bool) {
    const KEY: &str = "deprecated.daemonset.template.generation";
    let before = old
        .and_then(|old| {
            old["metadata"]["annotations"]
                .get(KEY)?
                .as_str()?
                .parse::<i64>()
                .ok()
        })
        .unwrap_or_default();
    let count = before + i64::from(changed || old.is_none());
    let annotations = object::child(object::metadata(object), "annotations");
    annotations.insert(KEY.to_owned(), json!(count.to_string()));
}

/// Ties a job's pods to it by labels of its uid and name.
fn job_labels(job: &mut Value) {
    let (uid, name) = (object::uid(job).to_owned(), object::name(job).to_owned());
    let labels = [
        ("batch.kubernetes.io/controller-uid", &uid),
        ("batch.kubernetes.io/job-name", &name),
        ("controller-uid", &uid),
        ("job-name", &name),
    ];
    let spec = object::child(object::fields(job), "spec");
    let pod = object::child(
        object::child(object::child(spec, "template"), "metadata"),
        "labels",
    );
    for (key, value) in labels {
        pod.insert(key.to_owned(), json!(value));
    }
    let pod_labels = pod.clone();
    spec.insert("manualSelector".into(), json!(false));
    spec.insert(
        "selector".into(),
        json!({"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}),
    );
    let own = object::child(object::metadata(job), "labels");
    if own.is_empty() {
        *own = pod_labels;
    }
}

/// Fills in what a kind's strategy keeps or sets on update.
pub(crate) fn prepare_update(
    core: &Core,
    served: &Served,
    subresource: &str,
    old: &Value,
    new: &mut Value,
) {
    match kind_of(served) {
        ("", "Namespace") if subresource.is_empty() => {
            let finalizers = old["spec"].get("finalizers").cloned();
            if let Some(list) = finalizers {
                object::child(object::fields(new), "spec").insert("finalizers".into(), list);
            }
            let name = object::name(new).to_owned();
            let labels = object::child(object::metadata(new), "labels");
            labels.insert("kubernetes.io/metadata.name".into(), json!(name));
        }
        ("apiextensions.k8s.io", _) => super::crd_kind::prepare(core, Some(old), new),
        ("", "Secret") => secret(new),
        (group, kind) if !kind.is_empty() => {
            crate::defaults::apply(group, kind, new);
            complete(core, (group, kind), Some(old), new);
        }
        _ => {}
    }
}

/// What a kind shows while it is being deleted.
pub(crate) fn prepare_delete(_core: &Core, served: &Served, object: &mut Value) {
    if namespaces::is_namespaces(served) && object::is_deleting(object) {
        object::child(object::fields(object), "status")
            .insert("phase".into(), json!("Terminating"));
    }
}

/// What is wrong with an object of a built-in kind.
pub(crate) fn validate(
    core: &Core,
    served: &Served,
    old: Option<&Value>,
    object: &Value,
) -> Vec<FieldError> {
    match kind_of(served) {
        ("", "") => rules::scale_fields(served, object),
        ("apiextensions.k8s.io", _) => super::crd_kind::validate(core, old, object),
        ("", "Pod") => match old {
            None => rules::pod_spec(&object["spec"], "spec"),
            Some(old) => rules::pod_update(old, object),
        },
        ("", "Service") => rules::service(old, object),
        ("coordination.k8s.io", "Lease") => rules::lease(object),
        ("", "ConfigMap" | "Secret") => rules::immutable_data(served, old, object),
        ("apps", "StatefulSet") => {
            let mut errors = rules::workload(old, object);
            errors.extend(
                old.map(|old| rules::stateful_set_update(old, object))
                    .unwrap_or_default(),
            );
            errors
        }
        ("apps", "Deployment" | "ReplicaSet" | "DaemonSet") => rules::workload(old, object),
        ("batch", "Job") => rules::job(old.map(|old| &old["spec"]), &object["spec"], "spec"),
        ("batch", "CronJob") => rules::cron_job(old, object),
        (_, "Event") => rules::event(object),
        ("rbac.authorization.k8s.io", "Role" | "ClusterRole") => rules::rbac::role(served, object),
        ("rbac.authorization.k8s.io", "RoleBinding" | "ClusterRoleBinding") => {
            rules::rbac::binding(served, old, object)
        }
        _ => Vec::new(),
    }
}

/// The text values of a secret join its data.
fn secret(object: &mut Value) {
    let fields = object::fields(object);
    if let Some(Value::Object(texts)) = fields.remove("stringData") {
        let data = object::child(fields, "data");
        for (key, text) in texts {
            let text = text.as_str().unwrap_or_default();
            data.insert(key, json!(base64::encode(text.as_bytes())));
        }
    }
    crate::defaults::apply("", "Secret", object);
}
