//! A crate without kinds of its own, with the clients that `kube-codegen generate` writes for those of another member.

pub mod generated;
