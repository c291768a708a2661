//! Stages: the folder below a root that holds new files until they are renamed into place.
//!
//! A run locks the folder while it writes, and removes it at the end. An unlocked folder was left
//! by a killed run; the next run that writes removes it.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use super::{Error, interrupt};

/// The folder's name.
pub(super) const FOLDER: &str = ".kube-codegen";

/// The lock file in it.
const LOCK: &str = "lock";

/// The interval between attempts to take a lock that another run holds.
pub(super) const PAUSE: Duration = Duration::from_millis(50);

/// A run's locked staging folder; dropping it removes the folder.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    /// Held for its lock.
    _lock: File,
    files: AtomicUsize,
}

/// A file that is written but not renamed into place yet.
#[derive(Debug)]
pub(super) struct StagedFile {
    path: PathBuf,
    target: PathBuf,
}

/// Whether a killed run left its folder below `root`.
pub(super) fn is_left(root: &Path) -> bool {
    let folder = root.join(FOLDER);
    let is_folder = folder
        .symlink_metadata()
        .is_ok_and(|metadata| metadata.is_dir());
    let is_held = || {
        let lock = File::open(folder.join(LOCK));
        lock.is_ok_and(|lock| matches!(lock.try_lock(), Err(TryLockError::WouldBlock)))
    };
    let mut entries = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .flatten()
        .peekable();
    let is_empty = entries.peek().is_none();
    let is_ours = is_empty || entries.any(|entry| entry.file_name() == LOCK || is_staged(&entry));
    is_folder && is_ours && !is_held()
}

/// Whether the entry is a staged file.
fn is_staged(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_str();
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Stage {
    /// Creates the folder below an existing root, or takes over what a killed run left. Waits while
    /// another run holds the lock.
    pub(super) fn open(root: &Path) -> Result<Self, Error> {
        let folder = root.join(FOLDER);
        loop {
            interrupt::check()?;
            match fs::create_dir(&folder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(Error::io("create", &folder)(error));
                }
                _ => {}
            }
            if folder
                .symlink_metadata()
                .is_ok_and(|metadata| metadata.is_symlink())
            {
                return Err(Error::Symlink {
                    path: folder.join(LOCK),
                    link: folder,
                });
            }
            if let Some(lock) = lock(&folder).map_err(Error::io("lock", &folder))? {
                let stage = Self {
                    folder,
                    _lock: lock,
                    files: AtomicUsize::new(0),
                };
                stage.clear();
                return Ok(stage);
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Writes the new contents of `target`, with the permissions of the existing file. May be
    /// called from several threads.
    pub(super) fn add(&self, target: &Path, text: &str) -> Result<StagedFile, Error> {
        interrupt::check()?;
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(number.to_string());
        let write = || {
            let mut file = File::create_new(&path)?;
            if let Ok(replaced) = fs::metadata(target) {
                file.set_permissions(replaced.permissions())?;
            }
            file.write_all(text.as_bytes())
        };
        write().map_err(Error::io("write", target))?;
        // The file is closed here: thousands of staged files must not exhaust the process's file
        // descriptors.
        Ok(StagedFile {
            path,
            target: target.to_owned(),
        })
    }

    /// Removes staged files and nothing else.
    fn clear(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for entry in entries {
            if is_staged(&entry) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.clear();
        // On failure, the next run removes the rest.
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
    }
}

impl StagedFile {
    /// Moves the file into place.
    pub(super) fn commit(self) -> Result<(), Error> {
        let moved = fs::rename(&self.path, &self.target).or_else(|error| {
            if error.kind() == io::ErrorKind::CrossesDevices {
                fs::copy(&self.path, &self.target).map(drop)
            } else {
                Err(error)
            }
        });
        moved.map_err(Error::io("write", &self.target))
    }
}

/// Locks a folder; `None` if another run holds the lock or has just removed the folder.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(LOCK);
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::other("its lock is not a regular file"));
    }
    let file = match File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
    {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(None),
        // Without lock support on the platform, runs are not serialized.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(is_at(&file, &path).then_some(file))
}

/// Whether the path still refers to the file: the previous holder may have removed it.
#[cfg(unix)]
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().ok().map(id) == fs::metadata(path).ok().map(id)
}

/// Whether the path still refers to the file: on these platforms an open file cannot be removed.
#[cfg(not(unix))]
pub(super) fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
