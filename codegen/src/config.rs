//! Configuration: `codegen.toml`, and the builder that build scripts use.

/// What a build script or `codegen.toml` declares.
#[derive(Clone, Debug, Default)]
pub struct Config {}
