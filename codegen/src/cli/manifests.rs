//! `kube-codegen manifests`.

use std::path::PathBuf;

use crate::{
    Config,
    config::{FILE_NAME, Workspace},
    options::define::MANIFESTS,
};
use clap::Args;

use super::{Failure, flags::Flags, inputs::find, options::ModeArgs, style::Color};

/// Write CRDs, roles and webhook configurations from types and markers, or CRDs from CRDs.
///
/// Without input, writes what the [crate.manifests] of codegen.toml declare. Manifests go to
/// config/crd/bases, config/rbac/role.yaml and config/webhook/manifests.yaml; an API reference is
/// only written with --docs.
#[derive(Debug, Args)]
pub(super) struct Manifests {
    /// Folders of annotated Rust, which contain `GROUP/VERSION/`; or crates, workspaces of them,
    /// their folders or files, with kinds that derive kube's `CustomResource` in any module.
    #[arg(value_name = "PATH", group = "input")]
    apis: Vec<PathBuf>,
    /// CRD files, or folders of them, to rewrite in the form of the generated CRDs, with the same
    /// meaning.
    #[arg(long = "from-crd", value_name = "PATH", group = "input")]
    from_crds: Vec<PathBuf>,
    /// Features of the crates that are on besides their default features, separated by commas: what
    /// `cfg` and `cfg_attr` leave out is not read.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "input")]
    features: Vec<String>,
    /// Turn on all features of the crates.
    #[arg(long, requires = "input")]
    all_features: bool,
    /// Turn off the default features of the crates.
    #[arg(long, requires = "input")]
    no_default_features: bool,
    /// The folder to write manifests to.
    #[arg(
        long,
        short,
        value_name = "DIR",
        default_value = ".",
        requires = "input"
    )]
    output: PathBuf,
    #[command(flatten)]
    options: Flags<MANIFESTS>,
    /// If some CRDs have errors, write the manifests of the others; the errors are reported, and
    /// the exit code is 1.
    #[arg(long)]
    keep_going: bool,
    /// The codegen.toml to use.
    #[arg(long, value_name = "FILE", conflicts_with = "input")]
    config: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Manifests {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let (finish, keep_going) = (self.mode.finish(color), self.keep_going);
        let mut configs = self.configs()?;
        if keep_going {
            configs = configs
                .into_iter()
                .map(|config| config.keep_going(true))
                .collect();
        }
        finish.run(&configs)
    }

    fn configs(self) -> Result<Vec<Config>, Failure> {
        if self.apis.is_empty() && self.from_crds.is_empty() {
            let missing = format_args!(
                "no {FILE_NAME} here or above: name a folder of types, or CRDs with --from-crd"
            );
            let path = find(self.config, missing)?;
            let crates = Workspace::read(&path)?.crates;
            let configs: Vec<Config> = crates
                .into_iter()
                .filter(Config::has_manifests)
                .map(Config::manifests_only)
                .collect();
            if configs.is_empty() {
                let message = format!(
                    "{} does not declare manifests: add [crate.manifests]",
                    path.display()
                );
                return Err(Failure::Usage(message));
            }
            return Ok(configs);
        }
        let mut config = self.options.apply(Config::new().crds(self.from_crds));
        let manifests = config.options.manifests.take().unwrap_or_default();
        let apis = self.apis.into_iter();
        let config = apis.fold(config, Config::apis);
        let config = config
            .features(self.features)
            .all_features(self.all_features)
            .default_features(!self.no_default_features)
            .manifests(self.output, manifests)
            .manifests_only();
        Ok(vec![config])
    }
}
