//! Arguments that several subcommands share.

use std::{ffi::OsString, path::PathBuf};

use crate::{Config, Generator, Mode, options::TypeAttributes};
use clap::Args;

use super::{finish::Finish, style::Color};

/// Whether to write files.
#[derive(Clone, Copy, Debug, Args)]
pub(super) struct ModeArgs {
    /// Write nothing; print how the files on disk differ, and exit with 1 if they do.
    #[arg(long)]
    check: bool,
    /// Write nothing; list what would be written and removed.
    #[arg(long, conflicts_with = "check")]
    dry_run: bool,
}

impl ModeArgs {
    /// Whether the files on disk are compared, and nothing is written.
    pub(super) const fn is_check(self) -> bool {
        self.check
    }

    /// The last step of a command with these arguments.
    pub(super) fn finish(self, color: Color) -> Finish {
        let mode = match self {
            Self { check: true, .. } => Mode::Check,
            Self { dry_run: true, .. } => Mode::DryRun,
            _ => Mode::Write,
        };
        Finish { mode, color }
    }
}

/// The sources of CRDs.
#[derive(Debug, Args)]
pub(super) struct CrdArgs {
    /// CRD files (YAML or JSON, any number of documents), folders of them, or `-` for standard
    /// input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// The file that records the names of modules and types, so that they stay stable across
    /// releases of the CRDs; '' disables it [default: apis/names.toml in the output folder].
    #[arg(long, value_name = "FILE")]
    names_file: Option<OsString>,
}

impl CrdArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = inputs(config, self.inputs);
        match self.names_file {
            Some(path) => config.names_file(path),
            None => config,
        }
    }
}

/// Adds CRD inputs; `-` is standard input.
pub(super) fn inputs(config: Config, inputs: Vec<PathBuf>) -> Config {
    inputs.into_iter().fold(config, |config, input| {
        if input.as_os_str() == "-" {
            config.crds_from_stdin()
        } else {
            config.crds([input])
        }
    })
}

/// Arguments for all generated code.
#[derive(Debug, Args)]
pub(super) struct CodeArgs {
    /// A license header for every file.
    #[arg(long, visible_alias = "go-header-file", value_name = "FILE")]
    header_file: Option<PathBuf>,
}

impl CodeArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        match self.header_file {
            Some(path) => config.header_file(path),
            None => config,
        }
    }
}

/// Arguments for types from CRDs and Go.
#[derive(Debug, Args)]
pub(super) struct TypeArgs {
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "all",
        value_parser = Generator::parse,
        help = format!("What to generate: {}, or all", generator_names(|_| true)),
    )]
    emit: Vec<Generators>,
    /// Derive traits for types whose names match, where `*` matches any characters, as in
    /// 'IssuerSpec*=Eq,schemars::JsonSchema'; may be repeated.
    #[arg(long, value_name = "TYPES=DERIVE,…", value_parser = TypeAttributes::parse_derives)]
    type_derive: Vec<TypeAttributes>,
    /// Add an attribute to types whose names match, as in `IssuerSpec*=#[non_exhaustive]`; may be
    /// repeated.
    #[arg(long, value_name = "TYPES=ATTRIBUTE", value_parser = TypeAttributes::parse_attribute)]
    type_attribute: Vec<TypeAttributes>,
}

/// The generators that one name selects.
type Generators = Vec<Generator>;

impl TypeArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let generators = self.emit.iter().flatten().copied();
        let attributes = self.type_derive.into_iter().chain(self.type_attribute);
        attributes.fold(config.emit(generators), Config::type_attributes)
    }
}

/// The names of some generators, as a list for help texts.
pub(super) fn generator_names(wanted: fn(Generator) -> bool) -> String {
    let all = Generator::ALL.into_iter();
    let names = all.filter(|&generator| wanted(generator));
    names.map(Generator::name).collect::<Vec<_>>().join(", ")
}
