//! A read buffer that a thread reuses for all files: the sources of one Kubernetes package are
//! megabytes.

use std::io::{self, Read};

/// Capacity to keep for the next file, in bytes.
const KEPT: usize = 1024 * 1024;

/// The bytes of a file that were read and are not processed yet.
#[derive(Debug)]
pub(super) struct Buffer {
    /// Never shrinks while files are read, so that it is zeroed only once.
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

    pub(super) fn bytes(&self) -> &[u8] {
        &self.memory[..self.held]
    }

    /// Empties the buffer for the next file.
    pub(super) fn clear(&mut self) {
        self.held = 0;
        self.memory.truncate(KEPT);
        self.memory.shrink_to(KEPT);
    }

    /// Reads at most `most` bytes by one system call. Returns their number, 0 at the end of the
    /// file.
    ///
    /// # Errors
    ///
    /// As [`Read::read`], except interruptions, which are retried.
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

    /// Drops the first `bytes` bytes.
    pub(super) fn forget(&mut self, bytes: usize) {
        self.memory.copy_within(bytes..self.held, 0);
        self.held -= bytes;
    }
}
