//! Locks on files, which other processes see too, and the epoch that they guard.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::sleep;

use crate::driver::{DriverError, Term};

/// Between two tries.
const RETRY: Duration = Duration::from_millis(10);

/// A lock that is held until this is dropped or, if it was lent to a process, until that has ended or let go as well.
///
/// A lock belongs to all duplicates of the file. A process that is being started, for whatever purpose, has them until it executes its
/// program, so closing the file alone would release the lock at some later time: it is released by name.
pub(super) struct Held {
    file: File,
    lent: AtomicBool,
}

impl Held {
    /// The lock for a process.
    pub(super) fn lend(&self) -> io::Result<File> {
        self.lent.store(true, Ordering::Relaxed);
        self.file.try_clone()
    }

    /// The process has ended, or does without the lock.
    pub(super) fn take_back(&self) {
        self.lent.store(false, Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if !*self.lent.get_mut() {
            // A failure leaves it to the file, which is closed now.
            let _ = self.file.unlock();
        }
    }
}

/// Takes the lock of the file `path`, which is made if it is missing; `None` if somebody has it.
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
        // The previous owner may have removed the file.
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

/// As [`try_lock`], and waits for it.
pub(super) async fn lock(path: &Path) -> io::Result<Held> {
    loop {
        if let Some(held) = try_lock(path)? {
            return Ok(held);
        }
        sleep(RETRY).await;
    }
}

/// Replaces the file as a whole: a crash leaves the old one or the new one. Only for who has the lock.
pub(super) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let new = beside(path, ".new");
    let mut file = File::create(&new)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

/// The path with `suffix` added to its name.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// The newest epoch that has called, kept in the state directory.
pub(super) struct Epoch {
    file: PathBuf,
}

impl Epoch {
    pub(super) fn in_directory(directory: &Path) -> Self {
        Self {
            file: directory.join("epoch"),
        }
    }

    /// Refuses a term that is over, and lets no older one than this pass from now on.
    pub(super) async fn admit(&self, term: &Term) -> Result<(), DriverError> {
        let failed = |error| DriverError::failed(self.file.display(), error);
        if self.check(term)? == term.epoch {
            return Ok(());
        }
        let _lock = lock(&beside(&self.file, ".lock")).await.map_err(failed)?;
        if self.check(term)? < term.epoch {
            replace(&self.file, term.epoch.to_string().as_bytes()).map_err(failed)?;
        }
        Ok(())
    }

    /// The newest epoch that has called; 0 if none has.
    pub(super) fn newest(&self) -> Result<u64, DriverError> {
        match fs::read_to_string(&self.file) {
            Ok(text) => text
                .trim()
                .parse()
                .map_err(|error| DriverError::failed(self.file.display(), error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(DriverError::failed(self.file.display(), error)),
        }
    }

    /// Refuses a term that is over; gives the newest epoch.
    pub(super) fn check(&self, term: &Term) -> Result<u64, DriverError> {
        let newest = self.newest()?;
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
        // What the start of any process duplicates.
        let duplicate = held.file.try_clone().unwrap();
        drop(held);
        let held = try_lock(&path).unwrap().unwrap();
        drop(duplicate);

        // A process that works on the machine keeps the lock.
        let lent = held.lend().unwrap();
        drop(held);
        assert!(try_lock(&path).unwrap().is_none());
        drop(lent);
        let held = try_lock(&path).unwrap().unwrap();

        // Unless it has ended.
        let duplicate = held.lend().unwrap();
        held.take_back();
        drop(held);
        assert!(try_lock(&path).unwrap().is_some());
        drop(duplicate);
        fs::remove_file(path).unwrap();
    }
}
