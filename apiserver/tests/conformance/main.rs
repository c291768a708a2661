//! The conformance suite: the behaviour of a Kubernetes API server, as cases that do not depend on
//! the server under test.
//!
//! Every case is an async function that takes a `kube::Client`. With `CONFORMANCE_KUBECONFIG`, the
//! cases run against that cluster, which is the reference: a case that fails there is wrong.
//! Otherwise they run against the embedded server. See [`support`] for the helpers of cases, and
//! [`known`] for the known differences of the embedded server.

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

mod admission_policies;
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
mod claims;
mod classes;
mod concurrency;
mod config;
mod conversion;
mod conversion_failures;
mod crd_cel;
mod crd_rules;
mod crud;
mod delete_collection;
mod deletion;
mod discovery;
mod dry_run;
mod endpoints;
mod ephemeral_containers;
mod errors;
mod field_validation;
mod fine_print;
mod fine_print_writes;
mod garbage;
mod generate_name;
mod generation;
mod jobs;
mod list;
mod namespaces;
mod openapi;
mod patch;
mod pod_updates;
mod resource_version_match;
mod scale;
mod scale_requests;
mod schema_defaults;
mod schema_pruning;
mod schema_rules;
mod schema_validation;
mod selectors;
mod services;
mod sharded_lists;
mod status;
mod suites;
mod table;
mod table_cells;
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
