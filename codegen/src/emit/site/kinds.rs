//! What a page shows of a kind, read from its CRD.

use kube_names::compare_versions;
use serde_json::Value;

use crate::{
    emit::fields::{Field, sample},
    output::yaml::{Part, document},
};

/// A kind.
pub(super) struct Kind {
    pub(super) group: String,
    pub(super) name: String,
    pub(super) plural: String,
    pub(super) short_names: Vec<String>,
    pub(super) is_namespaced: bool,
    /// The newest first.
    pub(super) versions: Vec<Version>,
}

/// A kind in one version.
pub(super) struct Version {
    pub(super) name: String,
    pub(super) api_version: String,
    pub(super) is_served: bool,
    pub(super) is_stored: bool,
    /// The warning, if it is deprecated; empty for the server's own.
    pub(super) deprecation: Option<String>,
    pub(super) subresources: Vec<String>,
    pub(super) root: Field,
    /// YAML.
    pub(super) sample: String,
}

impl Kind {
    /// Reads a CRD.
    pub(super) fn read(group: &str, crd: &Value) -> Self {
        let spec = &crd["spec"];
        let string = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let name = string(&spec["names"]["kind"]);
        let is_namespaced = spec["scope"] == "Namespaced";
        let short = spec["names"]["shortNames"].as_array().into_iter().flatten();
        let versions = spec["versions"].as_array().into_iter().flatten();
        let versions = versions.map(|version| {
            let schema = &version["schema"]["openAPIV3Schema"];
            let api_version = format!("{group}/{}", string(&version["name"]));
            let sample = sample(&api_version, &name, is_namespaced, schema);
            Version {
                name: string(&version["name"]),
                is_served: version["served"] != false,
                is_stored: version["storage"] == true,
                deprecation: (version["deprecated"] == true)
                    .then(|| string(&version["deprecationWarning"])),
                subresources: subresources(version),
                root: Field::of_kind(&name, schema),
                sample: document(&Part::Json(&sample)),
                api_version,
            }
        });
        // The newest comes first.
        let mut versions: Vec<Version> = versions.collect();
        versions.sort_by(|one, other| compare_versions(&one.name, &other.name));
        Self {
            group: group.to_owned(),
            plural: string(&spec["names"]["plural"]),
            short_names: short.map(string).collect(),
            is_namespaced,
            versions,
            name,
        }
    }
}

fn subresources(version: &Value) -> Vec<String> {
    let subresources = version["subresources"].as_object();
    subresources
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect()
}
