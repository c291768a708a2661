//! Named checks for `/healthz` and `/readyz`.

use std::collections::BTreeMap;
#[cfg(feature = "endpoints")]
use std::collections::BTreeSet;
use std::fmt;

use parking_lot::Mutex;
#[cfg(feature = "endpoints")]
use std::fmt::Write;
use std::sync::Arc;

/// A check, which returns what is wrong. It must be fast: it runs on the endpoint's task.
pub(super) type Check = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

/// Checks by name. Clones share them.
#[derive(Clone, Default)]
pub(super) struct Checks {
    checks: Arc<Mutex<BTreeMap<String, Check>>>,
}

impl Checks {
    pub(super) fn add(&self, name: impl Into<String>, check: Check) {
        self.checks.lock().insert(name.into(), check);
    }

    /// Runs all checks but those `excluded`, or the one called `only`. Returns whether all passed, and one line per check in the
    /// format of Kubernetes' components; `None` if there is no such check.
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
            .or_insert_with(|| Arc::new(|| Ok(())));
        if let Some(only) = only {
            checks.retain(|name, _| name == only);
        }
        if checks.is_empty() {
            return None;
        }
        let (mut passed, mut text) = (true, String::new());
        for (name, check) in checks {
            if excluded.contains(&name) {
                let _ = writeln!(text, "[+]{name} excluded: ok");
                continue;
            }
            let _ = match check() {
                Ok(()) => writeln!(text, "[+]{name} ok"),
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
