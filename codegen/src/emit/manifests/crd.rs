//! One `CustomResourceDefinition` from all versions of a kind.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    Manifests,
    check::Check,
    refusal::refusals,
    schema::{Descriptions, Lookup, Schema, Shapes},
    size,
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    emit::{docs::describe::shortened, webhooks::client_config},
    model::{ApiSet, Conversion, Group, Origin, PrinterColumn, Resource, TypeDef, Version},
    options::Compat,
    output::yaml::Part,
};

/// A CRD.
pub(super) struct Crd {
    pub(super) plural: String,
    /// The CRD without its versions.
    rest: Value,
    /// The versions without their schemas, each with its schema.
    pub(super) versions: Vec<(Value, Arc<Schema>)>,
}

impl Crd {
    /// The complete CRD.
    pub(super) fn part(&self) -> Part<'_> {
        let versions = self.versions.iter().map(|(version, schema)| {
            let mut version = Part::members(version);
            let schema = ("openAPIV3Schema", Part::Branch(&**schema));
            version.insert("schema", Part::Map([schema].into()));
            Part::Map(version)
        });
        let mut spec = Part::members(&self.rest["spec"]);
        spec.insert("versions", Part::List(versions.collect()));
        let mut crd = Part::members(&self.rest);
        crd.insert("spec", Part::Map(spec));
        Part::Map(crd)
    }
}

/// The versions of a kind.
pub(super) struct Assembly<'a> {
    api: &'a ApiSet,
    group: &'a Group,
    kind: &'a str,
    manifests: &'a Manifests,
    compat: Compat,
    /// Whether it is checked as the API server checks it.
    judged: bool,
    /// Sorted lexically by version name.
    versions: Vec<Member<'a>>,
}

/// The kind in one version.
struct Member<'a> {
    name: &'a str,
    /// The types; `None` for a version of a CRD that the filters exclude.
    version: Option<&'a Version>,
    resource: &'a Resource,
}

impl<'a> Member<'a> {
    /// Whether it was read from a CRD, which the API server has already accepted, rather than from source code.
    fn was_read(&self) -> bool {
        self.version
            .is_none_or(|version| version.origin == Origin::Crd)
    }

    fn root(&self) -> Option<(&'a Version, &'a TypeDef)> {
        let version = self.version?;
        Some((version, version.type_def(&self.resource.root)?))
    }
}

impl<'a> Assembly<'a> {
    pub(super) fn new(
        api: &'a ApiSet,
        group: &'a Group,
        kind: &'a str,
        (manifests, compat): (&'a Manifests, Compat),
    ) -> Self {
        let of_kind = |version: &'a Version| {
            let mut resources = version.resources.iter();
            let resource = resources.find(|resource| resource.kind == kind)?;
            Some(Member {
                name: &version.name,
                version: Some(version),
                resource,
            })
        };
        let mut versions: Vec<_> = group.versions.iter().filter_map(of_kind).collect();
        let rest = versions.first().and_then(|one| one.resource.rest.as_ref());
        let left_out = rest.into_iter().flat_map(|rest| rest.left_out.iter());
        versions.extend(left_out.map(|one| Member {
            name: &one.version,
            version: None,
            resource: &one.resource,
        }));
        versions.sort_by(|a, b| a.name.cmp(b.name));
        Self {
            api,
            group,
            kind,
            manifests,
            compat,
            judged: false,
            versions,
        }
    }

    /// Reports also what the API server refuses, unless only controller-gen's checks are wanted.
    pub(super) fn judged(self) -> Self {
        Self {
            judged: self.compat == Compat::Strict,
            ..self
        }
    }

    /// Whether no version has the kind, and so there is no CRD.
    pub(super) const fn is_empty(&self) -> bool {
        self.versions.is_empty()
    }

