//! Types of the libraries, and how texts are read as them.

pub(super) mod semver;
pub(super) mod url;
