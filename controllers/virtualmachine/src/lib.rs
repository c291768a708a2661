//! A controller that runs virtual machines declared as Kubernetes objects.
//!
//! [`apis`] has the hand-written types, [`generated`] the output of `kube-codegen` for them.
//! [`controller`] reconciles each machine through a [`driver`]: simulated, QEMU on this host, or
//! KubeVirt in the cluster. [`app`] wires them to the [flags](cli). Start reading at
//! [`controller::Reconciler`].

/// Types by group and version.
pub mod apis {
    /// The group `cloudnative.czs`.
    pub mod cloudnative {
        pub mod v1alpha1;
    }
}
pub mod app;
pub mod cli;
pub mod controller;
#[cfg(feature = "demo")]
pub mod demo;
pub mod driver;
pub mod generated;
