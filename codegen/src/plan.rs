//! Plans: how the files on disk differ from what was generated.
//!
//! A plan only reads. It also holds the rules of where output may go: below its root, not through symbolic links out of
//! it, never over a file that a person wrote. [`write::apply`](crate::write::apply) carries plans out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use similar::TextDiff;

use crate::{
    format::MARKER,
    options::Generator,
    write::{Error, Tree},
};

/// The number of lines in which the generated marker is looked for: a license header comes before it.
const MARKER_WITHIN: usize = 400;

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
        /// The generated text.
        text: String,
    },
    /// Its text is another.
    Update {
        /// The text on disk; bytes that are no UTF-8 are replaced.
        old: String,
        /// The generated text.
        text: String,
    },
    /// It carries the generated marker, but nothing generates it any more.
    Remove,
}

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

impl Plan {
    /// Compares `tree` with the files below `root`, and looks for orphans in `scope`. Files of `once` are planned only where
    /// they are missing: their readers own them from then on.
    ///
    /// # Errors
    ///
    /// A path that leads out of `root`, a handwritten file in the way, or a file that cannot be read.
    pub fn new(root: &Path, tree: &Tree, once: &Tree, scope: &Scope) -> Result<Self, Error> {
        let mut plan = Self {
            root: root.to_owned(),
            changes: Vec::new(),
            unchanged: Vec::new(),
        };
        let guard = Guard::new(root);
        for (path, text) in tree {
            plan.compare(&guard, path, text)?;
        }
        for (path, text) in once {
            if tree.contains_key(path) {
                return Err(Error::Twice { path: path.clone() });
            }
            guard.check(path)?;
            if root.join(path).symlink_metadata().is_err() {
                plan.push(path, ChangeKind::Create { text: text.clone() });
            }
        }
        for orphan in orphans(root, tree, scope)? {
            plan.push(&orphan, ChangeKind::Remove);
        }
        plan.changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(plan)
    }

    fn compare(&mut self, guard: &Guard, path: &Path, text: &str) -> Result<(), Error> {
        guard.check(path)?;
        let target = self.root.join(path);
        let old = match fs::read(&target) {
            Ok(old) => old,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let text = text.to_owned();
                self.push(path, ChangeKind::Create { text });
                return Ok(());
            }
            Err(error) => return Err(Error::io("read", &target)(error)),
        };
        if old == text.as_bytes() {
            self.unchanged.push(path.to_owned());
            return Ok(());
        }
        let old = String::from_utf8_lossy(&old).into_owned();
        if !is_generated(&old) {
            return Err(Error::Handwritten { path: target });
        }
        let text = text.to_owned();
        self.push(path, ChangeKind::Update { old, text });
        Ok(())
    }

    fn push(&mut self, path: &Path, kind: ChangeKind) {
        self.changes.push(Change {
            path: path.to_owned(),
            kind,
        });
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

    /// The number of files that are as generated.
    #[must_use]
    pub const fn unchanged(&self) -> usize {
        self.unchanged.len()
    }

    /// Whether nothing differs.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.changes.is_empty()
    }

    /// Makes the plans of one run agree: what one of them writes or leaves as it is, no other removes.
    ///
    /// # Errors
    ///
    /// [`Error::Twice`] for a file that two plans want with different texts.
    pub fn agree(plans: &mut [&mut Self]) -> Result<(), Error> {
        if plans.len() < 2 {
            return Ok(());
        }
        let mut wanted = BTreeMap::new();
        for plan in plans.iter() {
            let root = plan.location();
            for (path, text) in plan.wanted() {
                let first = wanted.entry(root.join(path)).or_insert(text);
                if *first != text {
                    let path = plan.root.join(path);
                    return Err(Error::Twice { path });
                }
            }
        }
        let wanted: BTreeSet<PathBuf> = wanted.into_keys().collect();
        for plan in plans {
            let root = plan.location();
            plan.changes.retain(|change| {
                change.kind != ChangeKind::Remove || !wanted.contains(&root.join(&change.path))
            });
        }
        Ok(())
    }

    /// The files that the plan wants there to be: their new text, or none where they stay as they are.
    fn wanted(&self) -> impl Iterator<Item = (&Path, Option<&str>)> {
        let unchanged = self.unchanged.iter().map(|path| (path.as_path(), None));
        let changed = self.changes.iter().filter_map(|change| match &change.kind {
            ChangeKind::Create { text } | ChangeKind::Update { text, .. } => {
                Some((change.path.as_path(), Some(text.as_str())))
            }
            ChangeKind::Remove => None,
        });
        unchanged.chain(changed)
    }

    /// The root, the same for the same folder however it is written.
    fn location(&self) -> PathBuf {
        let real = self.root.canonicalize();
        let real = real.or_else(|_| std::path::absolute(&self.root));
        real.unwrap_or_else(|_| self.root.clone())
    }
}

