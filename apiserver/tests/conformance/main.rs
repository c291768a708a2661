//! The conformance suite: what a Kubernetes API server does, said as cases that know nothing of the server behind them.
//!
//! Every case is an async function that takes a `kube::Client`. Without `CONFORMANCE_KUBECONFIG` the cases run against
//! the embedded server; with it they run against that cluster, whose answers are the truth: a case that fails there is a
//! wrong case. Start with [`support`] for the words that cases are written in, and [`known`] for the differences that
//! the embedded server is known to have.

#![allow(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "all of this is test code, and a case fails by panicking"
)]

mod harness;
mod known;
#[macro_use]
mod support;
mod webhook_server;

mod apply;
mod apply_built_in;
mod apply_lists;
mod apply_requests;
mod apply_versions;
mod built_in;
mod built_in_defaults;
mod built_in_rules;
mod built_in_validation;
mod cel_rules;
mod chart_kinds;
mod concurrency;
mod conversion;
mod conversion_failures;
mod crd_cel;
mod crd_rules;
mod crud;
mod delete_collection;
mod deletion;
mod discovery;
mod dry_run;
mod ephemeral_containers;
mod errors;
mod field_validation;
mod fine_print;
mod garbage;
mod generate_name;
mod list;
mod namespaces;
mod patch;
mod resource_version_match;
mod scale;
mod schema_defaults;
mod schema_pruning;
mod schema_rules;
mod schema_validation;
mod selectors;
mod status;
mod table;
mod versions;
mod watch;
mod watch_initial;
mod webhook_configurations;
mod webhook_failures;
mod webhook_rules;
mod webhooks;

const SUITE: harness::Suite = harness::Suite {
    prefix: "",
    over_http: false,
    retries: false,
    known: known::KNOWN_DIFFERENCES,
};
