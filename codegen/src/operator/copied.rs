//! A further version of a kind that starts as a copy of another one.

use super::{Api, Part, edit::EditError, marker};
use crate::output::Tree;

/// The markers of a kind that belong to one of its versions.
const OF_ONE_VERSION: [&str; 4] = [
    "kubebuilder:storageversion",
    "kubebuilder:unservedversion",
    "kubebuilder:deprecatedversion",
    "kubebuilder:conversion:webhook",
];

/// The types and the sample of a version, copied from those of another version of the kind.
///
/// # Errors
///
/// [`EditError`]: the types are not valid Rust, or lack the kind.
pub fn copied(api: &Api, other: &Api, types: &str, sample: &str) -> Result<Tree, EditError> {
    let types = marker::without(types, &api.kind, &OF_ONE_VERSION)?;
    let files = [
        (Part::Types, types),
        (Part::Sample, copied_sample(api, other, sample)),
    ];
    let files = files.into_iter();
    Ok(files
        .filter_map(|(part, text)| Some((api.path(part)?, text)))
        .collect())
}

/// The documents of the kind in its version.
fn copied_sample(api: &Api, other: &Api, sample: &str) -> String {
    let mut documents = vec![String::new()];
    for line in sample.split_inclusive('\n') {
        if line.trim_end() == "---" {
            documents.push(String::new());
        } else if let Some(document) = documents.last_mut() {
            document.push_str(line);
        }
    }
    let kind = format!("kind: {}", api.kind);
    let version = format!("apiVersion: {}/{}", other.group, other.version);
    let has = |document: &str, wanted: &str| document.lines().any(|line| line.trim_end() == wanted);
    documents.retain(|document| has(document, &kind) && has(document, &version));
    let changed = documents.iter().map(|document| {
        let lines = document.split_inclusive('\n').map(|line| {
            if line.trim_end() == version {
                format!("apiVersion: {}/{}\n", api.group, api.version)
            } else {
                line.to_owned()
            }
        });
        lines.collect::<String>()
    });
    changed.collect::<Vec<_>>().join("---\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{model::Scope, operator::Operator};

    fn widget(version: &str, sample: &str) -> Api {
        Api {
            operator: Operator {
                name: "my-operator".to_owned(),
                domain: None,
            },
            group: "batch.example.com".to_owned(),
            group_module: "batch".to_owned(),
            version: version.to_owned(),
            kind: "Widget".to_owned(),
            module: "widget".to_owned(),
            controller: None,
            sample: sample.to_owned(),
            plural: "widgets".to_owned(),
            scope: Scope::Namespaced,
            is_further_version: true,
            is_first: false,
            brings_support: false,
            is_first_of_version: true,
            has_example: false,
        }
    }

    #[test]
    fn a_copy_is_of_its_own_version() {
        let other = widget("v1alpha1", "widget");
        let api = widget("v1", "widget_v1");
        let types = "// +genclient\n// +kubebuilder:storageversion\n// +kubebuilder:deprecatedversion:warning=\"old\"\n\
                     // +kubebuilder:conversion:webhook\n/// A Widget.\npub struct Widget { pub spec: WidgetSpec }\n\n\
                     // +kubebuilder:storageversion\npub struct Other;\n";
        let sample = "# One\napiVersion: batch.example.com/v1alpha1\nkind: Widget\nmetadata:\n  name: a\n---\nkind: Secret\napiVersion: v1\n\
                      ---\napiVersion: batch.example.com/v1alpha1\nkind: Widget\nmetadata:\n  name: b\n";
        let files = copied(&api, &other, types, sample).unwrap();
        let texts: Vec<&str> = files.values().map(String::as_str).collect();
        assert_eq!(
            texts,
            [
                "# One\napiVersion: batch.example.com/v1\nkind: Widget\nmetadata:\n  name: a\n\
                 ---\napiVersion: batch.example.com/v1\nkind: Widget\nmetadata:\n  name: b\n",
                "// +genclient\n/// A Widget.\npub struct Widget { pub spec: WidgetSpec }\n\n\
                 // +kubebuilder:storageversion\npub struct Other;\n",
            ]
        );
        assert!(copied(&api, &other, "struct Gadget;", sample).is_err());
    }
}
