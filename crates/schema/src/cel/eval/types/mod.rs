//! Types of the libraries, and their parsers.

pub(super) mod semver;
pub(super) mod url;
