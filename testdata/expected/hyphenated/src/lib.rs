//! What `kube-codegen groups all` makes of `testdata/apis/hyphenated`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod traffic_control {
        pub mod v1alpha2;
    }
}
pub mod generated;
