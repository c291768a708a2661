//! Limits for a QEMU that does not respond.

use std::time::Duration;

use crate::driver::DriverError;

/// How long the driver waits for a QEMU that does not respond. [`Qemu::new`](super::Qemu::new)
/// rejects zero durations and a [`least_quit`](Self::least_quit) above [`quit`](Self::quit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// The timeout of a QMP command. QEMU serves one connection at a time, so this includes waiting
    /// for another one. 3 seconds by default.
    pub answer: Duration,
    /// How long QEMU may take to quit after the grace period before it is killed. QEMU flushes the
    /// disk in that time. A QEMU that has not finished starting after the grace period and this
    /// time is killed by a request to power off. 2 seconds by default.
    pub quit: Duration,
    /// How long QEMU may take to quit at least, even if the grace period ended unobserved long ago.
    /// 500 milliseconds by default.
    ///
    /// Every call that stops a machine waits for that long before it kills QEMU. It must be shorter
    /// than the deadline that the caller sets for a call: if each call is cancelled before, a QEMU
    /// that hangs is never killed.
    pub least_quit: Duration,
    /// How long a deletion waits for the machine's lock before it kills the QEMU processes that
    /// hold it. 2 seconds by default.
    pub lock: Duration,
    /// How long an exited QEMU may keep the disk before a start or a resize fails. 2 seconds by
    /// default.
    pub disk: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            answer: Duration::from_secs(3),
            quit: Duration::from_secs(2),
            least_quit: Duration::from_millis(500),
            lock: Duration::from_secs(2),
            disk: Duration::from_secs(2),
        }
    }
}

impl Timeouts {
    /// Rejects timeouts with which QEMU could not respond at all, or would be killed before it can
    /// flush the disk.
    pub(super) fn check(&self) -> Result<(), DriverError> {
        let all = [
            ("answer", self.answer),
            ("quit", self.quit),
            ("least_quit", self.least_quit),
            ("lock", self.lock),
            ("disk", self.disk),
        ];
        if let Some((name, _)) = all.iter().find(|(_, timeout)| timeout.is_zero()) {
            let message = format!("the timeout {name} must be longer than zero");
            return Err(DriverError::Refused(message));
        }
        if self.least_quit > self.quit {
            let message = format!(
                "the timeout least_quit ({:?}) must not be longer than quit ({:?})",
                self.least_quit, self.quit
            );
            return Err(DriverError::Refused(message));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_timeouts_are_refused() {
        let check = |timeouts: Timeouts, expected: &str| {
            let found = timeouts.check();
            let found = found.map_or_else(|error| error.to_string(), |()| String::new());
            assert_eq!(found, expected);
        };
        let default = Timeouts::default();
        check(default, "");
        let least_quit = default.quit;
        check(
            Timeouts {
                least_quit,
                ..default
            },
            "",
        );
        let answer = Duration::ZERO;
        check(
            Timeouts { answer, ..default },
            "the timeout answer must be longer than zero",
        );
        let quit = Duration::from_millis(499);
        check(
            Timeouts { quit, ..default },
            "the timeout least_quit (500ms) must not be longer than quit (499ms)",
        );
    }
}
