//! The output of `kube-codegen groups all` for `testdata/apis/multiversion`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod shop {
        pub mod v1;
        pub mod v1beta1;
    }
}
pub mod generated;
