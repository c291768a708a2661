//! The operator: API types in [`apis`], controllers in [`controllers`], the program in [`app`].
//! `kube-codegen generate` writes `generated` from the types.

pub mod apis;
pub mod app;
pub mod controllers;
pub mod generated;
pub mod metrics;
pub mod webhooks;
