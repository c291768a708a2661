//! The output of `kube-codegen groups all` for `testdata/apis/hyphenated`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod traffic_control {
        pub mod v1alpha2;
    }
}
pub mod generated;
