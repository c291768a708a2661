//! Plans: how the files on disk differ from the generated ones.
//!
//! A plan only reads. It also enforces where output may go: below its root, not through symbolic
//! links that leave it, and never over a handwritten file. [`apply`](super::apply) executes plans.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
};

use similar::TextDiff;

use super::{
    Error, OrphanSearch, Tree,
    guard::Guard,
    html, markdown,
    orphans::{orphaned_crds, orphaned_packaged, orphaned_pages, orphans, recognizer},
    stage,
    yaml::is_printed,
};
use crate::header::{has_marker, is_generated};

/// The differences between a generated tree and the disk.
#[derive(Clone, Debug)]
pub struct Plan {
    root: PathBuf,
    changes: Vec<Change>,
    unchanged: Vec<PathBuf>,
}

/// A file that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Relative to the plan's root.
    pub path: PathBuf,
    /// How it differs.
    pub kind: ChangeKind,
}

/// How a file differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    /// It is missing.
    Create {
        /// The generated contents.
        text: String,
    },
    /// Its contents differ.
    Update {
        /// The contents on disk; invalid UTF-8 is replaced.
        old: String,
        /// The generated contents.
        text: String,
    },
    /// It carries the generated marker, but is no longer generated.
    Remove,
    /// It is the staging folder of a run that was killed while writing; the next run that writes
    /// removes it.
    Leftover,
}

/// The folders of manifests, relative to the root, that only this run writes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Owned<'a> {
    /// The folder with one file per CRD. A CRD there is removed if the tree has CRDs of its group
    /// but not this one.
    pub crds: Option<&'a Path>,
    /// The folder of the API reference. A page there with the marker is removed if the tree has
    /// pages of its group but not this one.
    pub pages: Option<&'a Path>,
}

