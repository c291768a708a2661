//! Tracks which network of a namespace has which range.
//!
//! A network *has* a range if this process gave it one, or its status names one; the others only
//! request theirs. What a network has comes before every request, and among requests the older one
//! comes first, unless it cannot be granted itself.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::finalizer;
use codegen_runtime::kube::ResourceExt;
use ipnet::IpNet;
use jiff::Timestamp;
use parking_lot::Mutex;

use super::spec::{addresses, overlap};
use super::{FINALIZER, reason};
use crate::apis::samplecrd::v1::Network;
use crate::backend::BackendError;

/// Ranges of networks, by uid, that the cache may not show yet. The lock serializes workers that
/// decide about the same namespace.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<BTreeMap<String, Claim>>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Claim {
    namespace: String,
    name: String,
    cidr: IpNet,
}

impl Claim {
    fn of(network: &Network, cidr: IpNet) -> Self {
        Self {
            namespace: network.namespace().unwrap_or_default(),
            name: network.name_any(),
            cidr,
        }
    }
}

impl Claims {
    /// Claims `cidr` for `network`, or returns the network that has an overlapping range, or comes
    /// first.
    ///
    /// Only for a network that has no range at the backend, whatever its status says: an earlier
    /// claim is replaced.
    pub(super) fn claim(
        &self,
        network: &Network,
        cidr: IpNet,
        others: &[Arc<Network>],
    ) -> Result<(), (String, IpNet)> {
        let own = uid(network);
        let mut claims = self.0.lock();
        let is_claimed = claims.get(&own).is_some_and(|claim| claim.cidr == cidr);
        let others = if is_claimed { &[] } else { others };
        let claim = Claim::of(network, cidr);
        let namespace = claim.namespace.as_str();
        let given = claims
            .iter()
            .filter(|(uid, claim)| **uid != own && claim.namespace == namespace)
            .map(|(_, claim)| claim.clone());
        let taken = taken(given.collect(), network, cidr, others);
        if let Some(taken) = taken.into_iter().find(|it| overlap(&it.cidr, &cidr)) {
            claims.remove(&own);
            return Err((taken.name, taken.cidr));
        }
        claims.insert(own, claim);
        Ok(())
    }

    /// Records the range that `network` has at the backend, in place of a claim.
    pub(super) fn hold(&self, network: &Network, cidr: IpNet) {
        let claim = Claim::of(network, cidr);
        self.0.lock().insert(uid(network), claim);
    }

    /// Whether this process claimed a range for `network`.
    pub(super) fn knows(&self, network: &Network) -> bool {
        self.0.lock().contains_key(&uid(network))
    }

    /// The networks that may have a range which neither this process nor their status knows: an
    /// earlier process may have ended after it created one.
    pub(super) fn unknown(&self, others: &[Arc<Network>]) -> Vec<Arc<Network>> {
        let is_unknown = |it: &&Arc<Network>| {
            finalizer::contains(&***it, FINALIZER) && had(it).is_none() && !self.knows(it)
        };
        others.iter().filter(is_unknown).cloned().collect()
    }

    /// Releases the claim of the network `uid`.
    pub(super) fn release(&self, uid: &str) {
        self.0.lock().remove(uid);
    }
}

/// Returns the ranges that `network` cannot have: `given` ones, and those of `others` that come
/// first.
fn taken(
    mut given: Vec<Claim>,
    network: &Network,
    cidr: IpNet,
    others: &[Arc<Network>],
) -> Vec<Claim> {
    let own = Rank::of(network, had(network) == Some(cidr));
    let uid = uid(network);
    let others = others.iter().filter(|it| it.uid().as_deref() != Some(&uid));
    let mut requests = Vec::new();
    for other in others {
        let has = had(other);
        let rank = Rank::of(other, has.is_some());
        if rank > own {
            continue;
        }
        match has {
            Some(has) => given.push(Claim::of(other, has)),
            None => requests.extend(request(other).map(|it| (rank, Claim::of(other, it)))),
        }
    }
    let is_contested = requests.iter().any(|(_, it)| overlap(&it.cidr, &cidr));
    if is_contested && !given.iter().any(|it| overlap(&it.cidr, &cidr)) {
        requests.sort_by(|(one, _), (other, _)| one.cmp(other));
        for (_, request) in requests {
            if !given.iter().any(|it| overlap(&it.cidr, &request.cidr)) {
                given.push(request);
            }
        }
    }
    given
}

/// The precedence of networks: the smallest comes first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    only_requests: bool,
    /// Without a finalizer, no process has given it a range.
    is_untouched: bool,
    created: Timestamp,
    uid: String,
}

impl Rank {
    fn of(network: &Network, has: bool) -> Self {
        let created = network.metadata.creation_timestamp.as_ref();
        Self {
            only_requests: !has,
            is_untouched: !finalizer::contains(network, FINALIZER),
            created: created.map_or(Timestamp::MIN, |time| time.0),
            uid: uid(network),
        }
    }
}

fn uid(network: &Network) -> String {
    network.uid().unwrap_or_default()
}

/// Returns the range that the network has according to its status.
fn had(network: &Network) -> Option<IpNet> {
    network.status.as_ref()?.cidr.parse().ok()
}

