//! The Helm chart: each object is a template, in which holes are filled from the chart's values.
//! With its default values, a chart deploys the objects of `install.yaml`, except for the
//! Namespace, which Helm creates.
//!
//! CRDs are templates too, so that an upgrade updates them; an annotation keeps them, and so all
//! objects of their kinds, when the chart is uninstalled.

mod deployment;
mod namespace;
mod settings;
mod template;
mod webhooks;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

use serde_json::{Map, Value, json};

use self::{
    settings::{Settings, of_type},
    template::Template,
};
use super::{Error, Package, about::About, object::Object};
use crate::{header::TOML_MARKER, output::Tree, output::yaml::to_yaml};

/// The kinds whose objects a setting switches off: `<setting>.enabled`, and what it does.
const SWITCHES: [(&str, &str, &str); 2] = [
    (
        "CustomResourceDefinition",
        "crds",
        "Whether the chart installs and updates the CRDs.",
    ),
    (
        "PodDisruptionBudget",
        "podDisruptionBudget",
        "Whether to limit how many replicas a drain of nodes may interrupt at once.",
    ),
];

const HELPERS: &str = r#"{{- define "NAME.image" -}}
{{- $image := .Values.image -}}
{{- $image.repository }}
{{- if or $image.tag (not $image.digest) }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- with $image.digest }}@{{ . }}{{ end }}
{{- end }}
"#;

const NOTES: &str = r"NAME {{ .Chart.AppVersion }} runs in the namespace {{ .Release.Namespace }}:

  kubectl --namespace {{ .Release.Namespace }} get deployment NAME
{{- if .Values.crds.keep }}

`helm uninstall {{ .Release.Name }}` keeps the CRDs and the objects of their kinds.
{{- end }}
";

/// The files of the chart, and warnings about what it does not adapt.
///
/// # Errors
///
/// None, unless the template of a certificate is no YAML.
pub(super) fn files(package: &Package) -> Result<(Tree, Vec<String>), Error> {
    let name = package.name();
    let mut chart = Chart {
        package,
        settings: Settings::default(),
        templates: BTreeMap::new(),
        warnings: Vec::new(),
    };
    chart.declare();
    for object in &package.objects {
        let mut switches = SWITCHES.iter();
        let switch = switches.find(|(kind, ..)| object.is(kind));
        let file = chart.add(object, switch.map(|(_, setting, _)| *setting));
        chart.file(path(object), file);
    }
    for object in webhooks::objects(package)? {
        let file = chart.add(&object, Some(webhooks::SWITCH));
        chart.file(path(&object), file);
    }
    for (part, objects) in &package.parts {
        let setting = camel(part);
        for object in objects {
            let file = chart.add(object, Some(&setting));
            chart.file(format!("{part}.yaml"), file);
        }
    }
    let marked = |text: String| format!("{TOML_MARKER}\n{text}");
    let silent = |text: &str| {
        let marker = TOML_MARKER.trim_start_matches("# ");
        format!("{{{{- /* {marker} */ -}}}}\n{}", text.replace("NAME", name))
    };
    let mut tree = Tree::from([
        (
            "Chart.yaml".into(),
            marked(to_yaml(&metadata(name, &package.about))),
        ),
        (".helmignore".into(), marked(".git\n*.tgz\n".to_owned())),
        ("values.yaml".into(), chart.settings.values()),
        ("values.schema.json".into(), chart.settings.schema()),
        ("templates/_helpers.tpl".into(), silent(HELPERS)),
        ("templates/NOTES.txt".into(), silent(NOTES)),
    ]);
    for (path, templates) in chart.templates {
        let path = PathBuf::from("templates").join(path);
        tree.insert(path, marked(templates.join("---\n")));
    }
    Ok((tree, chart.warnings))
}

/// `Chart.yaml`.
fn metadata(name: &str, about: &About) -> Value {
    let mut chart = json!({
        "apiVersion": "v2",
        "name": name,
        "type": "application",
        "version": about.version,
        "appVersion": about.version,
    });
    let texts = [
        ("description", &about.description),
        ("home", &about.homepage),
    ];
    for (key, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
        chart[key] = text.as_str().into();
    }
    if !about.repository.is_empty() {
        chart["sources"] = json!([about.repository]);
    }
    if !about.keywords.is_empty() {
        chart["keywords"] = json!(about.keywords);
    }
    let maintainers: Vec<Value> = about.maintainers().map(|person| person.to_json()).collect();
    if !maintainers.is_empty() {
        chart["maintainers"] = maintainers.into();
    }
    chart
}

