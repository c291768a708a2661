//! Stages: the one folder below a root in which new texts wait to be renamed into place.
//!
//! A run holds a lock on the folder while it writes, and removes the folder at its end. A folder without a holder was left by
//! a run that was killed; the next run that writes removes it.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use super::{Error, interrupt};

/// The name of the folder.
pub(super) const FOLDER: &str = ".kube-codegen";

/// The file in it that is locked.
const LOCK: &str = "lock";

/// How long to wait before trying a lock again that another run holds.
const PAUSE: Duration = Duration::from_millis(50);

/// The folder of a run, locked; dropped, it is gone.
#[derive(Debug)]
pub(super) struct Stage {
    folder: PathBuf,
    /// Held for its lock.
    _lock: File,
    files: AtomicUsize,
}

/// A text on disk that is not in place yet.
#[derive(Debug)]
pub(super) struct StagedFile {
    path: PathBuf,
    target: PathBuf,
}

/// Whether a run that was killed left a folder below `root`.
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

/// Whether a stage wrote the file.
fn is_staged(entry: &fs::DirEntry) -> bool {
    let name = entry.file_name();
    let name = name.to_str();
    name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
}

impl Stage {
    /// Makes the folder of a root that exists, or takes over what a killed run left. Waits while another run holds it.
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

    /// Writes a text that is to be at `target`, with the permissions that the file there has. Several threads may add.
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
        // The handle is closed here: thousands of staged files must not exhaust the process's file descriptors.
        Ok(StagedFile {
            path,
            target: target.to_owned(),
        })
    }

    /// Removes staged files, and nothing that a stage does not write.
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
        // A failure leaves what the next run removes.
        let _ = fs::remove_file(self.folder.join(LOCK));
        let _ = fs::remove_dir(&self.folder);
    }
}

impl StagedFile {
    /// Puts the text in place of the file there.
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

/// The lock of a folder; none while another run holds it, or has removed the folder meanwhile.
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
        // A platform without locks has no other run to wait for.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
        Err(TryLockError::Error(error)) => return Err(error),
    }
    Ok(is_at(&file, &path).then_some(file))
}

/// Whether the path still leads to the file: the holder before may have removed it.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata().ok().map(id) == fs::metadata(path).ok().map(id)
}

/// Whether the path still leads to the file: an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_file: &File, path: &Path) -> bool {
    path.exists()
}
