//! A controller that adds debugging tools to running pods as ephemeral containers.
//!
//! [`apis`] has the hand-written types, [`generated`] the output of `kube-codegen` for them. Start
//! reading at [`controller`].

/// Types by group and version.
pub mod apis {
    /// The group `tools.jicki.cn`.
    pub mod tools {
        pub mod v1alpha1;
    }
}
pub mod app;
pub mod controller;
pub mod generated;
