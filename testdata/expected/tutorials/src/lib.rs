//! The conversions of the examples of other projects, by the generators `deepcopy`, `register` and
//! `conversion` for `testdata/apis/tutorials`.

/// Types by group and version.
pub mod apis {
    /// The tutorial of kubebuilder for several versions.
    pub mod cron {
        pub mod v1;
        pub mod v2;
    }
    /// The first example of stackable-versioned.
    pub mod foo {
        pub mod v1alpha1;
        pub mod v1beta1;
        pub mod v2;
    }
    /// The example of stackable-versioned that its tests convert.
    pub mod people {
        pub mod v1alpha1;
        pub mod v2;
        pub mod v3;
    }
}
