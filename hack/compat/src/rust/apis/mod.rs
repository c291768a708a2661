//! Types by group and version.

pub mod machines;
