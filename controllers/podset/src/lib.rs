//! A controller that keeps a Deployment of a set size for each `PodSet`, and reports which pods run.
//!
//! [`apis`] has the hand-written types; [`generated`] is what `kube-codegen` makes of them. Start reading at [`controller`].

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
