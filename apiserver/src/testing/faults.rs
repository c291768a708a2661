//! Fault injection: failures by verb and resource, a number of times or at random, and network
//! partitions by user.

use std::time::Duration;

use crate::status::{ApiError, GroupResource};
use crate::testing::links::{Link, Links};
use crate::testing::recorder::Action;
use parking_lot::Mutex;

/// The kind of failure.
#[derive(Clone, Debug, PartialEq)]
pub enum FaultKind {
    /// 429 with a `Retry-After` header.
    TooManyRequests {
        /// The value of the header, in seconds.
        retry_after: u32,
    },
    /// 500.
    InternalError,
    /// 409: the object has been modified.
    Conflict,
    /// 410: the resourceVersion is too old.
    Expired,
    /// Any other failure.
    Status(ApiError),
    /// The connection breaks before the answer. The request is not processed.
    DropConnection,
    /// No answer, and the connection stays open. The request is not processed.
    Hang,
    /// No answer, and the connection stays open. The request is processed.
    LoseAnswer,
    /// A watch ends without an error after some events. Does not affect other requests.
    CutWatch {
        /// The number of events before the end.
        after_events: usize,
    },
    /// The answer is delayed.
    Delay(Duration),
    /// A list returns an earlier state, as far as the history reaches. Does not affect other
    /// requests.
    StaleList {
        /// How many revisions earlier.
        revisions: u64,
    },
}

/// A failure and the requests that it applies to.
#[derive(Clone, Debug)]
pub struct Fault {
    kind: FaultKind,
    verb: String,
    resource: String,
    name: Option<String>,
    left: Option<usize>,
    chance: f64,
}

impl Fault {
    /// Creates a permanent failure of all requests.
    pub fn new(kind: FaultKind) -> Self {
        Self {
            kind,
            verb: "*".to_owned(),
            resource: "*".to_owned(),
            name: None,
            left: None,
            chance: 1.0,
        }
    }

    /// Restricts the fault to a verb and a resource; `*` matches any, a subresource is written
    /// `pods/status`.
    #[must_use]
    pub fn on(mut self, verb: &str, resource: &str) -> Self {
        verb.clone_into(&mut self.verb);
        resource.clone_into(&mut self.resource);
        self
    }

    /// Restricts the fault to objects with this name.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Restricts the fault to the next matching request.
    #[must_use]
    pub fn once(self) -> Self {
        self.times(1)
    }

    /// Restricts the fault to the next `n` matching requests.
    #[must_use]
    pub fn times(mut self, n: usize) -> Self {
        self.left = Some(n);
        self
    }

    /// Applies the fault to each matching request with this probability (0 to 1).
    #[must_use]
    pub fn with_chance(mut self, probability: f64) -> Self {
        self.chance = probability;
        self
    }

    fn strikes(&mut self, action: &Action) -> bool {
        let is_watch_only = matches!(self.kind, FaultKind::CutWatch { .. });
        let is_list_only = matches!(self.kind, FaultKind::StaleList { .. });
        let applies = self.left != Some(0)
            && action.matches(&self.verb, &self.resource)
            && self.name.as_ref().is_none_or(|name| *name == action.name)
            && (!is_watch_only || action.verb == "watch")
            && (!is_list_only || action.verb == "list");
        if !applies || (self.chance < 1.0 && rand::random::<f64>() >= self.chance) {
            return false;
        }
        if let Some(left) = &mut self.left {
            *left -= 1;
        }
        true
    }
}

/// How a failed request ends.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    Error(ApiError),
    DropConnection,
    Hang,
    LoseAnswer,
}

/// The combined failures of one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Struck {
    pub(crate) delay: Duration,
    pub(crate) failure: Option<Failure>,
    pub(crate) cut_watch: Option<usize>,
    pub(crate) stale: Option<u64>,
}