struct Chart<'a> {
    package: &'a Package,
    settings: Settings,
    /// Templates by the path of their file.
    templates: BTreeMap<String, Vec<String>>,
    warnings: Vec<String>,
}

impl Chart<'_> {
    /// Declares the settings.
    fn declare(&mut self) {
        deployment::declare(self.package, &mut self.settings);
        webhooks::declare(self.package, &mut self.settings);
        let docs = "Annotations of the service account, such as the role of a cloud provider.";
        self.settings.add(
            "serviceAccount.annotations",
            docs,
            json!({}),
            of_type("object"),
        );
        for (kind, setting, docs) in SWITCHES {
            if self.package.objects.iter().any(|object| object.is(kind)) {
                let path = format!("{setting}.enabled");
                self.settings
                    .add(&path, docs, true.into(), of_type("boolean"));
            }
        }
        for (part, objects) in &self.package.parts {
            let kinds: BTreeSet<&str> = objects.iter().map(Object::kind).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let docs = format!("Whether to deploy the part {part}: {}.", kinds.join(", "));
            let path = format!("{}.enabled", camel(part));
            self.settings
                .add(&path, &docs, false.into(), of_type("boolean"));
        }
        let docs = "Whether an uninstall keeps the CRDs. Without them, all objects of their kinds are deleted.";
        self.settings
            .add("crds.keep", docs, true.into(), of_type("boolean"));
    }

    /// Adds a template to a file.
    fn file(&mut self, path: String, template: Option<String>) {
        if let Some(template) = template {
            self.templates.entry(path).or_default().push(template);
        }
    }

    /// The template of an object, which the setting `<switch>.enabled` switches on and off.
    fn add(&mut self, object: &Object, switch: Option<&str>) -> Option<String> {
        let mut template = Template::new(&object.0);
        let mut value = object.0.clone();
        let is_repeated = self.package.is_repeated(object);
        match object.kind() {
            // `helm install --create-namespace` creates it.
            "Namespace" => return None,
            // The first one stands for all.
            _ if is_repeated && self.package.watched().first() != Some(&object.namespace()) => {
                return None;
            }
            _ if is_repeated => {
                value["metadata"]["namespace"] = template.inline(".").into();
            }
            "ServiceAccount" => {
                if let Some(metadata) = member(&mut value, "metadata") {
                    template.members(metadata, "annotations", "serviceAccount.annotations");
                }
            }
            "Deployment" => deployment::fill(self.package, &mut template, &mut value),
            _ => {}
        }
        let mut annotations = Vec::new();
        if object.is("CustomResourceDefinition") {
            annotations.push(webhooks::Annotation {
                condition: ".Values.crds.keep".to_owned(),
                line: "helm.sh/resource-policy: keep".to_owned(),
            });
        }
        annotations.extend(webhooks::annotation(self.package, object));
        if let Some(metadata) = member(&mut value, "metadata") {
            webhooks::annotate(&mut template, metadata, &annotations);
        }
        // Within the loop, the dot is a watched namespace.
        let of_release = match is_repeated {
            true => "$.Release.Namespace",
            false => ".Release.Namespace",
        };
        let own = self.package.namespace();
        let left = namespace::follow(&mut template, &mut value, own, of_release);
        self.warnings.extend(left.into_iter().map(|place| {
            format!(
                "the chart does not adapt the namespace in {place} of {} {}",
                object.kind(),
                object.name()
            )
        }));
        let text = template.print(&value);
        Some(match switch {
            _ if is_repeated => {
                format!("{{{{- range .Values.watchNamespaces }}}}\n---\n{text}{{{{- end }}}}\n")
            }
            Some(switch) => {
                format!("{{{{- if .Values.{switch}.enabled }}}}\n{text}{{{{- end }}}}\n")
            }
            None => text,
        })
    }
}

/// `network-policies` as `networkPolicies`, the name of a setting.
fn camel(name: &str) -> String {
    let mut words = name.split(['-', '_', '.']);
    let mut text = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut letters = word.chars();
        text.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        text.push_str(letters.as_str());
    }
    text
}

/// The file of an object's template: one for each CRD, and one for all objects of any other kind.
fn path(object: &Object) -> String {
    match object.kind() {
        "CustomResourceDefinition" => format!("crds/{}.yaml", object.name()),
        kind => format!("{}.yaml", kind.to_lowercase()),
    }
}

/// A member that is a map.
fn member<'a>(value: &'a mut Value, name: &str) -> Option<&'a mut Map<String, Value>> {
    value.get_mut(name)?.as_object_mut()
}
