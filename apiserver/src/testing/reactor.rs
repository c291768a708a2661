//! Reactors: functions that answer requests instead of the store, as in client-go's fakes.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::Value;

use crate::status::ApiError;
use crate::testing::faults::FaultKind;
use crate::testing::recorder::Action;

/// What a reactor does with a request.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// Passes the request to the next reactor or the store.
    Pass,
    /// Answers with this object and status 200.
    Respond(Value),
    /// Fails the request.
    Fail(ApiError),
    /// Injects this failure, in addition to the active [`Faults`](crate::Faults).
    Fault(FaultKind),
}

type Reactor = Arc<dyn Fn(&Action) -> Reaction + Send + Sync>;

struct Entry {
    verb: String,
    resource: String,
    react: Reactor,
}

/// The chain of reactors; the most recently added one is called first.
#[derive(Default)]
pub(crate) struct Reactors {
    chain: RwLock<Vec<Entry>>,
}

impl Reactors {
    pub(crate) fn prepend(
        &self,
        verb: &str,
        resource: &str,
        react: impl Fn(&Action) -> Reaction + Send + Sync + 'static,
    ) {
        let entry = Entry {
            verb: verb.to_owned(),
            resource: resource.to_owned(),
            react: Arc::new(react),
        };
        self.chain.write().push(entry);
    }

    /// Whether there are no reactors.
    pub(crate) fn is_empty(&self) -> bool {
        self.chain.read().is_empty()
    }

    /// Returns the first reaction other than `Pass`. Reactors run without a lock held, so that they
    /// may use the server.
    pub(crate) fn react(&self, action: &Action) -> Reaction {
        let matching: Vec<Reactor> = self
            .chain
            .read()
            .iter()
            .rev()
            .filter(|entry| action.matches(&entry.verb, &entry.resource))
            .map(|entry| entry.react.clone())
            .collect();
        for react in matching {
            match react(action) {
                Reaction::Pass => {}
                reaction => return reaction,
            }
        }
        Reaction::Pass
    }
}

impl fmt::Debug for Reactors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chain = self.chain.read();
        f.debug_list()
            .entries(chain.iter().map(|e| (&e.verb, &e.resource)))
            .finish()
    }
}