impl Struck {
    /// Adds a failure. Delays add up; of several failures that end the request, the first counts.
    pub(crate) fn add(&mut self, kind: &FaultKind, action: &Action) {
        let failure = match kind {
            FaultKind::Delay(delay) => {
                self.delay += *delay;
                return;
            }
            FaultKind::CutWatch { after_events } => {
                self.cut_watch = Some(*after_events);
                return;
            }
            FaultKind::StaleList { revisions } => {
                self.stale = Some(*revisions);
                return;
            }
            FaultKind::DropConnection => Failure::DropConnection,
            FaultKind::Hang => Failure::Hang,
            FaultKind::LoseAnswer => Failure::LoseAnswer,
            FaultKind::TooManyRequests { retry_after } => {
                Failure::Error(ApiError::too_many_requests(
                    "the server has received too many requests and has asked us to try again later",
                    *retry_after,
                ))
            }
            FaultKind::InternalError => Failure::Error(ApiError::internal("injected fault")),
            FaultKind::Conflict => {
                let resource = GroupResource::new(&action.group, &action.resource);
                Failure::Error(ApiError::modified(&resource, &action.name))
            }
            FaultKind::Expired => Failure::Error(ApiError::expired(
                "The resourceVersion for the provided request is too old.",
            )),
            FaultKind::Status(error) => Failure::Error(error.clone()),
        };
        self.failure.get_or_insert(failure);
    }
}

/// The active faults of a server.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Mutex<Vec<Fault>>,
    links: Links,
}

impl Faults {
    /// Adds a fault. If several match a request, the one added first applies.
    pub fn add(&self, fault: Fault) {
        self.lock().push(fault);
    }

    /// Removes all faults.
    pub fn clear(&self) {
        self.lock().clear();
    }

    fn lock(&self) -> parking_lot::MutexGuard<'_, Vec<Fault>> {
        self.faults.lock()
    }

    /// Disconnects a user (see [`client_as`](crate::ApiServer::client_as)) from the server:
    /// requests are neither processed, recorded nor answered, and watches that are open stay open
    /// and silent, even after [`reconnect`](Self::reconnect).
    pub fn cut_off(&self, user: &str) {
        self.links.cut(user);
    }

    /// Reconnects all users.
    pub fn reconnect(&self) {
        self.links.restore();
    }

    pub(crate) fn link(&self, user: &str) -> Link {
        self.links.of(user)
    }

    pub(crate) fn strike(&self, action: &Action) -> Struck {
        let mut faults = self.lock();
        let mut struck = Struck::default();
        for fault in faults.iter_mut() {
            if struck.failure.is_none() && fault.strikes(action) {
                struck.add(&fault.kind, action);
            }
        }
        faults.retain(|fault| fault.left != Some(0));
        struck
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn action(verb: &'static str, resource: &str) -> Action {
        Action {
            user: String::new(),
            verb,
            group: String::new(),
            version: "v1".into(),
            resource: resource.into(),
            subresource: String::new(),
            namespace: "ns".into(),
            name: "a".into(),
            content_type: String::new(),
            query: String::new(),
            body: Value::Null,
            created: false,
            implied: Vec::new(),
        }
    }

    #[test]
    fn a_fault_strikes_its_verb_and_resource_as_often_as_it_says() {
        let faults = Faults::default();
        faults.add(
            Fault::new(FaultKind::Conflict)
                .on("update", "pods")
                .times(2),
        );
        assert_eq!(faults.strike(&action("get", "pods")), Struck::default());
        for _ in 0..2 {
            let struck = faults.strike(&action("update", "pods"));
            let Some(Failure::Error(error)) = struck.failure else {
                panic!("{struck:?}")
            };
            assert_eq!(error.code, 409);
        }
        assert_eq!(faults.strike(&action("update", "pods")), Struck::default());
    }

    #[test]
    fn a_fault_of_no_chance_never_strikes_and_delays_add_up() {
        let faults = Faults::default();
        faults.add(Fault::new(FaultKind::InternalError).with_chance(0.0));
        faults.add(Fault::new(FaultKind::Delay(Duration::from_millis(3))).once());
        faults.add(Fault::new(FaultKind::Delay(Duration::from_millis(4))));
        assert_eq!(
            faults.strike(&action("get", "pods")).delay,
            Duration::from_millis(7)
        );
        assert_eq!(
            faults.strike(&action("get", "pods")).delay,
            Duration::from_millis(4)
        );
    }
}
