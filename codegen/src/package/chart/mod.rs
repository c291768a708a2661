//! The Helm chart: each object is a template, in which holes are filled from the chart's values. With its default values, a chart deploys
//! the objects of `install.yaml`, except for the Namespace, which Helm creates.
//!
//! CRDs are templates too, so that an upgrade updates them; an annotation keeps them, and so all objects of their kinds, when the chart is
//! uninstalled.

mod deployment;
mod namespace;
mod settings;
mod sheet;

use std::{collections::BTreeMap, path::PathBuf};

use serde_json::{Map, Value, json};

use self::{
    settings::{Settings, of_type},
    sheet::Sheet,
};
use super::{Package, about::About, object::Object};
use crate::{header::TOML_MARKER, output::Tree, output::yaml::to_yaml};

/// The kinds whose objects a setting switches off: `<setting>.enabled`, and what it does.
const SWITCHES: [(&str, &str, &str); 1] = [(
    "CustomResourceDefinition",
    "crds",
    "Whether the chart installs and updates the CRDs.",
)];

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
pub(super) fn files(package: &Package) -> (Tree, Vec<String>) {
    let name = package.name();
    let mut chart = Chart {
        package,
        settings: Settings::default(),
        templates: BTreeMap::new(),
        warnings: Vec::new(),
    };
    chart.declare();
    for object in &package.objects {
        chart.add(object);
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
    (tree, chart.warnings)
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
        let docs = "Whether an uninstall keeps the CRDs. Without them, all objects of their kinds are deleted.";
        self.settings
            .add("crds.keep", docs, true.into(), of_type("boolean"));
    }

    /// Adds the template of an object.
    fn add(&mut self, object: &Object) {
        let mut sheet = Sheet::new(&object.0);
        let mut value = object.0.clone();
        match object.kind() {
            // `helm install --create-namespace` creates it.
            "Namespace" => return,
            "CustomResourceDefinition" => keep(&mut sheet, &mut value),
            "ServiceAccount" => {
                if let Some(metadata) = member(&mut value, "metadata") {
                    sheet.members(metadata, "annotations", "serviceAccount.annotations");
                }
            }
            "Deployment" => deployment::fill(self.package, &mut sheet, &mut value),
            _ => {}
        }
        let left = namespace::follow(&mut sheet, &mut value, self.package.namespace());
        self.warnings.extend(left.into_iter().map(|place| {
            format!(
                "the chart does not adapt the namespace in {place} of {} {}",
                object.kind(),
                object.name()
            )
        }));
        let mut text = sheet.print(&value);
        let mut switches = SWITCHES.iter();
        if let Some((_, setting, _)) = switches.find(|(kind, ..)| object.is(kind)) {
            text = format!("{{{{- if .Values.{setting}.enabled }}}}\n{text}{{{{- end }}}}\n");
        }
        self.templates.entry(path(object)).or_default().push(text);
    }
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

/// Lets an uninstall keep the object.
fn keep(sheet: &mut Sheet, value: &mut Value) {
    let Some(metadata) = member(value, "metadata") else {
        return;
    };
    let lines = |inside: &str| {
        let annotation = "helm.sh/resource-policy: keep";
        format!("{{{{- if .Values.crds.keep }}}}\n{inside}{annotation}\n{{{{- end }}}}")
    };
    match metadata
        .get_mut("annotations")
        .and_then(Value::as_object_mut)
    {
        Some(annotations) => {
            let block = sheet.block(&lines(""));
            annotations.insert("helm.sh/resource-policy".to_owned(), block);
        }
        None => {
            let block = sheet.block(&lines("annotations:\n  "));
            metadata.insert("annotations".to_owned(), block);
        }
    }
}
