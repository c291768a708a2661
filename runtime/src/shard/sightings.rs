//! Who of the other members is dead, by the monotonic clock.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use tokio::time::Instant;

/// The last renewal of each member that was seen, and when.
///
/// A member whose Lease has not been renewed for the lease duration is dead for good: it stopped at
/// its renew deadline, counted from before that renewal, and a term that has ended never resumes,
/// even if a late renewal still succeeds. So nothing has to be written to fence it off; but that it
/// was not renewed has to be read after that time.
#[derive(Debug, Default)]
pub(super) struct Sightings(BTreeMap<String, Sighting>);

#[derive(Debug)]
struct Sighting {
    /// The member's last renewal; `None` if its Lease is gone, or another's.
    renewal: Option<String>,
    since: Instant,
}

impl Sightings {
    /// Records the Leases of `names` at `now`, by the members' names, and forgets other members.
    pub(super) fn update(
        &mut self,
        names: &BTreeSet<&str>,
        leases: &BTreeMap<&str, &Lease>,
        now: Instant,
    ) {
        self.0.retain(|name, _| names.contains(name.as_str()));
        for name in names {
            self.see(name, leases.get(name).copied(), now);
        }
    }

    /// Records the Lease of one member.
    pub(super) fn see(&mut self, name: &str, lease: Option<&Lease>, now: Instant) {
        let renewal = lease.and_then(|lease| renewal(name, lease));
        match self.0.get_mut(name) {
            // What is not the member's own renewal does not delay its death.
            Some(known)
                if known.renewal == renewal || (renewal.is_none() && known.renewal.is_none()) => {}
            Some(known) => {
                *known = Sighting {
                    renewal,
                    since: now,
                }
            }
            None => {
                self.0.insert(
                    name.to_owned(),
                    Sighting {
                        renewal,
                        since: now,
                    },
                );
            }
        }
    }

    /// Returns those who were dead before a read that was sent at `sent` and recorded here.
    pub(super) fn dead(&self, sent: Instant, lease_duration: Duration) -> BTreeSet<String> {
        let dead = self
            .0
            .iter()
            .filter(|(_, it)| it.since + lease_duration <= sent);
        dead.map(|(name, _)| name.clone()).collect()
    }

    /// Returns when the next member may be dead.
    pub(super) fn next_death(&self, lease_duration: Duration) -> Option<Instant> {
        self.0.values().map(|it| it.since + lease_duration).min()
    }

    pub(super) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }
}

/// Returns what changes with each renewal; `None` if the member does not hold its Lease. Times are
/// only compared for equality.
fn renewal(name: &str, lease: &Lease) -> Option<String> {
    let spec = lease.spec.as_ref()?;
    let holds = spec.holder_identity.as_deref() == Some(name);
    holds.then(|| format!("{:?} {:?}", lease.metadata.uid, spec.renew_time))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::coordination::v1::LeaseSpec;
    use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;

    use super::*;

    const DURATION: Duration = Duration::from_secs(15);

    fn lease(holder: &str, renewed: i64) -> Lease {
        let time = jiff::Timestamp::from_second(renewed).unwrap();
        Lease {
            spec: Some(LeaseSpec {
                holder_identity: Some(holder.to_owned()),
                renew_time: Some(MicroTime(time)),
                ..LeaseSpec::default()
            }),
            ..Lease::default()
        }
    }

    /// Sees Leases of `a` at these seconds; returns after how many more seconds it is dead.
    fn dead_after(seen: &[(u64, Option<Lease>)]) -> u64 {
        let (start, mut sightings) = (Instant::now(), Sightings::default());
        let mut last = 0;
        for (at, lease) in seen {
            sightings.see("a", lease.as_ref(), start + Duration::from_secs(*at));
            last = *at;
        }
        let dead = |at: &u64| {
            !sightings
                .dead(start + Duration::from_secs(last + at), DURATION)
                .is_empty()
        };
        (0..100).find(dead).unwrap()
    }

    #[test]
    fn only_own_renewals_delay_a_death() {
        assert_eq!(dead_after(&[(0, Some(lease("a", 1)))]), 15);
        assert_eq!(
            dead_after(&[(0, Some(lease("a", 1))), (9, Some(lease("a", 1)))]),
            6
        );
        // Whatever the writer's clock says.
        assert_eq!(
            dead_after(&[(0, Some(lease("a", 9))), (9, Some(lease("a", 1)))]),
            15
        );
        // The member may not know yet that its Lease was deleted or edited.
        assert_eq!(dead_after(&[(0, Some(lease("a", 1))), (9, None)]), 15);
        assert_eq!(dead_after(&[(0, None), (9, None)]), 6);
        assert_eq!(
            dead_after(&[(0, Some(lease("", 1))), (9, Some(lease("b", 2)))]),
            6
        );
        assert_eq!(dead_after(&[(0, None), (9, Some(lease("a", 1)))]), 15);
    }
}
