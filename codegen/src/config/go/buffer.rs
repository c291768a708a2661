//! The memory that a thread reads files into: one buffer for all of them, since the sources of a package of Kubernetes are megabytes.

use std::io::{self, Read};

/// How much of a buffer is kept for the next file, in bytes.
const KEPT: usize = 1024 * 1024;

/// What was read of a file and is still to be looked at.
#[derive(Debug)]
pub(super) struct Buffer {
    /// Never shorter than before while files are read, so that none of it is filled with zeros again.
    memory: Vec<u8>,
    held: usize,
}

impl Buffer {
    pub(super) const fn new() -> Self {
        Self {
            memory: Vec::new(),
            held: 0,
        }
    }

    pub(super) fn held(&self) -> &[u8] {
        &self.memory[..self.held]
    }

    /// Makes room for the next file.
    pub(super) fn clear(&mut self) {
        self.held = 0;
        self.memory.truncate(KEPT);
        self.memory.shrink_to(KEPT);
    }

    /// Reads at most so many bytes by one call of the system; how many it were, none at the end of the file.
    ///
    /// # Errors
    ///
    /// As [`Read::read`], but for interruptions.
    pub(super) fn read(&mut self, file: &mut impl Read, most: usize) -> io::Result<usize> {
        let end = self.held + most;
        if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        let read = loop {
            match file.read(&mut self.memory[self.held..end]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                done => break done?,
            }
        };
        self.held += read;
        Ok(read)
    }

    /// Drops the first bytes of what is held.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.memory.copy_within(bytes..self.held, 0);
        self.held -= bytes;
    }
}
