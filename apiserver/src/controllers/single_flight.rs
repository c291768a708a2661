//! Single-flight: one run per key at a time.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use parking_lot::{Mutex, MutexGuard};

/// The running keys; the value is whether the run must be repeated.
#[derive(Debug, Default)]
pub(super) struct SingleFlight(Mutex<BTreeMap<String, bool>>);

impl SingleFlight {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, bool>> {
        self.0.lock()
    }

    /// Runs the work for a key. If a run for the key is already in progress, on this thread or
    /// another, that run is repeated instead.
    pub(super) fn run(&self, key: &str, work: impl Fn()) {
        match self.lock().entry(key.to_owned()) {
            Entry::Occupied(mut repeat) => {
                repeat.insert(true);
                return;
            }
            Entry::Vacant(free) => {
                free.insert(false);
            }
        }
        // Ends the run even if the work panics.
        let _running = Running { flight: self, key };
        loop {
            work();
            let mut running = self.lock();
            match running.get_mut(key) {
                Some(repeat) if *repeat => *repeat = false,
                _ => {
                    running.remove(key);
                    return;
                }
            }
        }
    }
}

/// A run in progress.
struct Running<'a> {
    flight: &'a SingleFlight,
    key: &'a str,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.flight.lock().remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn work_that_asks_for_itself_is_repeated_and_not_nested() {
        let single = SingleFlight::default();
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

    #[test]
    fn threads_that_ask_at_once_run_one_at_a_time() {
        let single = SingleFlight::default();
        let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let work = || {
            most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            std::hint::spin_loop();
            running.fetch_sub(1, Ordering::SeqCst);
        };
        // Many unsynchronised threads hit even the gap of a few instructions between two locks.
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| (0..300_000).for_each(|_| single.run("a", work)));
            }
        });
        assert_eq!(most.into_inner(), 1);
    }

    #[test]
    fn a_run_that_panics_leaves_its_key_free() {
        let single = SingleFlight::default();
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            single.run("a", || panic!("work"));
        }));
        assert!(outcome.is_err());
        let ran = Cell::new(false);
        single.run("a", || ran.set(true));
        assert!(ran.get());
    }
}
