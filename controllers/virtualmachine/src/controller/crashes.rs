//! The back-off of servers that die repeatedly.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::Instant;

use crate::driver::ServerRef;

/// The delay before the first restart. Doubles with each crash.
const FIRST: Duration = Duration::from_secs(1);

/// The maximum delay, the same as the kubelet's for containers.
const LONGEST: Duration = Duration::from_secs(300);

/// After running this long, a server's back-off is reset.
const RECOVERED: Duration = Duration::from_secs(600);

/// When to restart each server. Kept in memory only: another leader starts with the initial delay.
#[derive(Debug, Default)]
pub(super) struct Crashes(Mutex<BTreeMap<ServerRef, Crash>>);

#[derive(Debug)]
struct Crash {
    count: u32,
    at: Instant,
    /// When to restart the server; `None` once it was restarted.
    restart_at: Option<Instant>,
}

impl Crashes {
    /// Returns how long to wait before restarting a dead server; zero if it is due.
    ///
    /// Call [`restarted`](Self::restarted) after the restart.
    pub(super) fn wait(&self, server: &ServerRef) -> Duration {
        let now = Instant::now();
        let mut crashes = self.0.lock();
        let crash = crashes.entry(server.clone()).or_insert(Crash {
            count: 0,
            at: now,
            restart_at: None,
        });
        let restart_at = *crash.restart_at.get_or_insert_with(|| {
            if now.duration_since(crash.at) > RECOVERED {
                crash.count = 0;
            }
            let wait = FIRST * 2_u32.saturating_pow(crash.count.min(16));
            (crash.count, crash.at) = (crash.count + 1, now);
            now + wait.min(LONGEST)
        });
        restart_at.saturating_duration_since(now)
    }

    /// Records that the server was restarted.
    pub(super) fn restarted(&self, server: &ServerRef) {
        let mut crashes = self.0.lock();
        if let Some(crash) = crashes.get_mut(server) {
            crash.restart_at = None;
        }
    }

    /// Drops the servers of objects whose uid is not in `uids`.
    pub(super) fn retain(&self, uids: &BTreeSet<String>) {
        self.0.lock().retain(|server, _| uids.contains(&server.uid));
    }

    /// Drops a deleted server.
    pub(super) fn forget(&self, server: &ServerRef) {
        self.0.lock().remove(server);
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn each_crash_waits_twice_as_long_until_a_server_has_run_long_enough() {
        let crashes = Crashes::default();
        let server = ServerRef {
            namespace: "default".to_owned(),
            name: "vm".to_owned(),
            uid: "1".to_owned(),
        };
        for seconds in [1, 2, 4, 8] {
            assert_eq!(crashes.wait(&server), Duration::from_secs(seconds));
            advance(Duration::from_secs(seconds)).await;
            assert_eq!(crashes.wait(&server), Duration::ZERO);
            crashes.restarted(&server);
        }
        for _ in 0..20 {
            advance(crashes.wait(&server)).await;
            crashes.restarted(&server);
        }
        assert_eq!(crashes.wait(&server), LONGEST);
        crashes.restarted(&server);
        advance(RECOVERED + Duration::from_secs(1)).await;
        assert_eq!(crashes.wait(&server), FIRST);
    }
}
