//! Reads `CustomResourceDefinition` documents from YAML.
//!
//! A source may have any number of documents, including `kind: List`; documents of other kinds are
//! skipped, so that a release bundle can be read directly. Start reading at [`read`]; [`schema`]
//! reads the schemas.

mod conversion;
mod duplicates;
mod fields;
mod keywords;
mod names;
pub(crate) mod raw;
mod refused;
pub mod schema;
#[cfg(test)]
mod tests;
mod v1beta1;
#[cfg(test)]
mod v1beta1_tests;

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    convert::Infallible,
    ops::Range,
    sync::Arc,
};

use rayon::prelude::*;

use self::{fields::Reader, schema::Schema};
use super::yaml::{self, Entry, Node, Repeated, Yaml};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    model::{Conversion, PrinterColumn, ScaleSubresource, Scope, SelectableField},
    options::{Faulty, Options},
    source::Source,
};

/// The kind of the documents.
pub(crate) const KIND: &str = "CustomResourceDefinition";
const LIST_KIND: &str = "CustomResourceDefinitionList";

/// A CRD as read: its names, and its versions with their schemas.
#[derive(Clone, Debug, PartialEq)]
pub struct Crd {
    /// The source, for places; without its text if it has no findings.
    pub source: Source,
    /// The byte range of `metadata.name`, or else of the document; empty if the source has no
    /// findings.
    pub range: Range<usize>,
    /// `spec.group`, a DNS name.
    pub group: String,
    /// `spec.names.kind`.
    pub kind: String,
    /// `spec.names.listKind`, or the kind with the suffix `List`.
    pub list_kind: String,
    /// `spec.names.plural`.
    pub plural: String,
    /// `spec.names.singular`, or the kind in lower case.
    pub singular: String,
    /// `spec.names.shortNames`.
    pub short_names: Vec<String>,
    /// `spec.names.categories`.
    pub categories: Vec<String>,
    /// `spec.scope`.
    pub scope: Scope,
    /// `spec.conversion.strategy`.
    pub conversion: Conversion,
    /// `metadata.annotations`.
    pub annotations: BTreeMap<String, String>,
    /// `metadata.labels`.
    pub labels: BTreeMap<String, String>,
    /// The versions selected by the filters.
    pub versions: Vec<CrdVersion>,
    /// The other versions, if CRDs are to be written.
    pub left_out: Vec<CrdVersion>,
    /// The names of all served versions, including those not generated.
    pub served: Vec<String>,
    /// Whether it contains an error.
    pub faulty: bool,
}

/// A version of a CRD.
#[derive(Clone, Debug, PartialEq)]
pub struct CrdVersion {
    /// `v1alpha1`.
    pub name: String,
    /// Whether it is the storage version.
    pub storage: bool,
    /// Whether it is served.
    pub served: bool,
    /// The deprecation warning; `Some("")` for the API server's default warning.
    pub deprecation: Option<String>,
    /// The schema, if the CRD has one.
    pub schema: Option<Schema>,
    /// Whether `/status` is a subresource.
    pub status: bool,
    /// `/scale`.
    pub scale: Option<ScaleSubresource>,
    /// `additionalPrinterColumns`.
    pub printer_columns: Vec<PrinterColumn>,
    /// `selectableFields`.
    pub selectable_fields: Vec<SelectableField>,
}

/// The CRDs, and the findings of reading them.
#[derive(Debug, Default)]
pub struct ReadCrds {
    /// The CRDs, sorted by group, kind and source.
    pub crds: Vec<Crd>,
    /// The findings.
    pub found: Diagnostics,
    /// The errors of CRDs left out under [`Faulty::Skipped`].
    pub skipped: Diagnostics,
}

/// Reads all documents of all sources in parallel, and keeps those that the filters select.
#[must_use]
pub fn read(sources: &[Source], options: &Options) -> ReadCrds {
    let size = |source: &Source| source.text.len() as u64;
    let open = |source: &Source| Ok::<_, Infallible>(source.clone());
    read_from(sources, size, open, options).unwrap_or_default()
}

