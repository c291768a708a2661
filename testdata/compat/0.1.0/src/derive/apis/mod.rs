//! Types by group and version.

pub mod documents;
