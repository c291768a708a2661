//! Tests beyond the conformance suite: features of this server, recorded answers of Kubernetes, and
//! schemas of real CRDs.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test fails by panicking, and may print what it measured"
)]

mod corpus_schema;
mod corpus_validate;
mod generated_crds;
mod random_objects;
mod recorded;
mod rules;
mod server;
mod support;