/// Returns the range that a network without one requests, if it can be granted.
fn request(network: &Network) -> Option<IpNet> {
    let status = network.status.as_ref();
    let is_decided = status.is_some_and(|it| it.observed_generation == network.metadata.generation);
    let is_refused = is_decided && reason(network) == Some(BackendError::REFUSED);
    let is_alive = !is_refused && !finalizer::is_deleting(network);
    let wanted = addresses(&network.spec).ok()?;
    is_alive.then_some(wanted.cidr)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(name: &str, created: i64, cidr: &str) -> Arc<Network> {
        let value = serde_json::json!({
            "metadata": {
                "name": name, "namespace": "n", "uid": name,
                "creationTimestamp": Timestamp::from_second(created).expect("a time").to_string(),
            },
            "spec": { "cidr": cidr, "gateway": cidr.replace(".0/", ".1/").split('/').next() },
        });
        Arc::new(serde_json::from_value(value).expect("a network"))
    }

    fn cidr(network: &Network) -> IpNet {
        network.spec.cidr.parse().expect("a range")
    }

    #[test]
    fn the_older_of_two_comes_first_and_keeps_its_range() {
        let (old, new) = (
            network("old", 1, "10.0.0.0/8"),
            network("a-new", 2, "10.1.0.0/16"),
        );
        let all = [old.clone(), new.clone()];
        let claims = Claims::default();
        let refused = claims.claim(&new, cidr(&new), &all);
        assert_eq!(refused, Err(("old".to_owned(), cidr(&old))));
        assert_eq!(claims.claim(&old, cidr(&old), &all), Ok(()));
        assert!(
            claims
                .claim(&new, cidr(&new), std::slice::from_ref(&new))
                .is_err(),
            "the claim is kept"
        );
        claims.release("old");
        assert_eq!(
            claims.claim(&new, cidr(&new), std::slice::from_ref(&new)),
            Ok(())
        );
        assert_eq!(
            claims.claim(&new, cidr(&new), &all),
            Ok(()),
            "it has the range now"
        );
    }

    #[test]
    fn a_network_that_a_process_before_gave_a_range_comes_first() {
        let (old, new) = (
            network("old", 1, "10.0.0.0/8"),
            network("new", 2, "10.1.0.0/16"),
        );
        let mut given = Network::clone(&new);
        finalizer::add(&mut given, FINALIZER);
        let all = [old.clone(), Arc::new(given.clone())];
        let claims = Claims::default();
        assert!(claims.claim(&old, cidr(&old), &all).is_err());
        assert_eq!(claims.claim(&given, cidr(&new), &all), Ok(()));
    }

    #[test]
    fn a_spec_that_is_refused_itself_takes_nothing() {
        let (bad, new) = (
            network("bad", 1, "10.0.0.1/8"),
            network("new", 2, "10.1.0.0/16"),
        );
        let claims = Claims::default();
        assert_eq!(claims.claim(&new, cidr(&new), &[bad, new.clone()]), Ok(()));
    }

    /// Returns `network` with a status that names the range `has`, and a finalizer.
    fn holding(network: &Network, has: &str) -> Arc<Network> {
        let mut network = network.clone();
        finalizer::add(&mut network, FINALIZER);
        network.status.get_or_insert_default().cidr = has.to_owned();
        Arc::new(network)
    }

    #[test]
    fn what_a_network_has_comes_before_an_older_request() {
        // The older one had another range, which its backend lost.
        let old = holding(&network("old", 1, "10.21.0.0/16"), "10.1.0.0/16");
        let new = holding(&network("new", 2, "10.21.0.0/16"), "10.21.0.0/16");
        let all = [old.clone(), new.clone()];
        let claims = Claims::default();
        let refused = claims.claim(&old, cidr(&old), &all);
        assert_eq!(refused, Err(("new".to_owned(), cidr(&new))));
        assert_eq!(claims.claim(&new, cidr(&new), &all), Ok(()));
    }

    #[test]
    fn a_request_that_cannot_be_granted_blocks_nobody() {
        let given = holding(&network("given", 1, "10.0.0.0/16"), "10.0.0.0/16");
        let wide = network("wide", 2, "10.0.0.0/8");
        let (narrow, same) = (
            network("narrow", 3, "10.1.0.0/16"),
            network("same", 4, "10.1.0.0/16"),
        );
        let all = [given, wide.clone(), narrow.clone(), same.clone()];
        let claims = Claims::default();
        assert!(claims.claim(&wide, cidr(&wide), &all).is_err());
        let refused = claims.claim(&same, cidr(&same), &all);
        assert_eq!(refused, Err(("narrow".to_owned(), cidr(&narrow))));
        assert_eq!(claims.claim(&narrow, cidr(&narrow), &all), Ok(()));
    }

    #[test]
    fn a_range_at_the_backend_replaces_a_claim() {
        let (old, new) = (
            network("old", 1, "10.0.0.0/16"),
            network("new", 2, "10.1.0.0/16"),
        );
        let claims = Claims::default();
        assert_eq!(claims.claim(&old, cidr(&old), &[]), Ok(()));
        claims.hold(&old, cidr(&new));
        assert!(claims.claim(&new, cidr(&new), &[]).is_err());
        assert!(claims.knows(&old) && !claims.knows(&new));
    }
}
