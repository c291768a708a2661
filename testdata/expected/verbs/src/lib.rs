//! What `kube-codegen groups all` makes of `testdata/apis/verbs`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod fleet {
        pub mod v1;
    }
}
pub mod generated;
