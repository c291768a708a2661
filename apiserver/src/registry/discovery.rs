//! Discovery documents: the served groups, versions and resources.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::subresource::{Description, Subresource};
use super::{Persistence, Registry, Resource, Version, version_order};

const ALL_VERBS: &[&str] = &[
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

/// The verbs of custom resources, in the order of kube-apiserver.
const CUSTOM_VERBS: &[&str] = &[
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "create",
    "update",
    "watch",
];

fn verbs(resource: &Resource) -> Vec<&'static str> {
    if resource.persistence == Persistence::Virtual {
        return vec!["create"];
    }
    let all = if resource.is_custom() {
        CUSTOM_VERBS
    } else {
        ALL_VERBS
    };
    all.iter()
        .copied()
        .filter(|verb| *verb != "deletecollection" || resource.rules.delete_collection)
        .collect()
}

/// The order of groups in discovery: built-in groups by kube-apiserver's priorities, then all
/// others by name.
#[rustfmt::skip]
const GROUP_ORDER: &[&str] = &[
    "", "apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io",
    "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io", "networking.k8s.io",
    "policy", "rbac.authorization.k8s.io", "storage.k8s.io", "admissionregistration.k8s.io",
    "apiextensions.k8s.io", "scheduling.k8s.io", "coordination.k8s.io", "node.k8s.io",
    "discovery.k8s.io", "flowcontrol.apiserver.k8s.io", "resource.k8s.io",
];

/// A group with its versions, in order of preference, and their resources.
pub(crate) struct Group {
    pub(crate) name: String,
    pub(crate) versions: Vec<(String, Vec<Arc<Resource>>)>,
}

impl Registry {
    /// Returns every served group, in discovery order.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: BTreeMap<String, BTreeMap<String, Vec<Arc<Resource>>>> = BTreeMap::new();
        for resource in self.all() {
            for version in resource.versions.iter().filter(|v| v.served) {
                groups
                    .entry(resource.group.clone())
                    .or_default()
                    .entry(version.name.clone())
                    .or_default()
                    .push(resource.clone());
            }
        }
        let mut groups: Vec<Group> = groups
            .into_iter()
            .map(|(name, versions)| {
                let mut versions: Vec<_> = versions.into_iter().collect();
                versions.sort_by(|(a, _), (b, _)| version_order(a, b));
                Group { name, versions }
            })
            .collect();
        let rank = |name: &str| {
            GROUP_ORDER
                .iter()
                .position(|g| *g == name)
                .unwrap_or(GROUP_ORDER.len())
        };
        groups.sort_by_key(|group| rank(&group.name));
        groups
    }

    /// Returns `/api`.
    pub(crate) fn api_versions(&self) -> Value {
        json!({
            "kind": "APIVersions",
            "versions": ["v1"],
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1"}],
        })
    }

    /// Returns `/apis`.
    pub(crate) fn api_group_list(&self) -> Value {
        let groups: Vec<Value> = self
            .groups()
            .iter()
            .filter(|group| !group.name.is_empty())
            .map(group_document)
            .collect();
        json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
    }

    /// Returns `/apis/<group>`.
    pub(crate) fn api_group(&self, name: &str) -> Option<Value> {
        let groups = self.groups();
        let group = groups.iter().find(|g| g.name == name && !name.is_empty())?;
        let mut document = group_document(group);
        document["kind"] = json!("APIGroup");
        document["apiVersion"] = json!("v1");
        Some(document)
    }

    /// Returns `/api/v1` or `/apis/<group>/<version>`.
    pub(crate) fn api_resource_list(&self, group: &str, version: &str) -> Option<Value> {
        let mut resources = Vec::new();
        for resource in self.all().iter().filter(|r| r.group == group) {
            if let Some(version) = resource.version(version).filter(|v| v.served) {
                resources.extend(resource_documents(resource, version));
            }
        }
        if resources.is_empty() {
            return None;
        }
        let group_version = group_version(group, version);
        {
            let mut document = json!({"kind": "APIResourceList", "groupVersion": group_version, "resources": resources});
            // kube-apiserver leaves `apiVersion` out of the core group's document.
            if !group.is_empty() {
                document["apiVersion"] = json!("v1");
            }
            Some(document)
        }
    }

    /// Returns the aggregated discovery document of the core group, for `/api`.
    pub(crate) fn aggregated_core(&self, api_version: &str) -> Value {
        self.aggregated(api_version, |group| group.is_empty())
    }

    /// Returns the aggregated discovery document of all other groups, for `/apis`.
    pub(crate) fn aggregated_groups(&self, api_version: &str) -> Value {
        self.aggregated(api_version, |group| !group.is_empty())
    }

    fn aggregated(&self, api_version: &str, shown: fn(&str) -> bool) -> Value {
        let items: Vec<Value> = self
            .groups()
            .iter()
            .filter(|group| shown(&group.name))
            .map(|group| {
                let versions: Vec<Value> = group
                    .versions
                    .iter()
                    .map(|(version, resources)| {
                        let resources: Vec<Value> = resources
                            .iter()
                            .filter_map(|r| Some(aggregated_resource(r, r.version(version)?)))
                            .collect();
                        json!({"version": version, "resources": resources, "freshness": "Current"})
                    })
                    .collect();
                let mut metadata = json!({});
                if !group.name.is_empty() {
                    metadata["name"] = json!(group.name);
                }
                json!({"metadata": metadata, "versions": versions})
            })
            .collect();
        json!({"kind": "APIGroupDiscoveryList", "apiVersion": format!("apidiscovery.k8s.io/{api_version}"),
            "metadata": {}, "items": items})
    }
}

