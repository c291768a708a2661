//! Tracks which network of a namespace has which range.

use std::collections::BTreeMap;
use std::sync::Arc;

use codegen_runtime::finalizer;
use codegen_runtime::kube::ResourceExt;
use ipnet::IpNet;
use jiff::Timestamp;
use parking_lot::Mutex;

use super::FINALIZER;
use super::spec::{addresses, overlap};
use crate::apis::samplecrd::v1::Network;

/// Ranges claimed by networks, by uid, that the cache may not show yet. The lock serializes workers that decide about the same namespace.
#[derive(Debug, Default)]
pub(super) struct Claims(Mutex<BTreeMap<String, Claim>>);

#[derive(Debug)]
struct Claim {
    namespace: String,
    name: String,
    cidr: IpNet,
}

impl Claims {
    /// Claims `cidr` for `network`, or returns the network that has an overlapping range.
    ///
    /// A network keeps a range claimed by this process, or by an earlier one, as its finalizer shows. Among networks without a claim the
    /// older one has precedence.
    pub(super) fn claim(
        &self,
        network: &Network,
        cidr: IpNet,
        others: &[Arc<Network>],
    ) -> Result<(), (String, IpNet)> {
        let (namespace, uid) = (network.namespace().unwrap_or_default(), uid(network));
        let mut claims = self.0.lock();
        let claimed = claims.iter().find(|(other, claim)| {
            **other != uid && claim.namespace == namespace && overlap(&claim.cidr, &cidr)
        });
        if let Some((_, claim)) = claimed {
            return Err((claim.name.clone(), claim.cidr));
        }
        let has_claim = claims.get(&uid).is_some_and(|claim| claim.cidr == cidr);
        let before = others
            .iter()
            .filter(|other| {
                other.uid().as_deref() != Some(&uid) && !has_claim && comes_before(other, network)
            })
            .find_map(|other| {
                let range = range(other).filter(|range| overlap(range, &cidr))?;
                Some((other.name_any(), range))
            });
        if let Some(before) = before {
            claims.remove(&uid);
            return Err(before);
        }
        let name = network.name_any();
        claims.insert(
            uid,
            Claim {
                namespace,
                name,
                cidr,
            },
        );
        Ok(())
    }

    /// Releases the claim of the network `uid`.
    pub(super) fn release(&self, uid: &str) {
        self.0.lock().remove(uid);
    }
}

fn uid(network: &Network) -> String {
    network.uid().unwrap_or_default()
}

fn comes_before(other: &Network, network: &Network) -> bool {
    let rank = |network: &Network| {
        let created = network.metadata.creation_timestamp.as_ref();
        (
            !finalizer::contains(network, FINALIZER),
            created.map_or(Timestamp::MIN, |time| time.0),
            uid(network),
        )
    };
    rank(other) < rank(network)
}

/// Returns the range that a network has or requests.
fn range(network: &Network) -> Option<IpNet> {
    let status = network.status.as_ref();
    let has = status.and_then(|status| status.cidr.parse().ok());
    has.or_else(|| Some(addresses(&network.spec).ok()?.cidr))
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
}
