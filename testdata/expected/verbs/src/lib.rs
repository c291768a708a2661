//! The output of `kube-codegen groups all` for `testdata/apis/verbs`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod fleet {
        pub mod v1;
    }
}
pub mod generated;
