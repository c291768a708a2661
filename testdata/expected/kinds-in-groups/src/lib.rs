//! A crate with kinds of several groups and versions, with the clients that `kube-codegen generate` writes for them.

pub mod fleet;
pub mod generated;
pub mod port;

/// A place at a quay, which kinds of both groups refer to.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
pub struct Berth {
    /// Its number.
    pub number: u16,
}
