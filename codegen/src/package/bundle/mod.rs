//! The bundle for the Operator Lifecycle Manager: a ClusterServiceVersion with Deployment,
//! permissions and webhooks, and the other objects as files. OLM itself creates the namespace, the
//! service account, the roles' bindings, and what webhooks need: their Service, and their
//! certificate, which it mounts.

mod csv;
mod descriptors;
mod permissions;
mod webhooks;

use serde_json::{Value, json};

use self::permissions::Permissions;
use super::{Package, object::Object};
use crate::{
    header::TOML_MARKER,
    output::{Tree, yaml::to_yaml},
};

/// The prefix of a bundle's annotations.
const BUNDLE: &str = "operators.operatorframework.io.bundle";

/// The image with the tests of operator-sdk's scorecard: that of its release 1.42.3, as its own
/// sample has it (`testdata/go/v4/memcached-operator/config/scorecard/patches/olm.config.yaml`).
const SCORECARD: &str = "quay.io/operator-framework/scorecard-test:v1.42.3";

/// The files of the bundle, and warnings about what it cannot say.
pub(super) fn files(package: &Package) -> (Tree, Vec<String>) {
    let mut warnings = Vec::new();
    let permissions = Permissions::of(package);
    let csv = csv::service_version(package, &permissions, &mut warnings);
    let marked = |text: String| format!("{TOML_MARKER}\n{text}");
    let name = package.name();
    let mut tree = Tree::from([
        (
            format!("manifests/{name}.clusterserviceversion.yaml").into(),
            marked(to_yaml(&csv)),
        ),
        (
            "metadata/annotations.yaml".into(),
            marked(to_yaml(&json!({ "annotations": annotations(package) }))),
        ),
        (
            "tests/scorecard/config.yaml".into(),
            marked(to_yaml(&scorecard())),
        ),
        ("bundle.Dockerfile".into(), marked(dockerfile(package))),
    ]);
    for object in package
        .objects
        .iter()
        .filter(|it| is_file(package, &permissions, it))
    {
        let mut object = object.clone();
        if let Some(metadata) = object.0["metadata"].as_object_mut() {
            // OLM creates objects in the namespace that it installs to.
            metadata.remove("namespace");
        }
        if object.is("CustomResourceDefinition") {
            without_conversion(&mut object);
        }
        let kind = object.kind().to_lowercase();
        let path = format!("manifests/{}_{kind}.yaml", object.name());
        tree.insert(path.into(), marked(to_yaml(&object.0)));
    }
    (tree, warnings)
}

/// Whether an object is a file of its own: neither created by OLM nor part of the
/// ClusterServiceVersion.
fn is_file(package: &Package, permissions: &Permissions<'_>, object: &Object) -> bool {
    match object.kind() {
        "Namespace" | "Deployment" => false,
        "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration" => false,
        "ServiceAccount" => object.name() != package.service_account(),
        "Service" => !package.webhook_services().contains(&object.name()),
        "Issuer" | "Certificate" => object.group_version().0 != "cert-manager.io",
        _ => !permissions.covers(object),
    }
}

/// OLM sets the conversion of CRDs from the webhooks of the ClusterServiceVersion, with its own
/// certificate.
fn without_conversion(definition: &mut Object) {
    if let Some(spec) = definition.0["spec"].as_object_mut() {
        spec.remove("conversion");
    }
    let metadata = &mut definition.0["metadata"];
    let annotations = metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut);
    if let Some(annotations) = annotations {
        annotations.retain(|name, _| !name.starts_with("cert-manager.io/"));
        if annotations.is_empty() {
            metadata.as_object_mut().map(|it| it.remove("annotations"));
        }
    }
}

/// The channel of releases: before version 1, users do not get them without asking.
fn channel(package: &Package) -> &'static str {
    if package.version().starts_with("0.") {
        "alpha"
    } else {
        "stable"
    }
}

/// `metadata/annotations.yaml`.
fn annotations(package: &Package) -> Value {
    let channel = channel(package);
    let values = [
        ("mediatype.v1", "registry+v1"),
        ("manifests.v1", "manifests/"),
        ("metadata.v1", "metadata/"),
        ("package.v1", package.name()),
        ("channels.v1", channel),
        ("channel.default.v1", channel),
    ];
    let values = values.map(|(key, value)| (format!("{BUNDLE}.{key}"), Value::from(value)));
    let tests = [
        ("mediatype.v1", "scorecard+v1"),
        ("config.v1", "tests/scorecard/"),
    ];
    let tests = tests.map(|(key, value)| {
        let key = format!("operators.operatorframework.io.test.{key}");
        (key, Value::from(value))
    });
    Value::Object(values.into_iter().chain(tests).collect())
}

/// The tests of `operator-sdk scorecard` that need nothing but the bundle: they are pods.
fn scorecard() -> Value {
    let tests = [
        ("basic", "basic-check-spec"),
        ("olm", "olm-bundle-validation"),
        ("olm", "olm-crds-have-validation"),
        ("olm", "olm-crds-have-resources"),
        ("olm", "olm-spec-descriptors"),
        ("olm", "olm-status-descriptors"),
    ];
    let tests = tests.map(|(suite, test)| {
        json!({
            "entrypoint": ["scorecard-test", test],
            "image": SCORECARD,
            "labels": { "suite": suite, "test": format!("{test}-test") },
        })
    });
    json!({
        "apiVersion": "scorecard.operatorframework.io/v1alpha3",
        "kind": "Configuration",
        "metadata": { "name": "config" },
        "stages": [{ "parallel": true, "tests": tests }],
    })
}

/// The image of the bundle, whose labels are its annotations.
fn dockerfile(package: &Package) -> String {
    let mut text = format!(
        "#\n#   docker build -f bundle.Dockerfile -t {}-bundle .\nFROM scratch\n",
        package.name()
    );
    let annotations = annotations(package);
    for (key, value) in annotations.as_object().into_iter().flatten() {
        text += &format!("LABEL {key}={}\n", value.as_str().unwrap_or_default());
    }
    text + "COPY manifests /manifests/\nCOPY metadata /metadata/\nCOPY tests/scorecard /tests/scorecard/\n"
}
