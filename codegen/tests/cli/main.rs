//! The command line, as its users see it: transcripts of whole processes, and what they leave on disk.
//!
//! Transcripts stand in `testdata/cli`; `INSTA_UPDATE=always cargo test -p codegen --test cli` writes them anew.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

mod config_errors;
mod crd;
mod files;
mod generate;
mod groups;
mod help;
mod interrupt;
mod output;
mod sandbox;
mod schema;
mod verify;
