//! The only module, with [`stage`](super::stage), that writes output.
//!
//! [`apply`] executes plans: first it stages every new file in one folder below its root, then it
//! renames all of them into place, then it removes orphans. A run that fails or is interrupted
//! before the renames leaves no trace.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    ChangeKind, Error, Plan,
    interrupt::{self, Writer},
    stage::{self, Stage, StagedFile},
};
use crate::threads;

/// Executes the changes of all plans.
///
/// Each file changes atomically, so that a reader sees either the old or the new contents. Files
/// without changes keep their modification time. Runs that write below the same root are
/// serialized.
///
/// # Errors
///
/// The first failure, or [`Error::Interrupted`] after [`interrupt`](super::interrupt()). If it
/// occurs before the renames, nothing has changed, and folders created for the run are removed
/// again.
pub fn apply<'a>(plans: impl IntoIterator<Item = &'a Plan, IntoIter: Clone>) -> Result<(), Error> {
    let _writer = Writer::begin()?;
    let plans = plans.into_iter();
    let mut staging = Staging::default();
    staging.open(plans.clone())?;
    for plan in plans.clone() {
        Staging::check_removals(plan)?;
        staging.add(plan)?;
    }
    interrupt::check()?;
    staging.commit()?;
    for plan in plans {
        for change in plan.changes() {
            if change.kind == ChangeKind::Remove {
                remove(plan.root(), &change.path)?;
            }
        }
    }
    Ok(())
}

/// Staged files and created folders; dropping it before [`Staging::commit`] removes them all.
#[derive(Default)]
struct Staging {
    stages: BTreeMap<PathBuf, Stage>,
    files: Vec<StagedFile>,
    folders: Vec<PathBuf>,
    committed: bool,
}

