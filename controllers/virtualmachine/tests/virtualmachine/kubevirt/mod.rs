//! The KubeVirt driver on an API server with KubeVirt's CRDs, where a stand-in plays KubeVirt.
//!
//! `CONFORMANCE_KUBECONFIG` names the cluster to run on (default: an embedded server), `CONFORMANCE_CONTROLLERS=1` says that it has
//! a garbage collector.

mod cluster;
mod driver;
mod ownership;
mod stand_in;
mod watching;
