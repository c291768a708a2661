//! Finds what the API server rejects in a CRD, by its own checks: names, columns, conversion,
//! structural rules, patterns, defaults, CEL.
//!
//! The checks run only if CRDs are written or objects are validated: types do not depend on them.
//! Otherwise schemas that are not structural are warned of.

use kube_schema::{FieldError, Structural, definition};
use serde_json::{Value, json};

use super::{fields::Reader, is_wanted};
use crate::{
    diag::Diagnostic,
    options::{Compat, Options},
    read::yaml::{self, Node, Yaml},
};

/// How to skip the check.
const UNCHECKED: &str = "fix it, or skip the check with `--compat controller-gen` or `compat = \"controller-gen\"` in codegen.toml";

/// How many characters of a refused value are shown: the place shows the rest.
const MOST_SHOWN: usize = 200;

impl Reader<'_> {
    /// Returns the API server's errors for a CRD, located at the nodes they refer to.
    pub(super) fn refused(&self, document: &Node, options: &Options) -> Vec<Diagnostic> {
        if !options.writes_crds() || options.compat != Compat::Strict {
            return Vec::new();
        }
        let mut crd = document.to_json();
        definition::set_defaults(&mut crd);
        if let Some(spec) = crd.get_mut("spec").and_then(|spec| spec.as_object_mut()) {
            // CRDs created as v1beta1 have it; it is written as keywords of the schemas.
            spec.remove("preserveUnknownFields");
            let versions = spec.get_mut("versions").and_then(|it| it.as_array_mut());
            for version in versions.into_iter().flatten() {
                write_schema(version);
            }
        }
        let text = |path: &str| crd.pointer(path).and_then(|it| it.as_str());
        let plural = text("/spec/names/plural").unwrap_or_default();
        let group = text("/spec/group").unwrap_or_default();
        let name = format!("{plural}.{group}");
        if text("/metadata/name").is_none()
            && let Some(crd) = crd.as_object_mut()
            && let Some(metadata) = crd
                .entry("metadata")
                .or_insert_with(|| json!({}))
                .as_object_mut()
        {
            metadata.insert("name".to_owned(), name.into());
        }
        let errors = definition::check(&crd, kube_schema::keep_metadata);
        errors
            .iter()
            .map(|error| self.worded(error, document))
            .collect()
    }

    /// Returns a warning for each version whose schema is not structural, if the CRD is not written
    /// and so not checked otherwise. The API server keeps such CRDs only from old times, and prunes
    /// nothing.
    pub(super) fn unstructural(&self, document: &Node, options: &Options) -> Vec<Diagnostic> {
        let spec = document.get("spec");
        let text = |path: &[&str]| {
            let node = path.iter().try_fold(spec?, |node, key| node.get(key));
            node.and_then(Node::as_str)
        };
        let filters = &options.filters;
        let is_wanted = is_wanted(&filters.groups, text(&["group"]).unwrap_or_default())
            && is_wanted(&filters.kinds, text(&["names", "kind"]).unwrap_or_default());
        let versions = spec.and_then(|spec| spec.get("versions"));
        let versions = versions.filter(|_| is_wanted && !options.writes_crds());
        let versions = versions.map(Node::items).unwrap_or_default();
        let schemas = versions.iter().enumerate().filter_map(|(index, version)| {
            let schema = version.get("schema")?.get("openAPIV3Schema")?;
            let path = format!("spec.versions[{index}].schema.openAPIV3Schema");
            let errors = Structural::check_form(&path, &schema.to_json());
            let (first, more) = errors.split_first()?;
            Some(self.unstructured(first, more.len(), document))
        });
        schemas.collect()
    }

    fn unstructured(&self, first: &FieldError, more: usize, document: &Node) -> Diagnostic {
        let path = definition::v1_path(&first.field);
        let node = found(document, &format!(".{path}"));
        let more = match more {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        let message = format!(
            "the schema is not structural: {}{more}",
            first.brief(MOST_SHOWN)
        );
        Diagnostic::warning(message)
            .at(yaml::place(self.source, node.range.clone()), "")
            .note(format!("at {}", self.shown(&path, &first.field)))
            .help("the API server refuses it in a new CRD; types are generated all the same")
    }

    fn worded(&self, error: &FieldError, document: &Node) -> Diagnostic {
        let path = definition::v1_path(&error.field);
        let node = found(document, &format!(".{path}"));
        let shown = self.shown(&path, &error.field);
        let what = if path.contains(".openAPIV3Schema") {
            "schema"
        } else {
            "CRD"
        };
        Diagnostic::error(format!(
            "the API server refuses the {what}: {}",
            error.brief(MOST_SHOWN)
        ))
        .at(yaml::place(self.source, node.range.clone()), "")
        .note(format!("at {shown}"))
        .help(UNCHECKED)
    }
}

/// Gives a version without schema the one that is written for it; reading warns of it.
fn write_schema(version: &mut Value) {
    let schema = version.pointer("/schema/openAPIV3Schema");
    if schema.is_none_or(Value::is_null)
        && let Some(version) = version.as_object_mut()
    {
        let anything = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        version.insert("schema".to_owned(), json!({"openAPIV3Schema": anything}));
    }
}

/// Returns the node at a path such as `.properties[spec].pattern`, or its nearest existing
/// ancestor.
fn found<'n>(node: &'n Node, path: &str) -> &'n Node {
    let below = |name: &str, rest: &str| {
        let rest = rest.strip_prefix(name)?;
        let ends = rest.is_empty() || rest.starts_with(['.', '[']);
        ends.then_some(rest.len())
    };
    let mut next: Option<(usize, &Node)> = None;
    let mut step = |rest: Option<usize>, node: &'n Node| {
        // Take the longest matching name: names may contain dots and brackets.
        if let Some(rest) = rest
            && next.is_none_or(|(least, _)| rest < least)
        {
            next = Some((rest, node));
        }
    };
    match &node.value {
        Yaml::Map(entries) => {
            for entry in entries {
                for name in [format!(".{}", entry.key), format!("[{}]", entry.key)] {
                    step(below(&name, path), &entry.value);
                }
            }
        }
        Yaml::List(items) => {
            for (index, item) in items.iter().enumerate() {
                step(below(&format!("[{index}]"), path), item);
            }
        }
        _ => {}
    }
    match next {
        Some((rest, node)) => found(node, path.get(path.len() - rest..).unwrap_or_default()),
        None => node,
    }
}
