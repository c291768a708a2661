//! The output of `kube-codegen groups all` for `testdata/apis/foo`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod samplecontroller {
        pub mod v1alpha1;
    }
}
pub mod generated;
