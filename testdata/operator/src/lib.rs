//! The operator: [`apis`] has the types, [`controllers`] what acts on them, [`app`] the program.
//! `generated` is what `kube-codegen generate` makes of the types.

pub mod apis;
pub mod app;
pub mod controllers;
pub mod generated;
pub mod webhooks;
