//! One group.

pub mod v1;
