//! `kube-codegen manifests`.

use std::{fs, path::PathBuf};

use crate::{
    Compat, Config, Manifests as Options,
    config::{FILE_NAME, Workspace, is_workspace},
};
use clap::Args;

use super::{Failure, generate, options::ModeArgs, style::Color};

/// Write CRDs, roles and webhook configurations from types and markers, or CRDs from CRDs.
///
/// Without input, writes what the [crate.manifests] of codegen.toml declare. Manifests go to config/crd/bases,
/// config/rbac/role.yaml and config/webhook/manifests.yaml; an API reference is only written with --docs.
#[derive(Debug, Args)]
pub(super) struct Manifests {
    /// Folders of annotated Rust, which contain `GROUP/VERSION/`; or crates, workspaces of them, their folders or files, with
    /// kinds that derive kube's `CustomResource` in any module.
    #[arg(value_name = "PATH", group = "input")]
    apis: Vec<PathBuf>,
    /// CRD files, or folders of them, to rewrite in the form of the generated CRDs, with the same meaning.
    #[arg(long = "from-crd", value_name = "PATH", group = "input")]
    from_crds: Vec<PathBuf>,
    /// Features of the crates that are on besides their default features, separated by commas: what `cfg` and `cfg_attr` leave out is
    /// not read.
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
    /// The folder of CRDs, or one .yaml or .yml file for all, relative to the output folder; empty for none.
    #[arg(long, value_name = "DIR", requires = "input")]
    crds: Option<String>,
    /// The file of roles, relative to the output folder; empty for none.
    #[arg(long, value_name = "FILE", requires = "input")]
    roles: Option<String>,
    /// The name of roles whose markers do not name one.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "manager-role",
        requires = "input"
    )]
    role_name: String,
    /// The file of webhook configurations, relative to the output folder; empty for none.
    #[arg(long, value_name = "FILE", requires = "input")]
    webhooks: Option<String>,
    /// The folder of the API reference with one Markdown page per version, or one .md file for all, relative to the output
    /// folder.
    #[arg(long, value_name = "DIR", requires = "input")]
    docs: Option<String>,
    /// `strict`, or `controller-gen` for its exact output, including its mistakes.
    #[arg(long, value_name = "MODE", default_value = "strict", value_parser = Compat::parse, requires = "input")]
    compat: Compat,
    /// The maximum length of a description, in bytes.
    #[arg(long, value_name = "BYTES", requires = "input")]
    max_description: Option<usize>,
    /// List name, namespace, labels, annotations and finalizers in the schema of embedded metadata.
    #[arg(long, requires = "input")]
    embedded_object_meta: bool,
    /// Permit floating-point numbers.
    #[arg(long, requires = "input")]
    floats: bool,
    /// Add an annotation with the generator and its version to CRDs.
    #[arg(long, requires = "input")]
    attribution: bool,
    /// The groups whose CRDs are written, separated by commas; all without it.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "input")]
    groups: Vec<String>,
    /// The kinds whose CRDs are written, separated by commas; all without it.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "input")]
    kinds: Vec<String>,
    /// If some CRDs have errors, write the manifests of the others; the errors are reported, and the exit code is 1.
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
            let path = self.config.or_else(generate::find).ok_or_else(|| {
                Failure::Usage(format!(
                    "no {FILE_NAME} here or above: name a folder of types, or CRDs with --from-crd"
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
                    "{} does not declare manifests: add [crate.manifests]",
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
        options.docs = path(self.docs, None);
        options.max_description = self.max_description;
        options.embedded_object_meta = self.embedded_object_meta;
        options.floats = self.floats;
        options.attribution = self.attribution;
        options.groups = self.groups;
        options.kinds = self.kinds;
        let config = Config::new().crds(self.from_crds);
        let apis = self.apis.into_iter().map(source_root);
        let config = apis.fold(config, Config::apis);
        let config = config
            .compat(self.compat)
            .features(self.features)
            .all_features(self.all_features)
            .default_features(!self.no_default_features)
            .manifests(self.output, options)
            .manifests_only();
        Ok(vec![config])
    }
}

/// The source root of a crate, if the path is the folder of one without members; otherwise the path itself.
fn source_root(path: PathBuf) -> PathBuf {
    let source = path.join("src");
    let manifest = fs::read_to_string(path.join("Cargo.toml")).ok();
    let is_alone = manifest.is_some_and(|text| !is_workspace(&text.parse().unwrap_or_default()));
    match is_alone && source.is_dir() {
        true => source,
        false => path,
    }
}
