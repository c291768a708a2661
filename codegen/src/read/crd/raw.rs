//! Reads CRDs as they are, for comparisons: every key, in the form of v1, whether the API server
//! would accept it or not.

use std::mem;

use serde_json::Value;

use super::{KIND, LIST_KIND, fields::Reader, type_items, v1beta1};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    read::yaml::{self, Node, Yaml},
    source::Source,
};

/// The contents of a source.
#[derive(Debug, Default)]
pub(crate) struct Whole {
    /// The CRDs, in order.
    pub(crate) crds: Vec<Value>,
    /// The other objects that have a type, in order: samples of the CRDs' kinds may be among them.
    pub(crate) objects: Vec<Value>,
}

/// Reads a source. A file that was found in a folder, cannot be read and does not mention CRDs is
/// passed over.
///
/// # Errors
///
/// The YAML cannot be read.
pub(crate) fn read(source: &Source) -> Result<Whole, Box<Diagnostic>> {
    let documents = match yaml::read_documents(source) {
        Ok(documents) => documents,
        Err(_) if source.found && !source.text.contains(KIND) => return Ok(Whole::default()),
        Err(error) => return Err(error),
    };
    let mut whole = Whole::default();
    for mut document in documents {
        visit(source, &mut document, &mut |node, is_crd| {
            let into = match is_crd {
                true => &mut whole.crds,
                false => &mut whole.objects,
            };
            into.push(node.to_json());
        });
    }
    Ok(whole)
}

/// The CRDs of a source with their places, in the order of [`read`].
#[derive(Debug)]
pub(crate) struct Located(Vec<Node>);

impl Located {
    /// Reads a source again: of most sources, nothing is reported.
    pub(crate) fn read(source: &Source) -> Self {
        let mut crds = Vec::new();
        let documents = yaml::read_documents(source).unwrap_or_default();
        for mut document in documents {
            visit(source, &mut document, &mut |node, is_crd| {
                if is_crd {
                    let value = mem::replace(&mut node.value, Yaml::Null);
                    let range = node.range.clone();
                    crds.push(Node { value, range });
                }
            });
        }
        Self(crds)
    }

    /// The place of the deepest value that keys lead to in a CRD: of its key, or of the item.
    pub(crate) fn place(&self, source: &Source, index: usize, keys: &[String]) -> Option<Place> {
        let mut node = self.0.get(index)?;
        let mut range = node.range.clone();
        for key in keys {
            match &node.value {
                Yaml::Map(entries) => {
                    let Some(entry) = entries.iter().find(|entry| entry.key == *key) else {
                        break;
                    };
                    // What v1beta1 leaves out has no place.
                    if !entry.range.is_empty() {
                        range = entry.range.clone();
                    }
                    node = &entry.value;
                }
                Yaml::List(items) => {
                    let item = key.parse().ok().and_then(|at: usize| items.get(at));
                    let Some(item) = item else { break };
                    range = item.range.clone();
                    node = item;
                }
                _ => break,
            }
        }
        Some(yaml::place(source, range))
    }
}

/// Calls `found` with each object of a document, and whether it is a CRD, which then has the form
/// of v1.
fn visit(source: &Source, node: &mut Node, found: &mut dyn FnMut(&mut Node, bool)) {
    let text = |node: &Node, key: &str| node.get(key).and_then(Node::as_str).map(str::to_owned);
    match text(node, "kind").as_deref() {
        Some(KIND) => {
            if text(node, "apiVersion").as_deref() == Some(v1beta1::API_VERSION) {
                let mut diagnostics = Diagnostics::new();
                Reader::new(source, &mut diagnostics).upgrade(node);
            }
            found(node, true);
        }
        Some(kind @ ("List" | LIST_KIND)) => {
            if kind == LIST_KIND {
                type_items(node);
            }
            let items = node.get_mut("items").map(Node::items_mut);
            for item in items.unwrap_or_default() {
                visit(source, item, found);
            }
        }
        Some(_) => found(node, false),
        None => {
            for item in node.items_mut() {
                visit(source, item, found);
            }
        }
    }
}
