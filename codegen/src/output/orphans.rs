//! Orphans: generated files that nothing generates any more.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use super::{Error, Tree, format::is_generated};
use crate::emit::Generator;

/// Where orphans are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// Folders relative to the root; searched with all that is below them.
    pub folders: BTreeSet<PathBuf>,
    /// The folder that holds clientset, listers and informers, relative to the root.
    pub generated: PathBuf,
    /// The generators whose files may be orphans; none means all.
    pub only: Option<BTreeSet<Generator>>,
}

/// Files in scope that carry the marker and that the tree lacks, sorted.
pub(super) fn orphans(root: &Path, tree: &Tree, scope: &Scope) -> Result<BTreeSet<PathBuf>, Error> {
    let mut found = BTreeSet::new();
    for folder in &scope.folders {
        collect_orphans(root, folder, tree, scope, &mut found)?;
    }
    Ok(found)
}

fn collect_orphans(
    root: &Path,
    folder: &Path,
    tree: &Tree,
    scope: &Scope,
    found: &mut BTreeSet<PathBuf>,
) -> Result<(), Error> {
    let full = root.join(folder);
    let entries = match fs::read_dir(&full) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Error::io("read", &full)(error)),
    };
    for entry in entries {
        let entry = entry.map_err(Error::io("read", &full))?;
        let path = folder.join(entry.file_name());
        // The type of the entry itself: a symbolic link is neither file nor folder, so it is not followed.
        let kind = entry
            .file_type()
            .map_err(Error::io("read", &entry.path()))?;
        if kind.is_dir() {
            collect_orphans(root, &path, tree, scope, found)?;
        } else if kind.is_file()
            && path.extension().is_some_and(|extension| extension == "rs")
            && !tree.contains_key(&path)
            && scope.covers(&path)
        {
            let text = fs::read(entry.path()).map_err(Error::io("read", &entry.path()))?;
            if is_generated(&String::from_utf8_lossy(&text)) {
                found.insert(path);
            }
        }
    }
    Ok(())
}

impl Scope {
    /// Whether a generated file of this path, which nothing generates now, is an orphan.
    fn covers(&self, path: &Path) -> bool {
        let Some(only) = &self.only else { return true };
        Generator::of(path, &self.generated).is_some_and(|generator| only.contains(&generator))
    }
}
