//! The API, by group and version.

/// The group `batch.example.com`.
pub mod batch {
    pub mod v1alpha1;
    pub mod v1beta1;
}

/// The group `cache.example.com`.
pub mod cache {
    pub mod v1;
}
