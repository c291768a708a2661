//! Reactors: code that answers a request in the store's place, as in client-go's fakes.

use std::fmt;
use std::sync::Arc;

use parking_lot::RwLock;
use serde_json::Value;

use crate::status::ApiError;
use crate::testing::faults::FaultKind;
use crate::testing::recorder::Action;

/// The reaction to a request.
#[derive(Clone, Debug)]
pub enum Reaction {
    /// Nothing: the next reactor, or the store, answers.
    Pass,
    /// This object is the answer, with status 200.
    Respond(Value),
    /// The request fails.
    Fail(ApiError),
    /// This failure strikes the request. It comes on top of the [`Faults`](crate::Faults) in force.
    Fault(FaultKind),
}

type Reactor = Arc<dyn Fn(&Action) -> Reaction + Send + Sync>;

struct Entry {
    verb: String,
    resource: String,
    react: Reactor,
}

/// The chain of reactors; the one added last is asked first.
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

    /// Whether it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.chain.read().is_empty()
    }

    /// The first reaction that does not pass. Reactors run without a lock, so that they may use the server.
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
