//! `kube-codegen manifests`.

use std::path::{Path, PathBuf};

use clap::Args;
use codegen::{
    Compat, Config, Manifests as Options,
    config::{FILE_NAME, Workspace},
};

use super::{Failure, finish::Finish, generate, options::ModeArgs, style::Color};

/// Write CRDs, roles and webhook configurations from types and markers.
///
/// Without a folder of types: what the [crate.manifests] of codegen.toml declare. Manifests go to config/crd/bases,
/// config/rbac/role.yaml and config/webhook/manifests.yaml.
#[derive(Debug, Args)]
pub(super) struct Manifests {
    /// Folders of annotated Rust, with `GROUP/VERSION/` in them.
    #[arg(value_name = "DIR")]
    apis: Vec<PathBuf>,
    /// The folder that manifests go to.
    #[arg(
        long,
        short,
        value_name = "DIR",
        default_value = ".",
        requires = "apis"
    )]
    output: PathBuf,
    /// The folder of CRDs, or one .yaml file of all, below the output folder; empty for none.
    #[arg(long, value_name = "DIR", requires = "apis")]
    crds: Option<String>,
    /// The file of roles, below the output folder; empty for none.
    #[arg(long, value_name = "FILE", requires = "apis")]
    roles: Option<String>,
    /// The name of the roles that no marker names.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "manager-role",
        requires = "apis"
    )]
    role_name: String,
    /// The file of webhook configurations, below the output folder; empty for none.
    #[arg(long, value_name = "FILE", requires = "apis")]
    webhooks: Option<String>,
    /// `strict`, or `controller-gen` for its output to the byte, its mistakes included.
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = Compat::parse, requires = "apis")]
    compat: Compat,
    /// The most bytes of a description.
    #[arg(long, value_name = "BYTES", requires = "apis")]
    max_description: Option<usize>,
    /// List name, namespace, labels, annotations and finalizers in the schema of embedded metadata.
    #[arg(long, requires = "apis")]
    embedded_object_meta: bool,
    /// Permit floating-point numbers.
    #[arg(long, requires = "apis")]
    floats: bool,
    /// Name the generator and its version in an annotation of CRDs.
    #[arg(long, requires = "apis")]
    attribution: bool,
    /// The codegen.toml to use.
    #[arg(long, value_name = "FILE", conflicts_with = "apis")]
    config: Option<PathBuf>,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Manifests {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let finish = Finish {
            mode: self.mode.mode(),
            color,
        };
        finish.run(&self.configs()?)
    }

    fn configs(self) -> Result<Vec<Config>, Failure> {
        if self.apis.is_empty() {
            let path = self.config.or_else(generate::find).ok_or_else(|| {
                Failure::Usage(format!(
                    "no {FILE_NAME} here or above: name a folder of types"
                ))
            })?;
            let crates = Workspace::read(&path)?.crates;
            let configs: Vec<Config> = crates
                .into_iter()
                .filter(Config::has_manifests)
                .map(Config::manifests_only)
                .collect();
            if configs.is_empty() {
                let message = format!(
                    "{} asks for no manifests: add [crate.manifests]",
                    path.display()
                );
                return Err(Failure::Usage(message));
            }
            return Ok(configs);
        }
        let path = |given: Option<String>, default: Option<String>| {
            given.or(default).filter(|path| !path.is_empty())
        };
        let mut options = Options::default();
        options.crds = path(self.crds, options.crds);
        options.roles = path(self.roles, options.roles);
        options.role.role_name = self.role_name;
        options.webhooks = path(self.webhooks, options.webhooks);
        options.max_description = self.max_description;
        options.embedded_object_meta = self.embedded_object_meta;
        options.floats = self.floats;
        options.attribution = self.attribution;
        // Code would go beside the types.
        let source = self.apis.first().and_then(|apis| apis.parent());
        let source = source.map(Path::to_owned).unwrap_or_default();
        let config = self.apis.into_iter().fold(Config::new(), Config::apis);
        let config = config
            .out_dir(source)
            .compat(self.compat)
            .manifests(self.output, options)
            .manifests_only();
        Ok(vec![config])
    }
}
