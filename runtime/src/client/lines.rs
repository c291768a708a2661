//! Lines out of chunks.

/// The most bytes of an object, of an event, or of a value in a list: client-go's limit of an event, ten times that of an object in
/// etcd.
pub(crate) const MOST_BYTES: usize = 16 * 1024 * 1024;

/// An event does not end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("an event of the watch has more than {MOST_BYTES} bytes")]
pub(crate) struct TooLarge;

/// The start of a line whose end has not come yet.
#[derive(Default)]
pub(crate) struct Lines {
    carry: Vec<u8>,
}

impl Lines {
    /// Takes the next bytes and gives every line that they complete, without its line feed, to `each`. Blank lines are skipped.
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

    /// How many bytes of a line are held whose end has not come.
    pub(crate) fn held(&self) -> usize {
        self.carry.len()
    }

    /// Gives the last line if it is complete but for its line feed.
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
