//! A crate whose kinds stand in files of their own, with the clients that `kube-codegen generate` writes for them.

pub mod cabins;
mod crd;
pub mod generated;
