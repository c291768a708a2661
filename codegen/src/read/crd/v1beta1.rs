//! Rewrites a CRD of `apiextensions.k8s.io/v1beta1` to the form of v1.
//!
//! Kubernetes 1.22 removed v1beta1, but CRDs written for it still exist. The rules are those of the
//! API server, which stores both in one form (`pkg/apis/apiextensions/v1beta1/defaults.go` and
//! `pkg/apis/apiextensions/v1/conversion.go` of k8s.io/apiextensions-apiserver). Nodes keep their
//! places, so findings refer to what was written. Start reading at [`Reader::upgrade`].

use super::fields::Reader;
use crate::read::yaml::{Entry, Node, Yaml};

/// The `apiVersion` of the CRDs that are rewritten.
pub(super) const API_VERSION: &str = "apiextensions.k8s.io/v1beta1";

/// Keys of `spec` that apply to every version, with the keys of a version that they become.
const SHARED: [(&str, &str); 3] = [
    ("validation", "schema"),
    ("subresources", "subresources"),
    ("additionalPrinterColumns", "additionalPrinterColumns"),
];

impl Reader<'_> {
    /// Rewrites the `spec` of a CRD to the form of v1, with the defaults of v1beta1.
    pub(super) fn upgrade(&mut self, crd: &mut Node) {
        let Some(Yaml::Map(spec)) = crd.get_mut("spec").map(|spec| &mut spec.value) else {
            return;
        };
        set_default(spec, "scope", text("Namespaced"));
        set_default(spec, "preserveUnknownFields", Yaml::Bool(true));
        list_version(spec);
        for (key, version_key) in SHARED {
            if let Some(shared) = take(spec, key) {
                self.share(spec, key, version_key, &shared);
            }
        }
        for version in versions(spec) {
            if let Some(columns) = version.get_mut("additionalPrinterColumns") {
                columns.items_mut().iter_mut().for_each(rename_path);
            }
        }
        if let Some(conversion) = get_mut(spec, "conversion") {
            upgrade_conversion(conversion);
        }
    }

    /// Moves the value of a key of `spec` into every version.
    fn share(&mut self, spec: &mut [Entry], key: &str, version_key: &'static str, shared: &Node) {
        for version in versions(spec) {
            let own = version.get(version_key).filter(|own| !is_unset(own));
            if let Some(own) = own {
                self.error(
                    own,
                    format!("`spec.{key}` and the `{version_key}` of a version exclude each other"),
                    format!("remove `spec.{key}`, and write `{version_key}` in every version"),
                );
            } else if let Yaml::Map(entries) = &mut version.value {
                set(entries, version_key, shared.clone());
            }
        }
        self.shared.push(version_key);
    }
}

/// Lists `spec.version`, unless there is a list.
fn list_version(spec: &mut Vec<Entry>) {
    let has_list = get_mut(spec, "versions").is_some_and(|versions| !is_unset(versions));
    let Some(name) = take(spec, "version").filter(|_| !has_list) else {
        return;
    };
    let range = name.range.clone();
    let mut version = Vec::new();
    set(&mut version, "name", name);
    set_default(&mut version, "served", Yaml::Bool(true));
    set_default(&mut version, "storage", Yaml::Bool(true));
    let node = |value| Node {
        value,
        range: range.clone(),
    };
    let list = Yaml::List(vec![node(Yaml::Map(version))]);
    set(spec, "versions", node(list));
}

/// Renames `JSONPath` of a column.
fn rename_path(column: &mut Node) {
    if let Yaml::Map(entries) = &mut column.value
        && let Some(path) = take(entries, "JSONPath")
    {
        set(entries, "jsonPath", path);
    }
}

/// Moves the client and the review versions of a webhook into `webhook`.
fn upgrade_conversion(conversion: &mut Node) {
    let range = conversion.range.clone();
    let Yaml::Map(entries) = &mut conversion.value else {
        return;
    };
    let client = take(entries, "webhookClientConfig");
    let reviews = take(entries, "conversionReviewVersions");
    if client.is_none() && reviews.is_none() {
        return;
    }
    let mut webhook = Vec::new();
    if let Some(client) = client {
        set(&mut webhook, "clientConfig", client);
    }
    let first = Node {
        value: text("v1beta1"),
        range: range.clone(),
    };
    let reviews = reviews.map_or_else(|| Yaml::List(vec![first]), |reviews| reviews.value);
    set_default(&mut webhook, "conversionReviewVersions", reviews);
    let value = Yaml::Map(webhook);
    set(entries, "webhook", Node { value, range });
}

fn text(text: &str) -> Yaml {
    Yaml::String(text.to_owned())
}

fn versions(spec: &mut [Entry]) -> &mut [Node] {
    get_mut(spec, "versions").map_or(&mut [], Node::items_mut)
}

fn get_mut<'e>(entries: &'e mut [Entry], key: &str) -> Option<&'e mut Node> {
    let mut found = entries.iter_mut().filter(|entry| entry.key == key);
    found.next().map(|entry| &mut entry.value)
}

/// Removes a key, and returns its value if that is set.
fn take(entries: &mut Vec<Entry>, key: &str) -> Option<Node> {
    let index = entries.iter().position(|entry| entry.key == key)?;
    Some(entries.remove(index).value).filter(|value| !is_unset(value))
}

/// Whether a value is the same as a missing one to Go. Early releases of controller-gen wrote
/// `scope: ""`.
fn is_unset(value: &Node) -> bool {
    match &value.value {
        Yaml::Null => true,
        Yaml::String(text) => text.is_empty(),
        Yaml::List(items) => items.is_empty(),
        _ => false,
    }
}

/// Sets a key to a value, whose place becomes that of the key.
fn set(entries: &mut Vec<Entry>, key: &str, value: Node) {
    entries.retain(|entry| entry.key != key);
    entries.push(Entry {
        key: key.to_owned(),
        range: value.range.clone(),
        value,
    });
}

/// Sets a key that is missing or unset.
fn set_default(entries: &mut Vec<Entry>, key: &str, value: Yaml) {
    let is_set = get_mut(entries, key).is_some_and(|value| !is_unset(value));
    if !is_set {
        set(entries, key, Node { value, range: 0..0 });
    }
}
