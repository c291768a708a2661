//! The certificate of webhooks: an operator that makes its own may be given one of cert-manager's
//! instead, by a setting.

use kube_codegen_templates::operator::webhook::cert_manager::CERTIFICATE;
use serde_json::{Map, Value};

use super::{
    super::{Error, Object, Package, kustomize},
    settings::{Settings, of_type},
    template::Template,
};

/// The setting.
const SETTING: &str = "webhooks.certManager";

/// The flags of an own certificate.
const OWN: [&str; 2] = ["--webhook-self-signed=", "--webhook-secret="];

/// Where the certificate is mounted.
const FOLDER: &str = "/webhook-certificate";

/// The Certificate in the template, and its Secret.
const NAME: &str = "webhook-certificate";

/// The name of the Service in the template.
const SERVICE: &str = "webhook-service";

/// Whether the operator makes its own certificate, so that there is a choice.
fn is_own(package: &Package) -> bool {
    own_flags(package.container()).next().is_some()
}

fn own_flags(container: &Value) -> impl Iterator<Item = &str> {
    let args = container["args"].as_array().into_iter().flatten();
    let args = args.filter_map(Value::as_str);
    args.filter(|arg| OWN.iter().any(|flag| arg.starts_with(flag)))
}

pub(super) fn declare(package: &Package, settings: &mut Settings) {
    if is_own(package) {
        let path = format!("{SETTING}.enabled");
        let docs =
            "Whether cert-manager issues the certificate of the webhooks, in place of the program.";
        settings.add(&path, docs, false.into(), of_type("boolean"));
    }
}

/// The setting by which an object is deployed, and the objects that only cert-manager needs.
pub(super) fn objects(package: &Package) -> Result<Vec<Object>, Error> {
    let services = package.webhook_services();
    let Some(service) = services.first().filter(|_| is_own(package)) else {
        return Ok(Vec::new());
    };
    let text = CERTIFICATE
        .replace("{{name}}-system", package.namespace())
        .replace(SERVICE, service);
    kustomize::objects("certificate.yaml".as_ref(), &text)
}

/// The switch of [`objects`].
pub(super) const SWITCH: &str = SETTING;

/// The condition under which an object is annotated for cert-manager: the API server calls webhooks
/// by it.
pub(super) fn annotation(package: &Package, object: &Object) -> Option<Annotation> {
    let is_configuration = object.0.get("webhooks").is_some();
    let converts = object.0.pointer("/spec/conversion/webhook").is_some();
    (is_own(package) && (is_configuration || converts)).then_some(Annotation {
        condition: format!(".Values.{SETTING}.enabled"),
        line: format!("cert-manager.io/inject-ca-from: {{{{ .Release.Namespace }}}}/{NAME}"),
    })
}

/// An annotation that a setting adds.
pub(super) struct Annotation {
    pub(super) condition: String,
    pub(super) line: String,
}

impl Annotation {
    fn lines(&self) -> String {
        let Self { condition, line } = self;
        format!("{{{{- if {condition} }}}}\n{line}\n{{{{- end }}}}")
    }
}

/// Adds annotations to an object's metadata.
pub(super) fn annotate(
    template: &mut Template,
    metadata: &mut Map<String, Value>,
    annotations: &[Annotation],
) {
    if annotations.is_empty() {
        return;
    }
    let lines: Vec<String> = annotations.iter().map(Annotation::lines).collect();
    if let Some(Value::Object(members)) = metadata.get_mut("annotations") {
        // The key only sorts the lines to the end.
        members.insert("~".to_owned(), template.block(&lines.join("\n")));
        return;
    }
    let conditions: Vec<&str> = annotations.iter().map(|it| it.condition.as_str()).collect();
    let any = match conditions.as_slice() {
        [one] => (*one).to_owned(),
        several => format!("or {}", several.join(" ")),
    };
    let inner = lines.join("\n").replace('\n', "\n  ");
    let block = format!("{{{{- if {any} }}}}\nannotations:\n  {inner}\n{{{{- end }}}}");
    metadata.insert("annotations".to_owned(), template.block(&block));
}

/// Chooses the flags and the volume by the setting.
pub(super) fn fill(package: &Package, template: &mut Template, pod: &mut Map<String, Value>) {
    if !is_own(package) {
        return;
    }
    let own: Vec<String> = own_flags(package.container())
        .map(|flag| format!("- {flag}"))
        .collect();
    let choice = format!(
        "{{{{- if .Values.{SETTING}.enabled }}}}\n- --webhook-cert-path={FOLDER}\n{{{{- else }}}}\n{}\n{{{{- end }}}}",
        own.join("\n")
    );
    let volume = format!("- name: {NAME}\n  secret:\n    secretName: {NAME}");
    add_item(template, pod, "volumes", &volume);
    let containers = pod.get_mut("containers").and_then(Value::as_array_mut);
    let Some(Value::Object(container)) = containers.and_then(|it| it.first_mut()) else {
        return;
    };
    let mount = format!("- mountPath: {FOLDER}\n  name: {NAME}\n  readOnly: true");
    add_item(template, container, "volumeMounts", &mount);
    if let Some(Value::Array(args)) = container.get_mut("args") {
        args.retain(|arg| {
            let text = arg.as_str().unwrap_or_default();
            !OWN.iter().any(|flag| text.starts_with(flag))
        });
        args.push(template.block(&choice));
    }
}

/// Adds an item to a list, if cert-manager issues the certificate.
fn add_item(template: &mut Template, owner: &mut Map<String, Value>, name: &str, item: &str) {
    let lines =
        |inner: &str| format!("{{{{- if .Values.{SETTING}.enabled }}}}\n{inner}\n{{{{- end }}}}");
    match owner.get_mut(name) {
        Some(Value::Array(items)) => items.push(template.block(&lines(item))),
        _ => {
            let block = template.block(&lines(&format!("{name}:\n{item}")));
            owner.insert(name.to_owned(), block);
        }
    }
}
