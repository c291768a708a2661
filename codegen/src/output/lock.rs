//! Locks of output folders: a run plans and writes under them, so that of two runs over one folder
//! the second sees the first one's files.
//!
//! The lock is that of the folder itself, not of a file in it: a run without changes leaves no
//! trace, not even a modification time.

use std::{
    collections::BTreeMap,
    fs::{File, TryLockError},
    path::{Path, PathBuf},
    thread,
};

use super::{
    Error, interrupt,
    plan::location,
    stage::{PAUSE, is_at},
    write::Created,
};

/// Locked folders, until it is dropped.
#[derive(Debug)]
pub struct Locked {
    /// Dropped before the locks: folders that stayed empty are removed while no other run uses
    /// them.
    _created: Created,
    _folders: Vec<File>,
}

/// Locks folders, which are created if they do not exist, and removed again if they stay empty.
/// Waits while other runs hold them.
///
/// Where folders cannot be locked, on some platforms and file systems, only writing is serialized.
///
/// # Errors
///
/// [`Error::Interrupted`], or a folder that cannot be created.
pub fn lock(folders: impl IntoIterator<Item = PathBuf>) -> Result<Locked, Error> {
    // In path order, so that two runs cannot deadlock.
    let mut ordered = BTreeMap::new();
    let mut created = Created::default();
    for folder in folders {
        created.create(&folder)?;
        ordered.insert(location(&folder), folder);
    }
    let mut locked = Vec::new();
    for folder in ordered.keys() {
        locked.extend(lock_folder(folder, &mut created)?);
    }
    Ok(Locked {
        _created: created,
        _folders: locked,
    })
}

fn lock_folder(path: &Path, created: &mut Created) -> Result<Option<File>, Error> {
    loop {
        interrupt::check()?;
        created.create(path)?;
        let Ok(folder) = File::open(path) else {
            return Ok(None); // Planning reports what is wrong with it.
        };
        match folder.try_lock() {
            Ok(()) if is_at(&folder, path) => return Ok(Some(folder)),
            Ok(()) => {} // The run before removed it.
            Err(TryLockError::WouldBlock) => thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}
