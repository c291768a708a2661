//! Named checks for `/healthz` and `/readyz`.

use std::collections::BTreeMap;
#[cfg(feature = "endpoints")]
use std::collections::BTreeSet;
use std::fmt;

use parking_lot::Mutex;
#[cfg(feature = "endpoints")]
use std::fmt::Write;
use std::sync::Arc;

use crate::tasks::{Check as Effect, Progress, Task};

/// A check, which returns what is wrong. It must be fast: it runs on the endpoint's task.
pub(super) type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Checks by name. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Checks {
    checks: Arc<Mutex<BTreeMap<String, (Check, Effect)>>>,
}

impl Checks {
    pub(super) fn add(&self, name: impl Into<String>, check: Check) {
        let check = (check, Effect::Fails);
        self.checks.lock().insert(name.into(), check);
    }

    /// Adds the check of a background task.
    pub(super) fn add_task(&self, progress: &Progress) {
        let progress = progress.clone();
        self.add_check_of(progress.task(), Arc::new(move || progress.check()));
    }

    /// Adds the check of background tasks of one kind.
    pub(super) fn add_check_of(&self, task: Task, check: Check) {
        let (name, effect) = task.row().check;
        self.checks.lock().insert(name.to_owned(), (check, effect));
    }

    /// Runs all checks but those `excluded`, or the one called `only`. Returns whether all passed,
    /// and one line per check in the format of Kubernetes' components, with `[!]` for one that
    /// warns; `None` if there is no such check.
    #[cfg(feature = "endpoints")]
    pub(super) fn run(
        &self,
        endpoint: &str,
        only: Option<&str>,
        excluded: &BTreeSet<String>,
    ) -> Option<(bool, String)> {
        let mut checks = self.checks.lock().clone();
        checks
            .entry("ping".to_owned())
            .or_insert_with(|| (Arc::new(|| Ok(())), Effect::Fails));
        if let Some(only) = only {
            checks.retain(|name, _| name == only);
        }
        if checks.is_empty() {
            return None;
        }
        let (mut passed, mut text) = (true, String::new());
        for (name, (check, effect)) in checks {
            if excluded.contains(&name) {
                let _ = writeln!(text, "[+]{name} excluded: ok");
                continue;
            }
            let _ = match check() {
                Ok(()) => writeln!(text, "[+]{name} ok"),
                Err(why) if effect == Effect::Warns => writeln!(text, "[!]{name} degraded: {why}"),
                Err(why) => {
                    passed = false;
                    tracing::warn!(endpoint, check = name, why, "health check failed");
                    writeln!(text, "[-]{name} failed: {why}")
                }
            };
        }
        let _ = writeln!(
            text,
            "{endpoint} check {}",
            if passed { "passed" } else { "failed" }
        );
        Some((passed, text))
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let checks = self.checks.lock();
        f.debug_set().entries(checks.keys()).finish()
    }
}