/// Like [`read`], but opens each input, of the specified size, only when its turn comes. A source's
/// text is freed as soon as it is read.
///
/// # Errors
///
/// Errors from `open`, in the order of the inputs.
pub(crate) fn read_from<T: Sync, E: Send>(
    inputs: &[T],
    size: impl Fn(&T) -> u64,
    open: impl Fn(&T) -> Result<Source, E> + Sync,
    options: &Options,
) -> Result<ReadCrds, Vec<E>> {
    // Sizes differ widely: process the largest first, with each thread taking the next input when
    // it is done.
    let mut by_size: Vec<(usize, &T)> = inputs.iter().enumerate().collect();
    by_size.sort_by_key(|(_, input)| Reverse(size(input)));
    let read_all = |texts: Texts| {
        let read = by_size.iter().par_bridge();
        let mut read: Vec<_> = read
            .map(|(index, input)| (*index, open(input).map(|it| read_one(&it, options, texts))))
            .collect();
        read.sort_unstable_by_key(|(index, _)| *index);
        let (mut sources, mut errors) = (Vec::with_capacity(read.len()), Vec::new());
        for (_, result) in read {
            match result {
                Ok(source) => sources.push(source),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() {
            Ok(sources)
        } else {
            Err(errors)
        }
    };
    let (read, related) = relate(read_all(Texts::Freed)?, options);
    if related.as_slice().is_empty() {
        return Ok(read);
    }
    let (mut read, related) = relate(read_all(Texts::Kept)?, options);
    read.found.extend(related);
    Ok(read)
}

/// What becomes of the text of a source without findings. Findings show lines of it, and few
/// sources have any.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    Kept,
    Freed,
}

/// Reads one source.
fn read_one(source: &Source, options: &Options, texts: Texts) -> (Vec<Crd>, Diagnostics) {
    let mut found = Diagnostics::new();
    let mut crds = read_source(source, options, &mut found);
    if texts == Texts::Freed && found.as_slice().is_empty() {
        for crd in &mut crds {
            crd.source.text = Arc::default();
        }
    }
    (crds, found)
}

/// Combines the CRDs of all sources, and checks them against each other.
fn relate(sources: Vec<(Vec<Crd>, Diagnostics)>, options: &Options) -> (ReadCrds, Diagnostics) {
    let mut read = ReadCrds::default();
    for (crds, found) in sources {
        read.crds.extend(crds);
        read.found.extend(found);
    }
    if options.faulty == Faulty::Skipped {
        read.crds.retain(|crd| !crd.faulty);
        read.skipped = read.found.split_errors();
    }
    let crds = &mut read.crds;
    crds.sort_by(|a, b| {
        (&a.group, &a.kind, &a.source.name).cmp(&(&b.group, &b.kind, &b.source.name))
    });
    let mut related = Diagnostics::new();
    let groups = crds.iter().map(|crd| crd.group.as_str()).collect();
    let kinds = crds.iter().map(|crd| crd.kind.as_str()).collect();
    options.filters.check(&groups, &kinds, &mut related);
    crds.retain(|crd| !crd.versions.is_empty());
    duplicates::remove_copies(crds, options, &mut related);
    duplicates::refuse_duplicates(crds, &mut related);
    duplicates::refuse_shared_plurals(crds, &mut related);
    (read, related)
}

fn read_source(source: &Source, options: &Options, diagnostics: &mut Diagnostics) -> Vec<Crd> {
    let is_foreign = source.found && !source.text.contains(KIND);
    let mut documents = match yaml::read_repeated(source) {
        Ok(_) if is_foreign => return Vec::new(),
        Ok((documents, repeated)) => {
            if let Some(key) = repeated.iter().find(|key| key.of_document) {
                let help = "if another document starts here, write a line `---` before it";
                diagnostics.push(yaml::refuse_repeated(source, key).help(help));
                return Vec::new();
            }
            for key in &repeated {
                diagnostics.push(repeated_key(source, key));
            }
            documents
        }
        Err(diagnostic) => {
            diagnostics.push(if is_foreign {
                passed_over(*diagnostic)
            } else {
                *diagnostic
            });
            return Vec::new();
        }
    };
    for document in &mut documents {
        if document.get("kind").and_then(Node::as_str) == Some(LIST_KIND) {
            type_items(document);
        }
    }
    if !source.found && !documents.iter().any(holds_crd) {
        diagnostics.push(no_crd(source, &documents));
    }
    let mut crds = Vec::new();
    for document in &mut documents {
        read_document(source, document, options, &mut crds, diagnostics);
    }
    crds
}

/// Reports a key that is repeated below a document. It is a warning, since kubectl and Helm take
/// the last value.
fn repeated_key(source: &Source, repeated: &Repeated) -> Diagnostic {
    let message = format!("`{}` is repeated: the last value counts", repeated.key);
    Diagnostic::warning(message)
        .at(yaml::place(source, repeated.range.clone()), "")
        .help("remove the others: kubectl and Helm ignore them, but other tools refuse the file")
}

/// Whether a document is a CRD of any `apiVersion`, or a list that contains one.
fn holds_crd(node: &Node) -> bool {
    match node.get("kind").and_then(Node::as_str) {
        Some(KIND) => true,
        Some("List" | LIST_KIND) => {
            let items = node.get("items").map(Node::items);
            items.unwrap_or_default().iter().any(holds_crd)
        }
        _ => node.items().iter().any(holds_crd),
    }
}

/// Adds the type of its items to a typed list, as the API server returns it.
fn type_items(list: &mut Node) {
    let api_version = list.get("apiVersion").cloned();
    let items = list.get_mut("items").map(Node::items_mut);
    for item in items.unwrap_or_default() {
        let Yaml::Map(entries) = &mut item.value else {
            continue;
        };
        let mut add = |key: &str, value: Yaml| {
            if !entries.iter().any(|entry| entry.key == key) {
                let range = item.range.start..item.range.start;
                entries.push(Entry {
                    key: key.to_owned(),
                    range: range.clone(),
                    value: Node { value, range },
                });
            }
        };
        add("kind", Yaml::String(KIND.to_owned()));
        if let Some(api_version) = &api_version {
            add("apiVersion", api_version.value.clone());
        }
    }
}

/// Reports an explicitly named input without a CRD.
fn no_crd(source: &Source, documents: &[Node]) -> Diagnostic {
    let kinds: BTreeSet<&str> = documents
        .iter()
        .filter_map(|document| document.get("kind").and_then(Node::as_str))
        .collect();
    let finding = Diagnostic::warning(format!("{} contains no {KIND}", source.name));
    let Some(first) = documents.first() else {
        return finding.help("the file is empty");
    };
    let held: Vec<&str> = kinds.into_iter().collect();
    let finding = finding.at(
        yaml::place(source, first.range.start..first.range.start),
        "",
    );
    if held.is_empty() {
        finding.help(format!("write `kind: {KIND}`"))
    } else {
        finding.help(format!("it contains: {}", held.join(", ")))
    }
}

/// Downgrades an error in a file that does not belong to the input, such as a chart's template next
/// to CRDs.
fn passed_over(diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic {
        severity: Severity::Warning,
        ..diagnostic
    }
    .note(format!(
        "the file was found in a directory and skipped: it contains no {KIND}"
    ))
}

/// Reads a CRD, or the CRDs of a list, which may be a list of YAML or JSON; ignores other
/// documents.
fn read_document(
    source: &Source,
    node: &mut Node,
    options: &Options,
    crds: &mut Vec<Crd>,
    diagnostics: &mut Diagnostics,
) {
    let text = |key: &str| node.get(key).and_then(Node::as_str).unwrap_or_default();
    match (text("apiVersion"), text("kind")) {
        (_, "List" | LIST_KIND) => {
            let items = node.get_mut("items").map(Node::items_mut);
            for item in items.unwrap_or_default() {
                read_document(source, item, options, crds, diagnostics);
            }
        }
        ("apiextensions.k8s.io/v1" | v1beta1::API_VERSION, KIND) => {
            let mut found = Diagnostics::new();
            let read = read_crd(&mut Reader::new(source, &mut found), node, options);
            crds.extend(read.map(|crd| Crd {
                faulty: found.has_errors(),
                ..crd
            }));
            diagnostics.extend(found);
        }
        (api_version, KIND) => {
            let at = node.get("apiVersion").unwrap_or(node);
            diagnostics
                .push(unknown_version(api_version).at(yaml::place(source, at.range.clone()), ""));
        }
        _ => {
            for item in node.items_mut() {
                read_document(source, item, options, crds, diagnostics);
            }
        }
    }
}

fn unknown_version(api_version: &str) -> Diagnostic {
    let message = if api_version.is_empty() {
        "the CustomResourceDefinition has no apiVersion".to_owned()
    } else {
        format!("unknown CustomResourceDefinition apiVersion {api_version:?}")
    };
    Diagnostic::error(message).help("write `apiVersion: apiextensions.k8s.io/v1`")
}

fn read_crd(reader: &mut Reader<'_>, node: &mut Node, options: &Options) -> Option<Crd> {
    if is_part(node) {
        reader.refuse_part(node);
        return None;
    }
    let is_old = node.get("apiVersion").and_then(Node::as_str) == Some(v1beta1::API_VERSION);
    if is_old {
        reader.upgrade(node);
    }
    // Check first: reading moves strings out of the node.
    let mut refused = reader.refused(node, options);
    let unstructural = reader.unstructural(node, options);
    let crd = read_parts(reader, node, options)?;
    if !is_old && !reader.keeps_unknown {
        refused.extend(unstructural);
    }
    if !reader.diagnostics.has_errors() {
        for finding in refused {
            reader.diagnostics.push(finding);
        }
    }
    Some(crd)
}

fn read_parts(reader: &mut Reader<'_>, node: &mut Node, options: &Options) -> Option<Crd> {
    let filters = &options.filters;
    let spec = reader.map(node, "spec")?;
    reader.push("spec");
    // The API server rejects this in new v1 CRDs, but still returns it for CRDs that were created
    // as v1beta1, where it is the default.
    reader.keeps_unknown = spec
        .get("preserveUnknownFields")
        .is_some_and(|node| reader.bool(node, "preserveUnknownFields"));
    let names = reader.read_names(spec);
    let group = reader.read_group(spec);
    let scope = reader.read_scope(spec);
    let conversion = conversion::read(spec);
    let (names, group, scope) = (names?, group?, scope?);
    let mut crd = Crd {
        source: reader.source.clone(),
        range: node
            .get("metadata")
            .and_then(|node| node.get("name"))
            .unwrap_or(node)
            .range
            .clone(),
        group,
        kind: names.kind,
        list_kind: names.list_kind,
        plural: names.plural,
        singular: names.singular,
        short_names: names.short_names,
        categories: names.categories,
        scope,
        conversion,
        annotations: reader.read_pairs(node, "annotations"),
        labels: reader.read_pairs(node, "labels"),
        versions: Vec::new(),
        left_out: Vec::new(),
        served: Vec::new(),
        faulty: false,
    };
    reader.check_name(node, &crd);
    if is_wanted(&filters.groups, &crd.group)
        && is_wanted(&filters.kinds, &crd.kind)
        && let Some(spec) = node.get_mut("spec")
    {
        reader.read_versions(spec, options, &mut crd);
    }
    Some(crd)
}

/// Whether a filter selects a name; an empty filter selects all.
fn is_wanted(filter: &[String], name: &str) -> bool {
    filter.is_empty() || filter.iter().any(|one| one == name)
}

/// Whether the document has neither names nor versions, as in a patch for a CRD.
fn is_part(node: &Node) -> bool {
    node.get("spec").is_none_or(|spec| {
        let is_map = matches!(spec.value, Yaml::Map(_));
        is_map
            && ["group", "names", "versions"]
                .iter()
                .all(|key| spec.get(key).is_none())
    })
}
