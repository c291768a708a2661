//! A group, by version.

pub mod v1alpha1;