impl Plan {
    /// Compares `tree` with the files below `root`, and searches `scope` for orphans. Files of
    /// `once` are only written if they are missing; afterwards they belong to the user.
    ///
    /// # Errors
    ///
    /// A path that leads out of `root`, a handwritten file in the way, or a file that cannot be
    /// read.
    pub fn new(root: &Path, tree: Tree, once: Tree, scope: &OrphanSearch) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        if root.metadata().is_ok_and(|found| !found.is_dir()) {
            return Err(Error::Io {
                action: "write to",
                path: root.to_owned(),
                source: io::ErrorKind::NotADirectory.into(),
            });
        }
        for orphan in orphans(root, &tree, scope)? {
            plan.push(orphan, ChangeKind::Remove);
        }
        let guard = Guard::new(root);
        if let Some(path) = once.keys().find(|path| tree.contains_key(*path)) {
            return Err(Error::Twice { path: path.clone() });
        }
        for (path, text) in tree {
            let is_generated = recognizer(&path);
            plan.compare(&guard, path, text, is_generated)?;
        }
        for (path, text) in once {
            guard.check(&path)?;
            if root.join(&path).symlink_metadata().is_err() {
                plan.push(path, ChangeKind::Create { text });
            }
        }
        if stage::is_left(root) {
            plan.push(stage::FOLDER.into(), ChangeKind::Leftover);
        }
        plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(plan)
    }

    /// Compares manifests with the files below `root`. YAML has no marker: a file that is printed
    /// as the generator would, apart from comments at its head, counts as generated. In the folders
    /// of `owned`, files of the tree's groups that are no longer generated are removed; all other
    /// files are kept.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn of_manifests(root: &Path, tree: Tree, owned: Owned<'_>) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        let crds = owned.crds.map(|folder| orphaned_crds(root, &tree, folder));
        let pages = owned
            .pages
            .map(|folder| orphaned_pages(root, &tree, folder));
        for orphans in [crds, pages].into_iter().flatten() {
            for orphan in orphans? {
                plan.push(orphan, ChangeKind::Remove);
            }
        }
        let guard = Guard::new(root);
        for (path, text) in tree {
            let is_generated = match path.extension().and_then(OsStr::to_str) {
                Some("md") => markdown::is_generated,
                Some("html") => html::is_generated,
                _ => is_printed,
            };
            plan.compare(&guard, path, text, is_generated)?;
        }
        plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(plan)
    }

    /// Compares packages with the files below `root`: files of any format, which carry the marker
    /// somewhere. Files with the marker in `folders` that are no longer generated are removed.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn of_packages(root: &Path, tree: Tree, folders: &[&Path]) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        for folder in folders {
            for orphan in orphaned_packaged(root, &tree, folder)? {
                plan.push(orphan, ChangeKind::Remove);
            }
        }
        let guard = Guard::new(root);
        for (path, text) in tree {
            plan.compare(&guard, path, text, has_marker)?;
        }
        plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(plan)
    }

    /// Compares files that belong to the user with a command's edits of them: the new contents, or
    /// `None` to remove the file.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn of_edits(root: &Path, files: BTreeMap<PathBuf, Option<String>>) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        let guard = Guard::new(root);
        for (path, text) in files {
            match text {
                Some(text) => plan.compare(&guard, path, text, |_| true)?,
                None if root.join(&path).symlink_metadata().is_ok() => {
                    guard.check(&path)?;
                    plan.push(path, ChangeKind::Remove);
                }
                None => {}
            }
        }
        Ok(plan)
    }

    /// Compares one file with its new contents.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn of_file(root: &Path, path: PathBuf, text: String) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        plan.compare(&Guard::new(root), path, text, is_generated)?;
        Ok(plan)
    }

    fn compare(
        &mut self,
        guard: &Guard,
        path: PathBuf,
        text: String,
        is_generated: fn(&str) -> bool,
    ) -> Result<(), Error> {
        guard.check(&path)?;
        let target = self.root.join(&path);
        if target
            .symlink_metadata()
            .is_ok_and(|found| !found.is_file())
        {
            // Reading a pipe might never end.
            let error = io::Error::other("it is not a regular file");
            return Err(Error::io("replace", &target)(error));
        }
        let old = match fs::read(&target) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                self.push(path, ChangeKind::Create { text });
                return Ok(());
            }
            Err(error) => return Err(Error::io("read", &target)(error)),
        };
        if old == text.as_bytes() {
            self.unchanged.push(path);
            return Ok(());
        }
        let old = String::from_utf8_lossy(&old).into_owned();
        if !is_generated(&old) {
            return Err(Error::Handwritten { path: target });
        }
        self.push(path, ChangeKind::Update { old, text });
        Ok(())
    }

    fn push(&mut self, path: PathBuf, kind: ChangeKind) {
        self.changes.push(Change { path, kind });
    }

    /// The folder that all paths are relative to.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The files that differ, sorted by path.
    #[must_use]
    pub fn changes(&self) -> &[Change] {
        &self.changes
    }

    /// The number of files that are up to date.
    #[must_use]
    pub const fn unchanged(&self) -> usize {
        self.unchanged.len()
    }

    /// Whether there are no changes.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }

    /// Reconciles the plans of one run: no plan removes a file that another one writes or keeps.
    ///
    /// # Errors
    ///
    /// [`Error::Twice`] for a file that two plans write with different contents.
    pub fn agree(plans: &mut [&mut Self]) -> Result<(), Error> {
        if plans.len() < 2 {
            return Ok(());
        }
        let mut wanted = BTreeMap::new();
        for plan in plans.iter() {
            let root = plan.location();
            for (path, text) in plan.wanted() {
                let first = wanted.insert(root.join(path), text);
                if first.is_some_and(|first| first != text) {
                    let path = plan.root.join(path);
                    return Err(Error::Twice { path });
                }
            }
        }
        let wanted: BTreeSet<PathBuf> = wanted.into_keys().collect();
        let mut leftovers = BTreeSet::new();
        for plan in plans {
            let root = plan.location();
            plan.changes.retain(|change| match change.kind {
                ChangeKind::Remove => !wanted.contains(&root.join(&change.path)),
                ChangeKind::Leftover => leftovers.insert(root.clone()),
                _ => true,
            });
        }
        Ok(())
    }

    /// The files of the plan: with their new contents, or `None` for unchanged ones.
    fn wanted(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        let unchanged = self.unchanged.iter().map(|path| (path.as_path(), None));
        let changed = self.changes.iter().filter_map(|change| match &change.kind {
            ChangeKind::Create { text } | ChangeKind::Update { text, .. } => {
                Some((change.path.as_path(), Some(text.as_str())))
            }
            ChangeKind::Remove | ChangeKind::Leftover => None,
        });
        unchanged.chain(changed)
    }

    /// The files that exist once the plan is written, in the folder's canonical form.
    pub(crate) fn kept(&self) -> impl Iterator<Item = PathBuf> {
        let root = self.location();
        self.wanted().map(move |(path, _)| root.join(path))
    }

    /// The files that the plan removes, in the folder's canonical form.
    pub(crate) fn removed(&self) -> impl Iterator<Item = PathBuf> {
        let root = self.location();
        let removed = self.changes.iter();
        let removed = removed.filter(|change| change.kind == ChangeKind::Remove);
        removed.map(move |change| root.join(&change.path))
    }

    /// A canonical form of the root: see [`location`].
    pub(super) fn location(&self) -> PathBuf {
        location(&self.root)
    }
}

/// A canonical form of a folder, equal for all its spellings.
pub(super) fn location(folder: &Path) -> PathBuf {
    // An empty path is the current folder. With two stages in one folder, the second would wait for
    // the first forever.
    let current = Path::new(".");
    let is_empty = folder.as_os_str().is_empty();
    let root = if is_empty { current } else { folder };
    let real = root.canonicalize();
    let real = real.or_else(|_| std::path::absolute(root));
    real.unwrap_or_else(|_| folder.to_owned())
}

impl Change {
    /// Formats the difference for a failed check, with a trailing newline: a unified diff for
    /// `patch -p0`, or a line that names a missing or orphaned file. `shown` is the path to print.
    #[must_use]
    pub fn describe(&self, shown: &str) -> String {
        match &self.kind {
            ChangeKind::Create { .. } => format!("missing: {shown}\n"),
            ChangeKind::Remove => format!("orphaned: {shown}\n"),
            ChangeKind::Leftover => format!("left by an interrupted run: {shown}\n"),
            ChangeKind::Update { old, text } => TextDiff::from_lines(old, text)
                .unified_diff()
                .context_radius(3)
                .header(shown, shown)
                .to_string(),
        }
    }
}
