//! Arguments that several subcommands share.

use std::{ffi::OsString, path::PathBuf};

use crate::{
    Config, Generator, KubernetesTypes, KubernetesVersion, Mode,
    options::{MapType, crate_path},
};
use clap::Args;

use super::{finish::Finish, looks::LookArgs, style::Color};

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

/// The sources of CRDs, and which of them to keep.
#[derive(Debug, Args)]
pub(super) struct CrdArgs {
    /// CRD files (YAML or JSON, any number of documents), folders of them, or `-` for standard input.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    inputs: Vec<PathBuf>,
    /// Keep only this group; may be repeated.
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    group: Vec<String>,
    /// Keep only this version; may be repeated.
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    version: Vec<String>,
    /// Keep only this kind; may be repeated.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Generate types, but no clients, for versions that are not served too.
    #[arg(long)]
    all_versions: bool,
    /// Keep only the storage version of each kind.
    #[arg(long)]
    storage_version_only: bool,
    /// If some CRDs have errors, generate for the others; the errors are reported, and the exit code is 1.
    #[arg(long)]
    keep_going: bool,
}

impl CrdArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = inputs(config, self.inputs)
            .all_versions(self.all_versions)
            .storage_version_only(self.storage_version_only)
            .keep_going(self.keep_going);
        filtered(config, self.group, self.version, self.kind)
    }
}

/// Keeps only these groups, versions and kinds; all, where there are none.
pub(super) fn filtered(
    config: Config,
    groups: Vec<String>,
    versions: Vec<String>,
    kinds: Vec<String>,
) -> Config {
    let config = groups.into_iter().fold(config, Config::group);
    let config = versions.into_iter().fold(config, Config::version);
    kinds.into_iter().fold(config, Config::kind)
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
    /// Path of the runtime crate in generated code.
    #[arg(long, value_name = "PATH", default_value = "::codegen_runtime", value_parser = crate_path)]
    runtime_path: String,
}

impl CodeArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = config.runtime_path(self.runtime_path);
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
    /// Path of `k8s_openapi` in types that do not use the runtime.
    #[arg(long, value_name = "PATH", value_parser = crate_path)]
    k8s_openapi_path: Option<String>,
    /// Derive `schemars::JsonSchema` too.
    #[arg(long)]
    schemars: bool,
    #[command(flatten)]
    looks: LookArgs,
}

/// The generators that one name selects.
type Generators = Vec<Generator>;

impl TypeArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let generators = self.emit.iter().flatten().copied();
        let config = config.emit(generators).schemars(self.schemars);
        let config = match self.k8s_openapi_path {
            Some(path) => config.k8s_openapi_path(path),
            None => config,
        };
        self.looks.apply(config)
    }
}

/// Arguments for types from CRDs only.
#[derive(Debug, Args)]
pub(super) struct SchemaArgs {
    /// Also emit an alias per schema path, named after the full path (`VirtualMachineSpecResource`).
    #[arg(long)]
    aliases: bool,
    /// Which schemas become types of k8s-openapi: `all` with the same structure, including those of other Kubernetes releases,
    /// which have fewer fields; `exact`, those with every field; or `none`.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = KubernetesTypes::parse)]
    kubernetes_types: KubernetesTypes,
    /// The lowest Kubernetes version that k8s-openapi is compiled for, such as 1.36: schemas with its fields become types of
    /// k8s-openapi too [default: every version that k8s-openapi supports].
    #[arg(long, value_name = "VERSION", value_parser = KubernetesVersion::parse)]
    kubernetes_version: Option<KubernetesVersion>,
    /// Name the type at a schema path, as in VirtualMachine.spec.resource=MachineSize; may be repeated.
    #[arg(long, value_name = "PATH=NAME", value_parser = rename)]
    rename: Vec<(String, String)>,
    /// The file that records the names of modules and types, so that they stay stable across releases of the CRDs; '' disables it
    /// [default: apis/names.toml in the output folder].
    #[arg(long, value_name = "FILE")]
    names_file: Option<OsString>,
    /// The type of map fields: `btree`, or `hash` for `HashMap`, which is serialized in key order.
    #[arg(long, value_name = "TYPE", default_value = "btree", value_parser = MapType::parse)]
    map_type: MapType,
}

impl SchemaArgs {
    pub(super) fn apply(self, config: Config) -> Config {
        let config = config.aliases(self.aliases).map_type(self.map_type);
        let mut config = config.kubernetes_types(self.kubernetes_types);
        if let Some(version) = self.kubernetes_version {
            config = config.kubernetes_version(version);
        }
        if let Some(path) = self.names_file {
            config = config.names_file(path);
        }
        let renames = self.rename.into_iter();
        renames.fold(config, |config, (path, name)| config.rename(path, name))
    }
}

/// The names of some generators, as a list for help texts.
pub(super) fn generator_names(wanted: fn(Generator) -> bool) -> String {
    let all = Generator::ALL.into_iter();
    let names = all.filter(|&generator| wanted(generator));
    names.map(Generator::name).collect::<Vec<_>>().join(", ")
}

fn rename(text: &str) -> Result<(String, String), String> {
    text.split_once('=')
        .filter(|(path, name)| !path.is_empty() && !name.is_empty())
        .map(|(path, name)| (path.to_owned(), name.to_owned()))
        .ok_or_else(|| {
            "write PATH=NAME, such as VirtualMachine.spec.resource=MachineSize".to_owned()
        })
}