impl Change {
    /// The difference as a reader of a failed check wants it, ending in a newline: a unified diff that `patch -p0` takes, or
    /// a line that names a missing or orphaned file. `shown` is the path to show.
    #[must_use]
    pub fn describe(&self, shown: &str) -> String {
        match &self.kind {
            ChangeKind::Create { .. } => format!("missing: {shown}\n"),
            ChangeKind::Remove => format!("orphaned: {shown}\n"),
            ChangeKind::Update { old, text } => TextDiff::from_lines(old, text)
                .unified_diff()
                .context_radius(3)
                .header(shown, shown)
                .to_string(),
        }
    }
}

/// Whether a text carries the generated marker, as a line of its own near its start.
#[must_use]
pub(crate) fn is_generated(text: &str) -> bool {
    text.lines()
        .take(MARKER_WITHIN)
        .any(|line| line.trim_end() == MARKER)
}

/// The rule that output stays below a root.
struct Guard {
    root: PathBuf,
    canonical: Option<PathBuf>,
}

impl Guard {
    fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            canonical: root.canonicalize().ok(),
        }
    }

    /// Holds the path against the rule: only plain names, no symbolic link as the file, none out of the root on the way.
    fn check(&self, path: &Path) -> Result<(), Error> {
        let plain = path
            .components()
            .all(|component| matches!(component, Component::Normal(_)));
        if !plain || path.as_os_str().is_empty() {
            return Err(Error::Escapes {
                path: path.to_owned(),
            });
        }
        let Some(canonical) = &self.canonical else {
            return Ok(()); // The root does not exist yet, so nothing below it can be a link.
        };
        let target = self.root.join(path);
        for ancestor in path.ancestors() {
            let link = self.root.join(ancestor);
            let is_link = link
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_symlink());
            let allowed = !is_link
                || ancestor.as_os_str().is_empty()
                || (ancestor != path
                    && link
                        .canonicalize()
                        .is_ok_and(|real| real.starts_with(canonical)));
            if !allowed {
                return Err(Error::Symlink { path: target, link });
            }
        }
        Ok(())
    }
}

/// Files in scope that carry the marker and that the tree lacks, sorted.
fn orphans(root: &Path, tree: &Tree, scope: &Scope) -> Result<BTreeSet<PathBuf>, Error> {
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
        generator_of(path, &self.generated).is_some_and(|generator| only.contains(&generator))
    }
}

/// The generator that a file comes from, by where it stands; none for files that several share (`generated/mod.rs`).
pub(crate) fn generator_of(path: &Path, generated: &Path) -> Option<Generator> {
    match path.file_name().and_then(|name| name.to_str()) {
        Some("zz_generated_deepcopy.rs") => return Some(Generator::Deepcopy),
        Some("zz_generated_register.rs") => return Some(Generator::Register),
        _ => {}
    }
    let Ok(below) = path.strip_prefix(generated) else {
        return Some(Generator::Types);
    };
    let mut parts = below.iter().filter_map(|part| part.to_str());
    match (parts.next()?, parts.next()) {
        ("clientset", Some("fake" | "fake.rs")) => Some(Generator::Fake),
        ("clientset", _) => Some(Generator::Client),
        ("listers", _) => Some(Generator::Lister),
        ("informers", _) => Some(Generator::Informer),
        _ => None,
    }
}
