//! The content of the Secret, and its transitions.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, SystemTime};

use k8s_openapi::ByteString;

use super::pair::{Made, Pair, trusted};
use crate::certificates::Loaded;

/// How long clients must have trusted a new CA before its certificate is served.
pub(super) const SETTLE: Duration = Duration::from_secs(60);

/// How long an old CA is trusted after its certificate was replaced. Replicas check the Secret far
/// more often.
pub(super) const KEEP: Duration = Duration::from_secs(3600);

const CERTIFICATE: &str = "tls.crt";
const KEY: &str = "tls.key";
const AUTHORITIES: &str = "ca.crt";
const NEXT_CERTIFICATE: &str = "next.crt";
const NEXT_KEY: &str = "next.key";

const END: &str = "-----END CERTIFICATE-----\n";

/// A valid content of the Secret.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    /// The pair that is served.
    pub(super) pair: Pair,
    /// The pair to serve once all clients trust its CA.
    pub(super) next: Option<Pair>,
    /// The CAs that clients trust, in PEM, newest first.
    pub(super) authorities: Vec<String>,
}

impl State {
    /// Reads the data of a Secret; returns `None` if its pair cannot be served now.
    pub(super) fn read(
        data: &BTreeMap<String, ByteString>,
        names: &[String],
        now: SystemTime,
    ) -> Option<Self> {
        let text = |key: &str| String::from_utf8(data.get(key)?.0.clone()).ok();
        let pair = |certificate: &str, key: &str| {
            Some(Pair {
                certificate: text(certificate)?,
                key: text(key)?,
            })
        };
        let mut state = Self {
            pair: pair(CERTIFICATE, KEY)?,
            next: pair(NEXT_CERTIFICATE, NEXT_KEY),
            authorities: blocks(&text(AUTHORITIES)?),
        };
        state.next = state
            .next
            .take()
            .filter(|next| state.vouches(next, names, now));
        state.is_sound(names, now).then_some(state)
    }

    /// Writes the state into the data of a Secret.
    pub(super) fn write(&self, data: &mut BTreeMap<String, ByteString>) {
        let mut put = |key: &str, text: Option<&String>| match text {
            Some(text) => {
                data.insert(key.to_owned(), ByteString(text.clone().into_bytes()));
            }
            None => {
                data.remove(key);
            }
        };
        put(CERTIFICATE, Some(&self.pair.certificate));
        put(KEY, Some(&self.pair.key));
        put(AUTHORITIES, Some(&self.bundle()));
        let next = self.next.as_ref();
        put(NEXT_CERTIFICATE, next.map(|next| &next.certificate));
        put(NEXT_KEY, next.map(|next| &next.key));
    }

    /// Returns all CAs, in PEM.
    pub(super) fn bundle(&self) -> String {
        self.authorities.concat()
    }

    /// Whether the pair can be served at a point in time.
    pub(super) fn is_sound(&self, names: &[String], at: SystemTime) -> bool {
        self.vouches(&self.pair, names, at)
    }

    /// Whether one of the CAs signed a pair that can be served.
    fn vouches(&self, pair: &Pair, names: &[String], at: SystemTime) -> bool {
        let mut authorities = self.authorities.iter();
        authorities.any(|authority| pair.is_valid(authority, names, at)) && pair.is_whole()
    }

    /// Returns the CAs of the pair that is served.
    fn own_authorities(&self, names: &[String], now: SystemTime) -> Vec<String> {
        let authorities = self.authorities.iter();
        let own = authorities.filter(|authority| self.pair.is_valid(authority, names, now));
        own.cloned().collect()
    }

    /// Returns the state that replaces a missing or unusable Secret. A state that this replica
    /// still serves is renewed as if it were about to expire: clients trust it, and other replicas
    /// may serve it.
    pub(super) fn anew<E>(
        served: Option<&Self>,
        make: impl FnOnce() -> Result<Made, E>,
        names: &[String],
        now: SystemTime,
    ) -> Result<Option<Self>, E> {
        if let Some(served) = served {
            return served.renewed(make, names, now).map(Some);
        }
        let made = make()?;
        Ok(Some(Self {
            pair: made.pair,
            next: None,
            authorities: vec![made.authority],
        }))
    }

    /// Returns the next state, if it is due. `settled` is the time since all clients had been
    /// configured with this state, if they have. A certificate that is no longer valid at `late` is
    /// renewed.
    pub(super) fn after<E>(
        &self,
        settled: Option<Duration>,
        late: SystemTime,
        make: impl FnOnce() -> Result<Made, E>,
        names: &[String],
        now: SystemTime,
    ) -> Result<Option<Self>, E> {
        let lasted = |time: Duration| settled.is_some_and(|settled| settled >= time);
        if let Some(next) = &self.next {
            // Clients that cannot be configured must not prevent the others from being served once
            // the current pair has expired.
            let is_due = lasted(SETTLE) || !self.is_sound(names, now + SETTLE);
            return Ok(is_due.then(|| Self {
                pair: next.clone(),
                next: None,
                authorities: self.authorities.clone(),
            }));
        }
        if !self.is_sound(names, late) {
            return self.renewed(make, names, now).map(Some);
        }
        let own = self.own_authorities(names, now);
        let is_settled = own.len() < self.authorities.len() && lasted(KEEP);
        Ok(is_settled.then(|| Self {
            authorities: own,
            ..self.clone()
        }))
    }

    /// Returns this state with a new pair that waits to be served.
    fn renewed<E>(
        &self,
        make: impl FnOnce() -> Result<Made, E>,
        names: &[String],
        now: SystemTime,
    ) -> Result<Self, E> {
        let made = make()?;
        let mut authorities = vec![made.authority];
        authorities.extend(self.own_authorities(names, now));
        Ok(Self {
            pair: self.pair.clone(),
            next: Some(made.pair),
            authorities,
        })
    }
}

/// Extracts the certificates from PEM that others may have written: the API server accepts only
/// certificates in a bundle.
fn blocks(text: &str) -> Vec<String> {
    let text = text.replace('\r', "") + "\n";
    let blocks = text.split_inclusive(END).map(str::trim_start);
    let whole = blocks.filter(|block| block.ends_with(END) && trusted(block).is_some());
    whole.map(str::to_owned).collect()
}

impl Pair {
    /// Whether the key belongs to the certificate.
    fn is_whole(&self) -> bool {
        let (certificate, key) = (self.certificate.clone(), self.key.clone());
        Loaded::new(Path::new(""), certificate.into(), key.into()).is_ok()
    }
}
