//! A controller that keeps a Deployment of the desired size for each `PodSet`, and reports its
//! pods.
//!
//! [`apis`] has the hand-written types, [`generated`] the output of `kube-codegen` for them. Start
//! reading at [`controller`].

/// Types by group and version.
pub mod apis {
    /// The group `apps.jicki.cn`.
    pub mod apps {
        pub mod v1alpha1;
    }
}
pub mod app;
pub mod controller;
pub mod generated;