    /// Builds the CRD.
    pub(super) fn finish(self, diagnostics: &mut Diagnostics) -> Option<Crd> {
        let first = self.versions.first()?.resource;
        if !self.versions.iter().any(Member::was_read) {
            self.check_versions(diagnostics);
        }
        let plural = self.agreed("plural", diagnostics, |one| one.plural.clone())?;
        let singular = self.agreed("singular", diagnostics, |one| one.singular.clone())?;
        let scope = self.agreed("scope", diagnostics, |one| one.scope)?;
        let short_names = self.given("short names", diagnostics, |one| &one.short_names);
        let categories = self.given("categories", diagnostics, |one| &one.categories);
        let mut names = json!({
            "kind": self.kind,
            "listKind": first.list_kind,
            "plural": plural,
            "singular": singular,
        });
        put_list(&mut names, "categories", categories);
        put_list(&mut names, "shortNames", short_names);
        let mut spec = json!({
            "group": self.group.name,
            "names": names,
            "scope": format!("{scope:?}"),
        });
        let versions = self.versions(diagnostics);
        if let Some(conversion) = self.conversion() {
            spec["conversion"] = conversion;
        }
        let name = format!("{plural}.{}", self.group.name);
        let rest = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": self.metadata(&name),
            "spec": spec,
        });
        let crd = Crd {
            plural,
            rest,
            versions,
        };
        if self.judged && !diagnostics.has_errors() && !self.versions.iter().any(Member::was_read) {
            self.check_definition(&crd, diagnostics);
        }
        if self.judged
            && self.manifests.crds.is_some()
            && let Some(warning) = size::warning(&name, &crd.part(), self.manifests.max_description)
        {
            diagnostics.push(self.placed(warning, |_| true));
        }
        Some(crd)
    }

    /// The versions without their schemas, each with its schema.
    fn versions(&self, diagnostics: &mut Diagnostics) -> Vec<(Value, Arc<Schema>)> {
        let mut shapes = Shapes::new(self.api, self.manifests, self.compat);
        let most = self.manifests.max_description;
        let mut descriptions =
            most.map(|most| Descriptions::new(move |text: &str| shortened(text, most)));
        let mut versions = Vec::new();
        for member in &self.versions {
            let resource = member.resource;
            let schema = match member.root() {
                _ if member.was_read() => Schema::of_crd(member.version, resource),
                Some((version, root)) => {
                    let schema = shapes.root(root, Lookup::of(version));
                    // Skip schemas that are incomplete because of reported errors.
                    if self.judged && !shapes.diagnostics.has_errors() {
                        let check = Check {
                            version,
                            resource,
                            root,
                            schema: &schema,
                        };
                        check.run(diagnostics);
                    }
                    schema
                }
                None => continue,
            };
            let mut schema = Arc::new(schema);
            if let Some(descriptions) = &mut descriptions {
                schema = descriptions.edit(&schema);
            }
            versions.push((self.version(member), schema));
        }
        diagnostics.extend(shapes.into_diagnostics());
        versions
    }

    /// A version without its schema.
    fn version(&self, member: &Member<'_>) -> Value {
        let resource = member.resource;
        let mut value = json!({
            "name": member.name,
            "served": resource.served,
            "storage": resource.storage || (self.versions.len() == 1 && !member.was_read()),
        });
        if let Some(warning) = &resource.deprecation {
            value["deprecated"] = true.into();
            if !warning.is_empty() {
                value["deprecationWarning"] = warning.as_str().into();
            }
        }
        let columns = resource.printer_columns.iter().map(column).collect();
        put_list(&mut value, "additionalPrinterColumns", columns);
        let fields = resource.selectable_fields.iter();
        let fields = fields.map(|field| json!({"jsonPath": field.json_path}));
        put_list(&mut value, "selectableFields", fields.collect());
        let mut subresources = Map::new();
        if resource.status_subresource {
            subresources.insert("status".to_owned(), json!({}));
        }
        if let Some(scale) = &resource.scale_subresource {
            let mut paths = json!({
                "specReplicasPath": scale.spec_replicas_path,
                "statusReplicasPath": scale.status_replicas_path,
            });
            if let Some(path) = scale
                .label_selector_path
                .as_ref()
                .filter(|path| !path.is_empty())
            {
                paths["labelSelectorPath"] = path.as_str().into();
            }
            subresources.insert("scale".to_owned(), paths);
        }
        // controller-gen writes the key whenever there are columns.
        let by_columns =
            self.compat == Compat::ControllerGen && !resource.printer_columns.is_empty();
        if !subresources.is_empty() || by_columns {
            value["subresources"] = Value::Object(subresources);
        }
        value
    }

    fn metadata(&self, name: &str) -> Value {
        let mut annotations = BTreeMap::new();
        let mut labels = BTreeMap::new();
        for member in &self.versions {
            annotations.extend(member.resource.annotations.clone());
            labels.extend(member.resource.labels.clone());
        }
        if self.manifests.attribution {
            let version = env!("CARGO_PKG_VERSION").to_owned();
            annotations.insert("kube-codegen/version".to_owned(), version);
        }
        let mut metadata = json!({"name": name});
        if !annotations.is_empty() {
            metadata["annotations"] = json!(annotations);
        }
        if !labels.is_empty() {
            metadata["labels"] = json!(labels);
        }
        metadata
    }

    fn conversion(&self) -> Option<Value> {
        let webhook = self
            .versions
            .iter()
            .find_map(|one| match &one.resource.conversion {
                Conversion::Webhook(webhook) => Some(webhook),
                Conversion::None => None,
            })?;
        let mut value = json!({"conversionReviewVersions": webhook.review_versions});
        let mut client = webhook.endpoint.as_ref().map(client_config);
        if let Some(bundle) = &webhook.ca_bundle {
            client.get_or_insert(json!({}))["caBundle"] = bundle.as_str().into();
        }
        if let Some(client) = client {
            value["clientConfig"] = client;
        }
        Some(json!({"strategy": "Webhook", "webhook": value}))
    }

    /// Exactly one version must be stored, and at least one served.
    fn check_versions(&self, diagnostics: &mut Diagnostics) {
        let stored: Vec<&str> = self
            .versions
            .iter()
            .filter(|one| one.resource.storage)
            .map(|one| one.name)
            .collect();
        let name = format!("{} of {}", self.kind, self.group.name);
        if self.versions.len() > 1 && stored.is_empty() {
            let error = Diagnostic::error(format!("{name} has no storage version"))
                .help("mark one version of the kind `+kubebuilder:storageversion`");
            diagnostics.push(self.placed(error, |_| true));
        }
        // controller-gen accepts this; the model's checks have already warned about it.
        if stored.len() > 1 && self.compat == Compat::Strict {
            let message = format!("two versions of {name} are stored: {}", stored.join(", "));
            let error = Diagnostic::error(message).help("keep one `+kubebuilder:storageversion`");
            diagnostics.push(self.placed(error, |resource| resource.storage));
        }
        if self.versions.iter().all(|one| !one.resource.served) {
            let error = Diagnostic::error(format!("no version of {name} is served"))
                .help("remove `+kubebuilder:unservedversion` from one");
            diagnostics.push(self.placed(error, |_| true));
        }
    }

    /// Reports what the API server refuses in the whole CRD, if nothing else was reported: schemas, too, whose rules were checked before.
    fn check_definition(&self, crd: &Crd, diagnostics: &mut Diagnostics) {
        for error in refusals(&crd.part().to_json()) {
            let index = error.version().unwrap_or(0);
            let (member, version) = (self.versions.get(index), crd.versions.get(index));
            let Some((member, (_, schema))) = member.zip(version) else {
                continue;
            };
            if let Some((version, root)) = member.root() {
                let check = Check {
                    version,
                    resource: member.resource,
                    root,
                    schema,
                };
                check.report(error.about(), error.diagnostic(schema), diagnostics);
            }
        }
    }

    /// A property that must be equal in all versions.
    fn agreed<T: PartialEq + std::fmt::Debug>(
        &self,
        what: &str,
        diagnostics: &mut Diagnostics,
        of: impl Fn(&Resource) -> T,
    ) -> Option<T> {
        let value = of(self.versions.first()?.resource);
        if self.versions.iter().any(|one| of(one.resource) != value) {
            self.disagree(what, diagnostics);
        }
        Some(value)
    }

    /// A list that must be equal in all versions that specify it.
    fn given(
        &self,
        what: &str,
        diagnostics: &mut Diagnostics,
        of: impl Fn(&Resource) -> &Vec<String>,
    ) -> Vec<Value> {
        let lists = self.versions.iter().map(|one| of(one.resource));
        let mut lists = lists.filter(|list| !list.is_empty());
        let first = lists.next().cloned().unwrap_or_default();
        if lists.any(|list| *list != first) {
            self.disagree(what, diagnostics);
        }
        first.into_iter().map(Value::String).collect()
    }

    fn disagree(&self, what: &str, diagnostics: &mut Diagnostics) {
        let message = format!(
            "the versions of {} of {} disagree about its {what}",
            self.kind, self.group.name
        );
        let error = Diagnostic::error(message).help(
            "a CRD has one for all versions: write the same `+kubebuilder:resource` above each",
        );
        diagnostics.push(self.placed(error, |_| true));
    }

    /// Attaches the positions of the selected versions' kinds to an error.
    fn placed(&self, error: Diagnostic, meant: impl Fn(&Resource) -> bool) -> Diagnostic {
        let versions = self.versions.iter().filter(|one| meant(one.resource));
        let places = versions.filter_map(|one| one.root()?.1.declared.place().cloned());
        places.fold(error, |error, place| error.at(place, ""))
    }
}

fn column(column: &PrinterColumn) -> Value {
    let mut value = json!({
        "jsonPath": column.json_path,
        "name": column.name,
        "type": column.type_,
    });
    let texts = [
        ("description", &column.description),
        ("format", &column.format),
    ];
    for (word, text) in texts {
        if let Some(text) = text.as_ref().filter(|text| !text.is_empty()) {
            value[word] = text.as_str().into();
        }
    }
    if column.priority != 0 {
        value["priority"] = column.priority.into();
    }
    value
}

fn put_list(value: &mut Value, word: &str, list: Vec<Value>) {
    if !list.is_empty() {
        value[word] = Value::Array(list);
    }
}
