//! A controller in the classic shape: networks declared as Kubernetes objects, made by a backend.
//!
//! [`apis`] has the hand-written types; [`generated`] is what `kube-codegen` makes of them. [`controller`] brings each network to
//! what its spec says, through a [`backend`]: simulated, or OpenStack Networking. [`app`] puts them together behind the flags. Start
//! reading at [`controller::NetworkController`].

/// Types by group and version.
pub mod apis {
    /// The group `samplecrd.k8s.io`.
    pub mod samplecrd {
        pub mod v1;
    }
}
pub mod app;
pub mod backend;
pub mod controller;
pub mod generated;
