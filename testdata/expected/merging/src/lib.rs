//! The output of `kube-codegen groups all` for `testdata/apis/merging`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod merging {
        pub mod v1;
    }
}
pub mod generated;
