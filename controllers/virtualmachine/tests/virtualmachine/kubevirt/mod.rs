//! Tests of the KubeVirt driver on an API server with KubeVirt's CRDs and a stand-in for KubeVirt.
//!
//! `CONFORMANCE_KUBECONFIG` names the cluster to run on (default: an embedded server);
//! `CONFORMANCE_CONTROLLERS=1` states that it has a garbage collector.

mod cluster;
mod driver;
mod ownership;
mod stand_in;
mod watching;
