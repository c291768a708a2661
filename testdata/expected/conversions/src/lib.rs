//! The output of `kube-codegen groups all,conversion` for `testdata/apis/conversions`, in a crate that uses it.

/// Types by group and version.
pub mod apis {
    /// One group.
    pub mod clinic {
        pub mod v1;
        pub mod v1alpha1;
        pub mod v1beta1;
    }
}
pub mod generated;
