//! Work that must not run twice at once for the same thing, nor within itself.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The things that are being worked on, each with whether more work came up meanwhile.
#[derive(Debug, Default)]
pub(crate) struct Single(Mutex<BTreeMap<String, bool>>);

impl Single {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work for a key; if it is being done already, has it done once more by whoever does it.
    pub(crate) fn run(&self, key: &str, work: impl Fn()) {
        if let Some(again) = self.lock().get_mut(key) {
            *again = true;
            return;
        }
        self.lock().insert(key.to_owned(), false);
        loop {
            work();
            let mut running = self.lock();
            match running.get_mut(key) {
                Some(again) if *again => *again = false,
                _ => {
                    running.remove(key);
                    return;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn work_that_asks_for_itself_is_repeated_and_not_nested() {
        let single = Single::default();
        let (runs, depth) = (Cell::new(0), Cell::new(0));
        single.run("a", || {
            runs.set(runs.get() + 1);
            depth.set(depth.get() + 1);
            assert_eq!(depth.get(), 1);
            if runs.get() < 3 {
                single.run("a", || unreachable!());
            }
            depth.set(depth.get() - 1);
        });
        assert_eq!(runs.get(), 3);
    }
}
