//! Placeholder.

pub mod apply;
pub mod patch;
pub mod schema;