impl Staging {
    /// Opens a stage for each root that has files to write, or that has the folder of a killed run.
    fn open<'a>(&mut self, plans: impl Iterator<Item = &'a Plan>) -> Result<(), Error> {
        let writes = |plan: &&Plan| {
            let mut changes = plan.changes().iter();
            changes.any(|change| change.kind != ChangeKind::Remove) || stage::is_left(plan.root())
        };
        // Lock in path order, so that two runs cannot deadlock.
        let mut roots = BTreeMap::new();
        for plan in plans.filter(writes) {
            create_folders(plan.root(), &mut self.folders)?;
            roots.insert(plan.location(), plan.root());
        }
        for (location, root) in roots {
            self.stages.insert(location, Stage::open(root)?);
        }
        Ok(())
    }

    /// Checks in advance that the files to remove, which is the last step, can be removed.
    fn check_removals(plan: &Plan) -> Result<(), Error> {
        let changes = plan.changes().iter();
        for orphan in changes.filter(|change| change.kind == ChangeKind::Remove) {
            let target = plan.root().join(&orphan.path);
            let folder = folder_of(&target);
            let checked = check_writable(folder).and_then(|()| check_replaceable(folder, &target));
            checked.map_err(Error::io("remove", &target))?;
        }
        Ok(())
    }

    /// Stages the files of a plan.
    fn add(&mut self, plan: &Plan) -> Result<(), Error> {
        let Some(stage) = self.stages.get(&plan.location()) else {
            return Ok(());
        };
        let mut ready = BTreeSet::new();
        let mut texts = Vec::new();
        for change in plan.changes() {
            let (ChangeKind::Create { text } | ChangeKind::Update { text, .. }) = &change.kind
            else {
                continue;
            };
            let target = plan.root().join(&change.path);
            let folder = folder_of(&target);
            if !ready.contains(folder) {
                create_folders(folder, &mut self.folders)?;
                check_writable(folder).map_err(Error::io("write", &target))?;
                ready.insert(folder.to_owned());
            }
            check_replaceable(folder, &target).map_err(Error::io("write", &target))?;
            texts.push((target, text));
        }
        // Writing thousands of files takes a quarter as long as reading the input, so it is done in
        // parallel.
        let stage = |(target, text): &(PathBuf, &String)| stage.add(target, text);
        let staged = threads::map(&texts, stage).map_err(Error::io("write to", plan.root()))?;
        for file in staged {
            self.files.push(file?);
        }
        Ok(())
    }

    fn commit(mut self) -> Result<(), Error> {
        for file in std::mem::take(&mut self.files) {
            self.committed = true;
            file.commit()?;
        }
        Ok(())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.stages.clear();
        if self.committed {
            return;
        }
        for folder in self.folders.iter().rev() {
            // A folder that was filled by something else meanwhile is kept.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Folders created for a run; dropping it removes those that are empty.
#[derive(Debug, Default)]
pub(super) struct Created(Vec<PathBuf>);

impl Created {
    /// Creates a folder and its missing ancestors.
    pub(super) fn create(&mut self, folder: &Path) -> Result<(), Error> {
        create_folders(folder, &mut self.0)
    }
}

impl Drop for Created {
    fn drop(&mut self) {
        for folder in self.0.iter().rev() {
            let _ = fs::remove_dir(folder);
        }
    }
}

/// The folder of a file, `.` for a file in the current folder.
fn folder_of(file: &Path) -> &Path {
    let parent = file.parent().filter(|it| !it.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

/// Creates a folder and its missing ancestors, and adds those created to `created`. Other runs may
/// create and remove the same ones meanwhile.
fn create_folders(folder: &Path, created: &mut Vec<PathBuf>) -> Result<(), Error> {
    let is_missing = |it: &&Path| !it.as_os_str().is_empty() && !it.exists();
    while let Some(ancestor) = folder.ancestors().take_while(is_missing).last() {
        match fs::create_dir(ancestor) {
            Ok(()) => created.push(ancestor.to_owned()),
            Err(error) if was_changed(ancestor, &error) => {}
            Err(error) => return Err(Error::io("create", ancestor)(error)),
        }
    }
    Ok(())
}

/// Whether a folder could not be created because another run created it, or removed the one above.
fn was_changed(folder: &Path, error: &io::Error) -> bool {
    match error.kind() {
        // A file, or a link that leads nowhere, stays in the way.
        io::ErrorKind::AlreadyExists => folder.is_dir() || folder.symlink_metadata().is_err(),
        io::ErrorKind::NotFound => folder.parent().is_some_and(|it| !it.exists()),
        _ => false,
    }
}

/// Checks that files can be moved into a folder, so that a failure is found before the first
/// rename.
fn check_writable(folder: &Path) -> io::Result<()> {
    let metadata = fs::metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    #[cfg(unix)]
    {
        use rustix::fs::{Access, access};
        access(folder, Access::WRITE_OK | Access::EXEC_OK)?;
    }
    Ok(())
}

/// Checks that the user may replace `target`: in a sticky folder, only owners may replace their
/// files.
#[cfg(unix)]
fn check_replaceable(folder: &Path, target: &Path) -> io::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let Ok(found) = fs::symlink_metadata(target) else {
        return Ok(());
    };
    let folder = fs::metadata(folder)?;
    let user = rustix::process::geteuid().as_raw();
    if may_replace(user, (folder.mode(), folder.uid()), found.uid()) {
        Ok(())
    } else {
        Err(rustix::io::Errno::PERM.into())
    }
}

#[cfg(not(unix))]
fn check_replaceable(_folder: &Path, _target: &Path) -> io::Result<()> {
    Ok(())
}

/// Whether `user` may replace a file of `owner` in a folder with this mode and owner.
#[cfg(unix)]
fn may_replace(user: u32, (mode, folder_owner): (u32, u32), owner: u32) -> bool {
    const STICKY: u32 = 0o1000;
    mode & STICKY == 0 || [0, folder_owner, owner].contains(&user)
}

/// Removes an orphan and all folders below `root` that become empty.
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

#[cfg(all(test, unix))]
mod tests {
    use super::may_replace;

    #[test]
    fn in_a_sticky_folder_owners_replace_files() {
        let (anna, ben, root) = (1000, 1001, 0);
        let check = |user, mode, folder, owner, expected| {
            let found = may_replace(user, (mode, folder), owner);
            assert_eq!(found, expected, "{user} {mode:o} {folder} {owner}");
        };
        check(anna, 0o40777, root, ben, true);
        check(anna, 0o41777, root, ben, false);
        check(anna, 0o41777, root, anna, true);
        check(anna, 0o41777, anna, ben, true);
        check(root, 0o41777, anna, ben, true);
    }
}
