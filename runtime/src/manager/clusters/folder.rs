//! Kubeconfig files in a folder.

use std::collections::btree_map::Entry;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::{Access, ClusterMap, ClusterSource};
use crate::error::chain;

/// A cluster for each kubeconfig file in a folder, named like the file without its extension.
/// Hidden files are left out, as those by which a mounted Secret is updated.
///
/// The folder is read every ten seconds by default, so that it may lie on any file system. While it
/// cannot be read, the clusters stay as they were.
#[derive(Clone, Debug)]
pub struct KubeconfigFolder {
    path: PathBuf,
    period: Duration,
}

impl KubeconfigFolder {
    /// The files in `path`.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            period: Duration::from_secs(10),
        }
    }

    /// Sets how often the folder is read.
    pub fn period(mut self, period: Duration) -> Self {
        self.period = period;
        self
    }
}

impl ClusterSource for KubeconfigFolder {
    async fn run(
        &self,
        clusters: watch::Sender<ClusterMap>,
        stop: CancellationToken,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        let work = async {
            loop {
                let path = self.path.clone();
                match tokio::task::spawn_blocking(move || read(&path)).await? {
                    Ok(found) => {
                        clusters.send_replace(found);
                    }
                    Err(error) => {
                        let folder = self.path.display();
                        tracing::warn!(%folder, error = %chain(&error), "cannot read the kubeconfigs");
                    }
                }
                sleep(self.period).await;
            }
        };
        stop.run_until_cancelled(work).await.unwrap_or(Ok(()))
    }
}

fn read(folder: &Path) -> io::Result<ClusterMap> {
    let entries = std::fs::read_dir(folder)?;
    let mut paths = entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    let mut clusters = ClusterMap::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        if name.starts_with('.') || !path.is_file() {
            continue;
        }
        match clusters.entry(name.clone().into_owned()) {
            Entry::Vacant(vacant) => {
                vacant.insert(Access::kubeconfig(std::fs::read_to_string(&path)?));
            }
            Entry::Occupied(_) => {
                tracing::warn!(file = %path.display(), cluster = %name, "another file has this cluster already");
            }
        }
    }
    Ok(clusters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_clusters_and_hidden_ones_are_not() {
        let folder = std::env::temp_dir().join(format!("clusters-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("..2026")).unwrap();
        for name in ["west.yaml", "west.yml", "east", ".hidden.yaml"] {
            std::fs::write(folder.join(name), name).unwrap();
        }
        let clusters = read(&folder).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(clusters.keys().collect::<Vec<_>>(), ["east", "west"]);
        assert!(clusters["west"].is_same(&Access::kubeconfig("west.yaml")));
        assert!(read(&folder).is_err());
    }
}
