//! Checks of a finished schema, for errors that the API server would report and for mistakes that it would silently ignore.
//!
//! Findings are reported at the field that their path leads to, as far as the version's types allow.

use super::{
    about::{About, path_of, shown},
    rules::check_rules,
    schema::{PRESERVE, Schema},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{DeclaredAt, Origin, Resource, TypeDef, TypeKind, TypeRef, Version},
    suggest::closest,
};

/// One version of a kind.
pub(super) struct Check<'a> {
    pub(super) version: &'a Version,
    pub(super) resource: &'a Resource,
    pub(super) root: &'a TypeDef,
    pub(super) schema: &'a Schema,
}

/// The maximum number of selectable fields that the API server allows.
const MOST_SELECTABLE: usize = 8;

/// How many further places of a finding are named.
const FEW: usize = 3;

/// The name suffixes of markers that findings refer to.
pub(super) const SELECTABLE: &str = "selectablefield";
pub(super) const SCALE: &str = "subresource:scale";

impl Check<'_> {
    /// Whether kube derives the kind, and with it the same CRD.
    pub(super) fn is_derived(&self) -> bool {
        let item = self.root.item.as_ref();
        item.is_some_and(|item| item.kube_derive)
    }

    /// Adds all findings.
    pub(super) fn run(&self, diagnostics: &mut Diagnostics) {
        self.columns(diagnostics);
        self.selectable_fields(diagnostics);
        self.scale(diagnostics);
        let mut report = |about: About<'_>, error| self.report(about, error, diagnostics);
        check_rules(&self.resource.kind, self.schema, &mut report);
        self.walk(self.schema, &mut Vec::new(), diagnostics);
        self.embedded_metadata(diagnostics);
    }

    /// Columns must read existing fields of types that can be printed.
    fn columns(&self, diagnostics: &mut Diagnostics) {
        for column in &self.resource.printer_columns {
            let what = format!("the column `{}`", column.name);
            if column.json_path.is_empty() {
                let error = Diagnostic::error(format!("{what} has no JSONPath"))
                    .help("write the path of its value, such as `JSONPath=.spec.replicas`");
                self.report(
                    About::marker(&[], "printcolumn", &column.name),
                    error,
                    diagnostics,
                );
                continue;
            }
            let Some(Some(schema)) =
                self.resolve(&what, "printcolumn", &column.json_path, diagnostics)
            else {
                continue;
            };
            let Some(found) = schema.ty() else { continue };
            let fits = match column.type_.as_str() {
                "integer" | "number" => matches!(found, "integer" | "number"),
                "boolean" => found == "boolean",
                "date" => found == "string",
                _ => true,
            };
            if !fits {
                let message = format!(
                    "{what} is of type {}, and `{}` of type {found}",
                    column.type_, column.json_path
                );
                let help = format!(
                    "kubectl would show nothing: write `type={}`",
                    shown_as(found)
                );
                let path = path_of(&column.json_path);
                let about = About::marker(&path, "printcolumn", &column.json_path);
                self.report(about, Diagnostic::error(message).help(help), diagnostics);
            }
        }
    }

    fn selectable_fields(&self, diagnostics: &mut Diagnostics) {
        let fields = &self.resource.selectable_fields;
        if fields.len() > MOST_SELECTABLE {
            let message = format!(
                "{} selectable fields, but a kind can have at most {MOST_SELECTABLE}",
                fields.len()
            );
            let help = "the API server rejects more: keep those that clients select by";
            let about = About::marker(&[], SELECTABLE, "");
            self.report(about, Diagnostic::error(message).help(help), diagnostics);
        }
        for field in fields {
            let what = "a selectable field";
            let path = path_of(&field.json_path);
            if path.first().is_some_and(|first| first == "metadata") {
                let message = format!("{what} is part of the metadata: `{}`", field.json_path);
                let help =
                    "metadata.name and metadata.namespace can always be selected, the rest cannot";
                let about = About::marker(&[], SELECTABLE, &field.json_path);
                self.report(about, Diagnostic::error(message).help(help), diagnostics);
                continue;
            }
            if let Some(Some(schema)) =
                self.resolve(what, SELECTABLE, &field.json_path, diagnostics)
                && !matches!(schema.ty(), Some("string" | "integer" | "boolean"))
            {
                let message = format!("{what} is not a scalar: `{}`", field.json_path);
                let help = "the API server takes strings, integers and booleans";
                let about = About::marker(&path, SELECTABLE, &field.json_path);
                self.report(about, Diagnostic::error(message).help(help), diagnostics);
            }
        }
    }

    fn scale(&self, diagnostics: &mut Diagnostics) {
        let Some(scale) = &self.resource.scale_subresource else {
            return;
        };
        let selector = scale.label_selector_path.as_deref();
        let paths = [
            (
                "specpath",
                Some(&*scale.spec_replicas_path),
                "spec",
                "integer",
            ),
            (
                "statuspath",
                Some(&*scale.status_replicas_path),
                "status",
                "integer",
            ),
            (
                "selectorpath",
                selector.filter(|path| !path.is_empty()),
                "",
                "string",
            ),
        ];
        for (argument, path, top, ty) in paths {
            let Some(path) = path else { continue };
            let what = format!("{argument} of the scale subresource");
            let segments = path_of(path);
            let about = About::marker(&segments, SCALE, path);
            if !top.is_empty() && segments.first().is_none_or(|first| first != top) {
                let message = format!("{what} is not below .{top}: `{path}`");
                self.report(about, Diagnostic::error(message), diagnostics);
                continue;
            }
            if let Some(Some(schema)) = self.resolve(&what, SCALE, path, diagnostics)
                && schema.ty().is_some_and(|found| found != ty)
            {
                let message = format!("{what} must be of type {ty}: `{path}` is not");
                self.report(about, Diagnostic::error(message), diagnostics);
            }
        }
    }

    /// The schema at a JSON path; `Some(None)` if the path leads to something that the schema does not describe, `None` if it is
    /// invalid.
    fn resolve(
        &self,
        what: &str,
        marker: &str,
        path: &str,
        diagnostics: &mut Diagnostics,
    ) -> Option<Option<&Schema>> {
        let mut schema = self.schema;
        let mut seen: Vec<String> = Vec::new();
        for segment in path_of(path) {
            if let ["metadata", ..] = seen.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                return Some(None);
            }
            let Some(next) = schema.properties.get(&segment) else {
                if let Some(value) = &schema.additional {
                    schema = value;
                    seen.push(segment);
                    continue;
                }
                let names: Vec<&str> = schema.properties.keys().map(String::as_str).collect();
                if names.is_empty() || schema.words.has(PRESERVE) {
                    return Some(None);
                }
                let message = format!("{what} reads a field that is not there: `{path}`");
                let at = format!(".{}", seen.join("."));
                // The server takes a column without a value, and the tools of Go and kube do not look at it.
                let is_derived = self.is_derived();
                let is_tolerated =
                    marker == "printcolumn" && (self.version.origin == Origin::Go || is_derived);
                let finding = match is_tolerated {
                    true => Diagnostic::warning(message),
                    false => Diagnostic::error(message),
                };
                let error = finding.help(match closest(&segment, names.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("`{at}` has the fields {}", names.join(", ")),
                });
                let about = About::marker(&seen, marker, path);
                self.report(about, error, diagnostics);
                return None;
            };
            schema = next;
            seen.push(segment);
        }
        Some((!path.contains('[')).then_some(schema))
    }

    /// Checks a schema and all nested ones; `path` leads to it.
    fn walk(&self, schema: &Schema, path: &mut Vec<String>, diagnostics: &mut Diagnostics) {
        if schema.words.has("uniqueItems") {
            let error = Diagnostic::error(format!("{} has unique items", shown(path))).help(
                "the API server refuses it, since comparing all is slow: write `+listType=set`",
            );
            let about = About::marker(path, "UniqueItems", "");
            self.report(about, error, diagnostics);
        }
        if schema.words.has("x-kubernetes-embedded-resource") && schema.ty() != Some("object") {
            let error = Diagnostic::error(format!(
                "{} embeds an object but is not an object",
                shown(path)
            ))
            .help("give it the type RawExtension, or `+kubebuilder:validation:Type=object`");
            let about = About::marker(path, "EmbeddedResource", "");
            self.report(about, error, diagnostics);
        }
        let untyped = [PRESERVE, "x-kubernetes-int-or-string"];
        if schema.ty().is_none() && !untyped.iter().any(|word| schema.words.has(word)) {
            let error = Diagnostic::error(format!("{} has no type", shown(path))).help(
                "the API server refuses it: write `+kubebuilder:validation:Type=…`, or `+kubebuilder:pruning:PreserveUnknownFields`",
            );
            self.report(About::marker(path, "Schemaless", ""), error, diagnostics);
        }
        self.values(schema, path, diagnostics);
        for (name, property) in &schema.properties {
            path.push(name.clone());
            self.walk(property, path, diagnostics);
            path.pop();
        }
        if let Some(value) = &schema.additional {
            self.walk(value, path, diagnostics);
        }
        if let Some(items) = &schema.items {
            self.walk(items, path, diagnostics);
        }
    }

    /// Warns of metadata of nested objects, such as those of a pod template, that the API server drops since the schema lists no fields.
    fn embedded_metadata(&self, diagnostics: &mut Diagnostics) {
        let mut dropped = Vec::new();
        // The server knows the metadata of the object itself.
        let properties = self.schema.properties.iter();
        for (name, property) in properties.filter(|(name, _)| *name != "metadata") {
            find_dropped(property, &mut vec![name.clone()], &mut dropped);
        }
        let Some((first, others)) = dropped.split_first() else {
            return;
        };
        let message = format!("the API server drops what {} contains", shown(first));
        let warning = Diagnostic::warning(message);
        let named = others.iter().take(FEW);
        let mut warning = named.fold(warning, |warning, other| {
            warning.note(format!("and what {} contains", shown(other)))
        });
        if others.len() > FEW {
            warning = warning.note(format!("and {} more", others.len() - FEW));
        }
        let warning = warning.help(
            "list name, namespace, labels, annotations and finalizers in the schema: `embedded-object-meta = true` in [crate.manifests], \
             `--embedded-object-meta` on the command line",
        );
        self.report(About::marker(first, "", ""), warning, diagnostics);
    }

    /// Adds a finding at the marker that it refers to, else at the field that the path leads to.
    pub(super) fn report(
        &self,
        about: About<'_>,
        error: Diagnostic,
        diagnostics: &mut Diagnostics,
    ) {
        let declared = self.declared(about.path);
        let declared: Vec<&DeclaredAt> = declared.chain([&self.root.declared]).collect();
        let marker = declared
            .iter()
            .find_map(|it| it.marker(about.marker, about.text));
        let part = about.part.and_then(|part| marker?.part(about.text, part));
        let whole = || marker.or_else(|| declared.iter().find_map(|it| it.place()));
        let error = match part.or_else(|| whole().cloned()) {
            Some(place) => error.at(place, ""),
            None => error,
        };
        if !diagnostics.as_slice().contains(&error) {
            diagnostics.push(error);
        }
    }

    /// Declarations along a path, innermost first: the field, its type, then the enclosing ones.
    fn declared(&self, path: &[String]) -> impl Iterator<Item = &DeclaredAt> {
        let mut def = self.root;
        let mut found = vec![&def.declared];
        for name in path {
            let TypeKind::Struct(structure) = &def.kind else {
                break;
            };
            let mut fields = structure.fields.iter();
            let Some(field) = fields.find(|field| field.json_name == *name) else {
                break;
            };
            let targets = self.targets(&field.ty);
            found.extend(targets.iter().rev().map(|def| &def.declared));
            found.push(&field.declared);
            match targets.last() {
                Some(next) => def = next,
                None => break,
            }
        }
        found.into_iter().rev()
    }

    /// The type definitions behind a type, or behind the elements of a list or map: named types of others, then the last of these.
    fn targets(&self, ty: &TypeRef) -> Vec<&TypeDef> {
        let mut found: Vec<&TypeDef> = Vec::new();
        let mut next = ty.local();
        while let Some(def) = next.and_then(|name| self.version.type_def(name)) {
            if found.iter().any(|one| one.name == def.name) {
                break;
            }
            found.push(def);
            next = match &def.kind {
                TypeKind::Alias(alias) => alias.target.local(),
                _ => None,
            };
        }
        found
    }
}

/// The column type that fits a field's type.
fn shown_as(ty: &str) -> &str {
    match ty {
        "integer" | "number" | "boolean" => ty,
        _ => "string",
    }
}

/// Adds the paths of nested metadata without fields; `path` leads to the schema. Embedded resources keep theirs.
fn find_dropped(schema: &Schema, path: &mut Vec<String>, found: &mut Vec<Vec<String>>) {
    let keeps = |schema: &Schema| {
        schema.words.has(PRESERVE) || schema.words.has("x-kubernetes-embedded-resource")
    };
    if keeps(schema) {
        return;
    }
    let is_empty = schema.properties.is_empty() && schema.additional.is_none();
    // A CRD says no more of metadata than their name.
    let is_metadata = schema.bare_metadata || path.last().is_some_and(|name| name == "metadata");
    if is_metadata && schema.ty() == Some("object") && is_empty {
        found.push(path.clone());
    }
    for (name, property) in &schema.properties {
        path.push(name.clone());
        find_dropped(property, path, found);
        path.pop();
    }
    for below in schema.items.iter().chain(&schema.additional) {
        find_dropped(below, path, found);
    }
}
