//! A controller in the classic shape: networks declared as Kubernetes objects and provided by a
//! backend.
//!
//! [`apis`] has the hand-written types, [`generated`] the output of `kube-codegen` for them.
//! [`controller`] reconciles each network through a [`backend`], simulated or OpenStack Networking.
//! [`app`] wires them to the flags. Start reading at [`controller::NetworkController`].

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
