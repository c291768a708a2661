//! The connections between users and the server, which tests can cut.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

/// The connection of a user, until it is replaced after a cut.
#[derive(Clone, Debug, Default)]
pub(crate) struct Link(Arc<AtomicBool>);

impl Link {
    /// Whether the link is cut. A cut link stays cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// The links of all users.
#[derive(Debug, Default)]
pub(crate) struct Links {
    by_user: Mutex<BTreeMap<String, Link>>,
}

impl Links {
    pub(crate) fn of(&self, user: &str) -> Link {
        let mut links = self.by_user.lock();
        match links.get(user) {
            Some(link) => link.clone(),
            None => links.entry(user.to_owned()).or_default().clone(),
        }
    }

    pub(crate) fn cut(&self, user: &str) {
        self.of(user).0.store(true, Ordering::SeqCst);
    }

    /// Gives every user a new link.
    pub(crate) fn restore(&self) {
        self.by_user.lock().clear();
    }
}
