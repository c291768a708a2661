//! A further version of a kind that starts as a copy of another one.

use super::{Api, Neighbours, Part, copied_paths::moved, edit::EditError, marker};
use crate::output::Tree;

/// The markers of a kind that belong to one of its versions.
const OF_ONE_VERSION: [&str; 4] = [
    "kubebuilder:storageversion",
    "kubebuilder:unservedversion",
    "kubebuilder:deprecatedversion",
    "kubebuilder:conversion:webhook",
];

impl Api {
    /// The types and the sample of this version as those of another version of the kind.
    ///
    /// # Errors
    ///
    /// [`EditError`]: the types are not valid Rust, or lack the kind.
    pub fn copy_of(
        &self,
        (other, neighbours): (&Self, &Neighbours),
        types: &str,
        sample: &str,
    ) -> Result<Tree, EditError> {
        let types = marker::without(types, &self.kind, &OF_ONE_VERSION)?;
        let types = moved(&types, (other, self), neighbours)?;
        let sample = copied_sample(self, other, sample);
        let files = [(Part::Types, types), (Part::Sample, sample)].into_iter();
        Ok(files
            .filter_map(|(part, text)| Some((self.path(part)?, text)))
            .collect())
    }
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
    #[test]
    fn a_copy_is_of_its_own_version() {
        let other = Api::widget("v1alpha1");
        let api = Api {
            sample: "widget_v1".to_owned(),
            ..Api::widget("v1")
        };
        let types = "// +genclient\n// +kubebuilder:storageversion\n// +kubebuilder:deprecatedversion:warning=\"old\"\n\
                     // +kubebuilder:conversion:webhook\n/// A Widget.\npub struct Widget { pub spec: WidgetSpec }\n\n\
                     // +kubebuilder:storageversion\npub struct Other;\n";
        let sample = "# One\napiVersion: batch.example.com/v1alpha1\nkind: Widget\nmetadata:\n  name: a\n---\nkind: Secret\napiVersion: v1\n\
                      ---\napiVersion: batch.example.com/v1alpha1\nkind: Widget\nmetadata:\n  name: b\n";
        let none = Neighbours::default();
        let files = api.copy_of((&other, &none), types, sample).unwrap();
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
        assert!(
            api.copy_of((&other, &none), "struct Gadget;", sample)
                .is_err()
        );
    }
}
