//! A controller that runs virtual machines declared as Kubernetes objects.
//!
//! [`apis`] has the hand-written types; [`generated`] is what `kube-codegen` makes of them. [`controller`] brings each machine to
//! what its spec says, through a [`driver`]: simulated, QEMU on this host, or KubeVirt in the cluster. [`app`] puts them together
//! behind the [flags](cli). Start reading at [`controller::Reconciler`].

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
