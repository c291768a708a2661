//! The API, by group and version.
