//! The memory that reviews may take together.
//!
//! A review takes the memory of its body, and then that of the values that it is decoded to, which
//! can be a hundred times as much: an object with one field, 8 bytes of JSON, takes 700. Both are
//! reserved before they are allocated, so that no number of requests can exhaust the memory of the
//! process. Short reviews have a part of their own, and so do not wait for long ones.

use std::sync::Arc;

use http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout_at};

use super::fault::Fault;

/// The memory of all reviews together, unless the program sets another: three quarters of the limit
/// in the Deployment that `kube-codegen init` writes, 512 MiB.
pub(super) const MEMORY: usize = 384 << 20;

/// The length up to which a body needs no reservation: the number of connections limits the sum of
/// these.
const SHORT_BODY: usize = 64 << 10;

/// The memory up to which the values of a review come from the part for short reviews.
const FEW_VALUES: usize = 2 << 20;

/// What is left of the memory.
#[derive(Clone, Debug)]
pub(super) struct Room {
    bodies: Part,
    short: Part,
    long: Part,
}

/// A part of the memory, counted in KiB.
#[derive(Clone, Debug)]
struct Part {
    left: Arc<Semaphore>,
    kib: usize,
}

/// A reservation, returned when it is dropped.
#[derive(Debug)]
pub(super) struct Held(
    #[allow(dead_code, reason = "held, and dropped")] Option<OwnedSemaphorePermit>,
);

impl Room {
    /// Divides the memory: a sixth for bodies, a sixth for the values of short reviews, the rest
    /// for those of long ones.
    pub(super) fn new(memory: usize) -> Self {
        let sixth = memory / 6;
        Self {
            bodies: Part::new(sixth),
            short: Part::new(sixth),
            long: Part::new(memory - 2 * sixth),
        }
    }

    /// Reserves memory for a body, and waits for it until the deadline.
    pub(super) async fn for_body(&self, bytes: usize, deadline: Instant) -> Result<Held, Fault> {
        match bytes {
            ..=SHORT_BODY => Ok(Held(None)),
            _ => self.bodies.take(bytes, deadline).await,
        }
    }

    /// Reserves memory for the values of a review, and waits for it until the deadline.
    pub(super) async fn for_values(&self, bytes: usize, deadline: Instant) -> Result<Held, Fault> {
        match bytes {
            ..=FEW_VALUES => self.short.take(bytes, deadline).await,
            _ => self.long.take(bytes, deadline).await,
        }
    }
}

impl Part {
    fn new(bytes: usize) -> Self {
        let kib = (bytes >> 10).clamp(1, Semaphore::MAX_PERMITS);
        Self {
            left: Arc::new(Semaphore::new(kib)),
            kib,
        }
    }

    async fn take(&self, bytes: usize, deadline: Instant) -> Result<Held, Fault> {
        let kib = bytes.div_ceil(1 << 10);
        let permits = u32::try_from(kib).ok().filter(|_| kib <= self.kib);
        let Some(permits) = permits else {
            let (needs, has) = (kib.div_ceil(1 << 10), self.kib >> 10);
            let why = format!(
                "the review is too large: it takes {needs} MiB of memory, more than {has} MiB"
            );
            return Err(Fault::too_large(why));
        };
        let taken = timeout_at(deadline, self.left.clone().acquire_many_owned(permits));
        match taken.await {
            Ok(Ok(permit)) => Ok(Held(Some(permit))),
            Ok(Err(_)) | Err(_) => {
                let why = "other large reviews left no memory for this one";
                Err(Fault::new(StatusCode::SERVICE_UNAVAILABLE, why))
            }
        }
    }
}

/// The memory of the nodes of a map; those of serde_json have room for eleven entries.
const MAP: usize = 640;

/// The memory of a value in a list or map, with the part of a growing list that is not yet used.
const VALUE: usize = 48;

/// The memory of a key or text besides its bytes.
const TEXT: usize = 24;

/// Returns how much memory the values of a JSON text take at most, about. Reads no more than quotes
/// and punctuation.
pub(super) fn memory_of(json: &[u8]) -> usize {
    let (mut maps, mut fields, mut values, mut texts) = (0_usize, 0_usize, 1_usize, 0_usize);
    let mut rest = json;
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'{' => (maps, values) = (maps + 1, values + 1),
            b'[' | b',' => values += 1,
            b':' => fields += 1,
            b'"' => {
                texts += 1;
                rest = after_text(after);
            }
            _ => {}
        }
    }
    // A map of more than eleven fields has a node for every six.
    json.len() + maps * MAP + fields * (MAP / 6 + TEXT) + values * VALUE + texts * TEXT
}

/// Returns what follows the end of a text.
fn after_text(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let is_end = rest.get(at) == Some(&b'"');
        rest = rest
            .get(at + if is_end { 1 } else { 2 }..)
            .unwrap_or_default();
        if is_end {
            return rest;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const MIB: usize = 1 << 20;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(10)
    }

    #[tokio::test(start_paused = true)]
    async fn reviews_wait_for_memory_until_their_deadline() {
        let room = Room::new(60 * MIB);
        let held = room.for_values(30 * MIB, soon()).await.unwrap();
        let refused = room.for_values(20 * MIB, soon()).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        // Neither short reviews nor bodies wait for it.
        room.for_values(MIB, soon()).await.unwrap();
        room.for_body(10 * MIB, soon()).await.unwrap();
        drop(held);
        room.for_values(40 * MIB, soon()).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_review_that_exceeds_all_memory_is_refused_at_once() {
        let room = Room::new(60 * MIB);
        let started = Instant::now();
        let refused = room.for_values(41 * MIB, soon()).await.unwrap_err();
        assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(
            refused.why,
            "the review is too large: it takes 41 MiB of memory, more than 40 MiB"
        );
        assert_eq!(started.elapsed(), Duration::ZERO);
        assert!(room.for_body(usize::MAX, soon()).await.is_err());
    }

    #[test]
    fn memory_is_that_of_maps_and_lists_and_not_of_punctuation_in_texts() {
        let check = |json: &str, least: usize, most: usize| {
            let memory = memory_of(json.as_bytes());
            assert!((least..=most).contains(&memory), "{json}: {memory}");
        };
        check("0", 33, 100);
        check(r#"{"":0}"#, 632 + 32, 900);
        check(r#""{[,\"{[,\\""#, 44, 100);
        check(r#""\"#, 0, 100);
        check("[0,0,0,0,0,0,0,0,0,0]", 10 * 32, 10 * 50 + 120);
        let list = format!("[{}0]", r#"{"":0},"#.repeat(1_000));
        check(&list, 1_000 * (632 + 32 + 16), 1_000 * 1_000);
    }
}