/// Formats a group-version: `v1` or `apps/v1`.
pub(crate) fn group_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

fn group_document(group: &Group) -> Value {
    let entry = |version: &str| json!({"groupVersion": group_version(&group.name, version), "version": version});
    let versions: Vec<Value> = group.versions.iter().map(|(v, _)| entry(v)).collect();
    let preferred = versions.first().cloned().unwrap_or_default();
    json!({"name": group.name, "versions": versions, "preferredVersion": preferred})
}

fn subresources(resource: &Resource, version: &Version) -> Vec<Description> {
    let all = version.all_subresources();
    let mut subs: Vec<Description> = all.map(Subresource::describe).collect();
    // Built-in kinds list them by name, custom resources in kube-apiserver's order.
    if resource.is_custom() {
        subs.reverse();
    }
    subs
}

fn resource_documents(resource: &Resource, version: &Version) -> Vec<Value> {
    let mut main = json!({
        "name": resource.plural,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": verbs(resource),
    });
    if !resource.short_names.is_empty() {
        main["shortNames"] = json!(resource.short_names);
    }
    if !resource.categories.is_empty() {
        main["categories"] = json!(resource.categories);
    }
    let subs = subresources(resource, version).into_iter().map(|sub| {
        let mut document = json!({
            "name": format!("{}/{}", resource.plural, sub.name),
            "singularName": "",
            "namespaced": resource.namespaced,
            "kind": if sub.kind.2.is_empty() { &resource.kind } else { sub.kind.2 },
            "verbs": sub.verbs,
        });
        if !sub.kind.2.is_empty() {
            if !sub.kind.0.is_empty() {
                document["group"] = json!(sub.kind.0);
            }
            document["version"] = json!(sub.kind.1);
        }
        document
    });
    std::iter::once(main).chain(subs).collect()
}

fn aggregated_resource(resource: &Resource, version: &Version) -> Value {
    // A built-in kind in its own group-version is identified by its kind alone.
    let own = if resource.is_custom() {
        json!({"group": resource.group, "version": version.name, "kind": resource.kind})
    } else {
        json!({"group": "", "version": "", "kind": resource.kind})
    };
    let mut document = json!({
        "resource": resource.plural,
        "responseKind": own,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": verbs(resource),
    });
    if !resource.short_names.is_empty() {
        document["shortNames"] = json!(resource.short_names);
    }
    if !resource.categories.is_empty() {
        document["categories"] = json!(resource.categories);
    }
    let subs: Vec<Value> = subresources(resource, version)
        .into_iter()
        .map(|sub| {
            let (group, sub_version, kind) = sub.kind;
            let response = if kind.is_empty() {
                own.clone()
            } else {
                json!({"group": group, "version": sub_version, "kind": kind})
            };
            json!({"subresource": sub.name, "responseKind": response, "verbs": sub.verbs})
        })
        .collect();
    if !subs.is_empty() {
        document["subresources"] = json!(subs);
    }
    document
}
