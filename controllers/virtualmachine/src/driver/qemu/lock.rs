//! File locks, which exclude other processes as well, and the epoch that one of them guards.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::driver::{DriverError, Term};

/// The interval between attempts.
const RETRY: Duration = Duration::from_millis(10);

/// A lock, released when this is dropped or, if it was lent to a process, once that process has
/// ended or released it as well.
///
/// A lock belongs to all duplicates of the file descriptor. Any process that is being started holds
/// duplicates until it executes its program, so closing the file alone might release the lock only
/// later: it is released explicitly.
pub(super) struct Held {
    file: File,
    lent: AtomicBool,
}

impl Held {
    /// Duplicates the lock for a child process.
    pub(super) fn lend(&self) -> io::Result<File> {
        self.lent.store(true, Ordering::Relaxed);
        self.file.try_clone()
    }

    /// Records that the child process has ended, or no longer needs the lock.
    pub(super) fn take_back(&self) {
        self.lent.store(false, Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !*self.lent.get_mut() {
            // If this fails, closing the file releases the lock.
            let _ = self.file.unlock();
        }
    }
}

/// Locks the file `path`, which is created if it is missing; `None` if the lock is held.
///
/// # Errors
///
/// [`io::ErrorKind::NotFound`] if the folder is gone.
pub(super) fn try_lock(path: &Path) -> io::Result<Option<Held>> {
    loop {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        // The previous holder may have removed the file.
        match fs::metadata(path) {
            Ok(there) if there.ino() == file.metadata()?.ino() => {
                let lent = AtomicBool::new(false);
                return Ok(Some(Held { file, lent }));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
}

/// Like [`try_lock`], but waits for the lock.
pub(super) async fn lock(path: &Path) -> io::Result<Held> {
    loop {
        if let Some(held) = try_lock(path)? {
            return Ok(held);
        }
        sleep(RETRY).await;
    }
}

/// Replaces the file atomically: a crash leaves the old or the new content. Requires the lock.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = beside(path, ".new");
    let mut file = File::create(&new)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// Appends `suffix` to the file name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The newest epochs that have called, kept in the state directory.
pub(super) struct Epoch {
    directory: PathBuf,
}

impl Epoch {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// Returns the file with the newest epoch of a shard.
    fn file(&self, shard: Option<usize>) -> PathBuf {
        match shard {
            None => self.directory.join("epoch"),
            Some(shard) => self.directory.join(format!("epoch-{shard}")),
        }
    }

    /// Rejects an outdated term; otherwise records its epoch, so that older terms are rejected from
    /// now on.
    pub(super) async fn admit(&self, term: &Term) -> Result<(), DriverError> {
        let file = self.file(term.shard);
        let failed = |error| DriverError::failed(file.display(), error);
        if self.check(term)? == term.epoch {
            return Ok(());
        }
        let _lock = lock(&beside(&file, ".lock")).await.map_err(failed)?;
        if self.check(term)? < term.epoch {
            replace(&file, term.epoch.to_string().as_bytes()).map_err(failed)?;
        }
        Ok(())
    }

    /// Returns the newest epoch that has called for `shard`; 0 if none has.
    pub(super) fn newest(&self, shard: Option<usize>) -> Result<u64, DriverError> {
        let file = self.file(shard);
        match fs::read_to_string(&file) {
            Ok(text) => text
                .trim()
                .parse()
                .map_err(|error| DriverError::failed(file.display(), error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(DriverError::failed(file.display(), error)),
        }
    }

    /// Rejects an outdated term; returns the newest epoch.
    pub(super) fn check(&self, term: &Term) -> Result<u64, DriverError> {
        let newest = self.newest(term.shard)?;
        let epoch = term.epoch;
        if epoch < newest {
            return Err(DriverError::Stale { epoch, newest });
        }
        Ok(newest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_that_is_let_go_is_free_while_a_process_is_being_started() {
        let name = format!("qemu-lock-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        let held = try_lock(&path).unwrap().unwrap();
        assert!(try_lock(&path).unwrap().is_none());
        // As the start of any process duplicates it.
        let duplicate = held.file.try_clone().unwrap();
        drop(held);
        let held = try_lock(&path).unwrap().unwrap();
        drop(duplicate);

        // A process that works on the machine keeps the lock.
        let lent = held.lend().unwrap();
        drop(held);
        assert!(try_lock(&path).unwrap().is_none());
        drop(lent);
        // Closing a lent lock releases it once no process that another test starts holds a
        // duplicate.
        let held = (0..1000).find_map(|_| {
            std::thread::sleep(RETRY);
            try_lock(&path).unwrap()
        });
        let held = held.unwrap();

        // Unless it has ended.
        let duplicate = held.lend().unwrap();
        held.take_back();
        drop(held);
        assert!(try_lock(&path).unwrap().is_some());
        drop(duplicate);
        fs::remove_file(path).unwrap();
    }
}
