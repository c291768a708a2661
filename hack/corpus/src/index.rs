//! The index of the corpus: its projects, with their CRDs and valid samples.

use std::{collections::BTreeMap, fs, path::Path};

use serde::Deserialize;

/// The projects, sorted by name.
pub(crate) struct Index {
    pub(crate) projects: Vec<Project>,
}

/// A project's files, relative to the corpus.
#[derive(Default)]
pub(crate) struct Project {
    /// A legal crate name: `cert-manager__cert-manager`.
    pub(crate) name: String,
    pub(crate) crds: Vec<String>,
    pub(crate) samples: Vec<String>,
}

#[derive(Deserialize)]
struct File {
    crds: Vec<Crd>,
    samples: Vec<Sample>,
}

#[derive(Deserialize)]
struct Crd {
    path: String,
}

#[derive(Deserialize)]
struct Sample {
    path: String,
    flags: Vec<String>,
}

impl Index {
    pub(crate) fn read(corpus: &Path) -> crate::Result<Self> {
        let file: File = serde_json::from_str(&fs::read_to_string(corpus.join("index.json"))?)?;
        let mut projects: BTreeMap<String, Project> = BTreeMap::new();
        for crd in file.crds {
            let name = project_of(&crd.path);
            let project = projects.entry(name.clone()).or_insert_with(|| Project {
                name,
                ..Project::default()
            });
            project.crds.push(crd.path);
        }
        for sample in file.samples {
            // Unserved versions have no types. Duplicate keys are refused, as by strict decoding in
            // the API server.
            if sample
                .flags
                .iter()
                .any(|flag| flag == "unserved_version" || flag == "dup_keys")
            {
                continue;
            }
            if let Some(project) = projects.get_mut(&project_of(&sample.path)) {
                project.samples.push(sample.path);
            }
        }
        Ok(Self {
            projects: projects.into_values().collect(),
        })
    }
}

fn project_of(path: &str) -> String {
    path.split('/').nth(1).unwrap_or_default().replace('.', "-")
}
