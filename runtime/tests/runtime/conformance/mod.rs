//! The runtime against an API server: informers, leader election, events, finalizers, apply,
//! controllers and typed clients.
//!
//! Every case takes a `kube::Client` that speaks HTTP and does not know which server it talks to.
//! By default that is the embedded server on its own port; `CONFORMANCE_KUBECONFIG=…` selects a
//! cluster instead, as in the conformance suite of the embedded server, whose harness and helpers
//! these cases share. `hack/conformance.sh` runs both sides.

mod apply;
mod common;
mod configurations;
mod controllers;
mod dynamic;
mod events;
mod finalizers;
mod informers;
mod leader;
mod reflectors;
#[cfg(feature = "self-signed")]
mod self_signed;
mod typed_client;
