//! Leader election.

mod acquire;
mod epochs;
mod identity;
mod lies;
mod lose;
mod observe;
mod release;
mod restored;
mod safety;
mod stuck;
mod unable;

use std::sync::{Arc, Mutex};

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Leadership, Stopped};
use kube::Client;
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::server::Server;
use crate::control::{ms, secs};

pub(super) const LEASE: &str = "leases/default/lock";

/// A contender whose work waits for its token.
pub(super) struct Contender {
    pub(super) elector: LeaderElector,
    pub(super) shutdown: CancellationToken,
    pub(super) term: Arc<Mutex<Option<Leadership>>>,
    pub(super) task: JoinHandle<Stopped<()>>,
}

pub(super) fn config(identity: &str) -> LeaderElectionConfig {
    LeaderElectionConfig::new("default", "lock", identity)
}

pub(super) fn contend(server: &Server, identity: &str) -> Contender {
    contend_with(server, config(identity))
}

pub(super) fn contend_with(server: &Server, config: LeaderElectionConfig) -> Contender {
    contend_through(server.client_of(&config.identity), config)
}

pub(super) fn contend_through(client: Client, config: LeaderElectionConfig) -> Contender {
    let elector = LeaderElector::new(client, config).unwrap();
    let (shutdown, term) = (CancellationToken::new(), Arc::new(Mutex::new(None)));
    let task = tokio::spawn({
        let (elector, shutdown, term) = (elector.clone(), shutdown.clone(), Arc::clone(&term));
        async move {
            elector
                .run(&shutdown, |leadership| async move {
                    *term.lock().unwrap() = Some(leadership.clone());
                    leadership.token().cancelled().await;
                })
                .await
        }
    });
    Contender {
        elector,
        shutdown,
        term,
        task,
    }
}

impl Contender {
    pub(super) fn term(&self) -> Leadership {
        self.term.lock().unwrap().clone().expect("it has not led")
    }

    /// Returns how long it takes until this contender leads.
    pub(super) async fn leads(&self) -> std::time::Duration {
        let start = Instant::now();
        while !self.elector.is_leader() {
            assert!(start.elapsed() < secs(300), "it never leads");
            sleep(ms(1)).await;
        }
        start.elapsed()
    }
}

pub(super) fn spec(server: &Server) -> Value {
    server.get(LEASE).expect("the lease")["spec"].clone()
}

/// Returns a lease held by `holder`, after `transitions` transitions.
pub(super) fn held_by(holder: &str, transitions: u32) -> Value {
    json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {},
        "spec": {
            "holderIdentity": holder, "leaseDurationSeconds": 15, "leaseTransitions": transitions,
            "acquireTime": "2001-01-01T00:00:00.000000Z", "renewTime": "2001-01-01T00:00:00.000000Z",
        },
    })
}
