//! The command line: one module per subcommand. A module of the library, so that the programs that
//! run it are a line each.
//!
//! A subcommand turns its arguments into [`crate::Config`]s and hands them to `finish`, which
//! writes, checks or lists.

#[macro_use]
mod commands;

#[cfg(feature = "go")]
mod builtin;
mod checkout;
mod completions;
mod controller;
mod crate_;
mod crd;
mod create;
mod create_controller;
mod create_from;
mod create_metric;
mod create_policy;
mod create_webhook;
mod delete;
mod delete_controller;
mod delete_metric;
mod delete_webhook;
mod diff;
mod explain;
mod finish;
mod flags;
mod generate;
#[cfg(feature = "go")]
mod go;
mod groups;
mod init;
mod inputs;
mod inspect;
mod interrupt;
mod kind;
mod leftovers;
mod lint;
mod man;
mod manifests;
mod markers;
mod migrate;
mod new_kind;
mod operator;
mod options;
mod package;
mod progress;
mod schema;
mod search;
mod style;
mod update;
mod webhooks;

use std::io::{self, Write as _};

use crate::config::Error;
use clap::Parser;

use style::Color;

/// Generates typed Kubernetes clients, informers, CRDs, roles and webhooks from annotated Rust
/// types, Go types and CRD YAML.
#[derive(Debug, Parser)]
#[command(
    name = "kube-codegen",
    version = checkout::version(),
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 the input has errors, or a check found differences; \
                  2 wrong usage, a wrong codegen.toml, or output that cannot be written."
)]
struct Cli {
    /// When to use colors; `auto` checks the terminal and honours NO_COLOR.
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    color: Color,
    #[command(subcommand)]
    command: Command,
}

commands! {
    Command;

    /// Generate everything that a codegen.toml declares.
    Generate(generate::Generate),
    /// Generate for annotated Rust types, with the arguments of Go's generate-groups.sh.
    Groups(groups::Groups),
    /// Generate types, clients, listers and informers from CRD YAML.
    Crd(crd::Crd),
    /// Generate types, clients, listers and informers from Go API packages.
    #[cfg(feature = "go")]
    Go(go::Go),
    /// Write a whole crate for CRDs, ready to build and to publish.
    Crate(crate_::Crate),
    /// Write CRDs, roles and webhook configurations from types and markers, or CRDs from CRDs.
    Manifests(manifests::Manifests),
    /// Start an operator: a crate that builds and passes its tests at once, without a cluster.
    Init(init::Init),
    /// Add to an operator that `kube-codegen init` started.
    Create(create::Create),
    /// Remove from an operator what `kube-codegen create` added.
    Delete(delete::Delete),
    /// Bring what was written to an operator up to this release, by a three-way merge.
    Update(update::Update),
    /// Let an operator rewrite stored objects of its kinds in their storage version.
    Migrate(migrate::Migrate),
    /// Package an operator: one manifest, a Helm chart and an OLM bundle.
    Package(package::Package),
    /// Show the API as the generator understands it.
    Inspect(inspect::Inspect),
    /// Explain a kind or a field as `kubectl explain` does, without a cluster, or the code of an
    /// error.
    Explain(explain::Explain),
    /// Compare two versions of CRDs: who is hurt by a change, with an object that proves it.
    Diff(diff::Diff),
    /// Hold an API against the conventions of Kubernetes.
    Lint(lint::Lint),
    /// List every marker: syntax, target, meaning, default.
    Markers(markers::Markers),
    /// Print a JSON schema of codegen.toml, for editors.
    Schema(schema::Schema),
    /// Print a completion script for a shell.
    Completions(completions::Completions),
    /// Write man pages, one a command, as the archives of releases have them.
    #[command(hide = true)]
    Man(man::Man),
    /// Pack the table of Kubernetes' own types from their Go sources, and print one of its files.
    #[cfg(feature = "go")]
    #[command(hide = true)]
    BuiltinTypes(builtin::BuiltinTypes),
}

/// Why a command failed.
#[derive(Debug)]
enum Failure {
    /// An error of the generator, its input or the file system.
    Error(Error),
    /// The combination of arguments is invalid.
    Usage(String),
    /// A check found differences, which have been printed.
    Stale(String),
    /// Standard output cannot be written.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl From<crate::output::Error> for Failure {
    fn from(error: crate::output::Error) -> Self {
        Self::Error(error.into())
    }
}

/// Parses the arguments, runs the command, reports its failure, and ends the process.
pub fn run() -> ! {
    let code = match Cli::try_parse() {
        Ok(cli) => cli.run(),
        Err(answer) => print_answer(&answer),
    };
    interrupt::end();
    leave(code)
}

/// Exits without returning the allocator's memory to the system piece by piece, which would take a
/// tenth of the time of short runs.
fn leave(code: u8) -> ! {
    // All output has been flushed, unless the reader is gone.
    let _ = io::stdout().flush();
    #[cfg(unix)]
    signal_hook::low_level::exit(code.into());
    #[cfg(not(unix))]
    std::process::exit(code.into());
}

impl Cli {
    /// Runs the command; returns the exit code.
    fn run(self) -> u8 {
        let color = self.color;
        match self.command.run(color) {
            Ok(()) => 0,
            Err(failure) => failure.report(color),
        }
    }
}

/// Prints the requested help or version, or the error in the arguments.
fn print_answer(answer: &clap::Error) -> u8 {
    let written = answer.print().and_then(|()| io::stdout().flush());
    match style::output(written) {
        Ok(()) => u8::try_from(answer.exit_code()).unwrap_or(2),
        Err(failure) => failure.report(Color::Auto),
    }
}

impl Failure {
    /// Prints the failure to stderr; returns the exit code.
    fn report(self, color: Color) -> u8 {
        let (code, text) = match self {
            Self::Error(Error::Input(diagnostics)) => (1, style::render(&diagnostics, color)),
            Self::Error(Error::Config(diagnostics)) => (2, style::render(&diagnostics, color)),
            Self::Error(error) => (2, style::error(&error.to_string(), color)),
            Self::Usage(message) => (2, style::error(&message, color)),
            Self::Stale(message) => (1, style::error(&message, color)),
            Self::Output(error) => {
                let message = format!("cannot write to standard output: {error}");
                (2, style::error(&message, color))
            }
        };
        style::eprint(&text);
        code
    }
}
