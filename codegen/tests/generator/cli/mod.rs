//! The command line as users see it: transcripts of whole processes, and the files that they write.
//!
//! Transcripts are in `testdata/cli`;
//! `INSTA_UPDATE=always cargo test -p kube-codegen --test generator cli` rewrites them.

mod config_errors;
mod crate_again;
mod crates;
mod crates_advice;
mod crates_code;
mod crates_code_parts;
mod crates_defaults;
mod crates_dependencies;
mod crates_fetched;
mod crates_forms;
mod crates_names;
mod crates_which;
mod crd;
mod crd_checks;
mod crd_fields;
mod diff;
mod evaluate;
mod explain;
mod files;
mod generate;
mod groups;
mod helm;
mod help;
mod inspect;
mod interrupt;
mod lint;
mod names;
mod operator;
mod operator_builtin;
mod operator_controllers;
mod operator_from;
mod operator_kinds;
mod operator_migration;
mod operator_policy;
mod operator_update;
mod operator_webhooks;
mod output;
mod package;
mod package_names;
pub(crate) mod sandbox;
pub(crate) mod schema;
mod standing;
mod unread;
mod verify;
