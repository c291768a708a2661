//! The only place that touches the disk for output.
//!
//! [`apply`] carries out what plans found: first every new text is written to a temporary file beside its target, then
//! all of them are renamed into place, then orphans are removed. A run that fails before the renames, for want of space or
//! of permission, leaves no trace.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use tempfile::TempPath;

use super::{ChangeKind, Error, Plan};

/// Carries out the changes of all plans.
///
/// Each file changes atomically, so that a reader sees the old text or the new one. Files that a plan leaves alone keep
/// their modification time.
///
/// # Errors
///
/// The first failure. Nothing has changed if it came before the renames; folders created for the run are removed again.
pub fn apply<'a>(plans: impl IntoIterator<Item = &'a Plan, IntoIter: Clone>) -> Result<(), Error> {
    let plans = plans.into_iter();
    let mut staged = Staged::default();
    for plan in plans.clone() {
        for change in plan.changes() {
            if let ChangeKind::Create { text } | ChangeKind::Update { text, .. } = &change.kind {
                staged.add(&plan.root().join(&change.path), text)?;
            }
        }
    }
    staged.commit()?;
    for plan in plans {
        for change in plan.changes() {
            if change.kind == ChangeKind::Remove {
                remove(plan.root(), &change.path)?;
            }
        }
    }
    Ok(())
}

/// New texts in temporary files beside their targets; dropped before [`Staged::commit`], all traces go.
#[derive(Default)]
struct Staged {
    files: Vec<(TempPath, PathBuf)>,
    folders: Vec<PathBuf>,
    committed: bool,
}

impl Staged {
    fn add(&mut self, target: &Path, text: &str) -> Result<(), Error> {
        let folder = target.parent().unwrap_or(Path::new("."));
        self.create_folders(folder)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".kube-codegen-");
        let permissions = permissions(target);
        if let Some(permissions) = permissions.clone() {
            builder.permissions(permissions);
        }
        let mut file = builder
            .tempfile_in(folder)
            .map_err(Error::io("write", target))?;
        file.write_all(text.as_bytes())
            .map_err(Error::io("write", target))?;
        // The handle is closed here: thousands of staged files must not exhaust the process's file descriptors.
        self.files.push((file.into_temp_path(), target.to_owned()));
        Ok(())
    }

    fn create_folders(&mut self, folder: &Path) -> Result<(), Error> {
        let missing: Vec<&Path> = folder
            .ancestors()
            .take_while(|ancestor| !ancestor.as_os_str().is_empty() && !ancestor.exists())
            .collect();
        for ancestor in missing.into_iter().rev() {
            fs::create_dir(ancestor).map_err(Error::io("create", ancestor))?;
            self.folders.push(ancestor.to_owned());
        }
        Ok(())
    }

    fn commit(mut self) -> Result<(), Error> {
        for (temporary, target) in std::mem::take(&mut self.files) {
            self.committed = true;
            temporary.persist(&target).map_err(|error| Error::Io {
                action: "write",
                path: target,
                source: error.error,
            })?;
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.committed {
            return;
        }
        self.files.clear();
        for folder in self.folders.iter().rev() {
            // A folder that something else has filled meanwhile stays; nothing is lost by that.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// What a file is to be created with: the permissions of the one it replaces, or those that the umask leaves.
#[cfg(unix)]
fn permissions(target: &Path) -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(
        fs::metadata(target)
            .map(|metadata| metadata.permissions())
            .unwrap_or_else(|_| fs::Permissions::from_mode(0o666)),
    )
}

#[cfg(not(unix))]
fn permissions(_target: &Path) -> Option<fs::Permissions> {
    None
}

/// Removes an orphan and every folder below `root` that it leaves empty.
fn remove(root: &Path, path: &Path) -> Result<(), Error> {
    let target = root.join(path);
    fs::remove_file(&target).map_err(Error::io("remove", &target))?;
    for folder in path.ancestors().skip(1) {
        if folder.as_os_str().is_empty() || fs::remove_dir(root.join(folder)).is_err() {
            break;
        }
    }
    Ok(())
}
