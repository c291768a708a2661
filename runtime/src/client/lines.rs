//! Splits chunks into lines.

/// The maximum size in bytes of an object, an event, or a value in a list: client-go's limit for an
/// event, ten times etcd's limit for an object.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// An event exceeds [`MOST_BYTES`].
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("an event of the watch has more than {MOST_BYTES} bytes")]
pub(crate) struct TooLarge;

/// The start of a line whose end has not arrived yet.
#[derive(Default)]
pub(crate) struct Lines {
    carry: Vec<u8>,
}

impl Lines {
    /// Adds bytes and passes every line that they complete, without its line feed, to `each`. Blank
    /// lines are skipped.
    pub(crate) fn feed<E>(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (line, rest) = bytes.split_at(end);
            bytes = rest.get(1..).unwrap_or_default();
            if self.carry.is_empty() {
                give(line, &mut each)?;
            } else {
                self.carry.extend_from_slice(line);
                let line = std::mem::take(&mut self.carry);
                give(&line, &mut each)?;
            }
        }
        self.carry.extend_from_slice(bytes);
        Ok(())
    }

    /// Returns the number of bytes held of an incomplete line.
    pub(crate) fn buffered(&self) -> usize {
        self.carry.len()
    }

    /// Passes on the last line if only its line feed is missing.
    pub(crate) fn finish<E>(self, mut each: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let complete = serde_json::from_slice::<serde::de::IgnoredAny>(&self.carry).is_ok();
        if complete {
            give(&self.carry, &mut each)
        } else {
            Ok(())
        }
    }
}

fn give<E>(line: &[u8], each: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
    if line.trim_ascii().is_empty() {
        Ok(())
    } else {
        each(line)
    }
}
