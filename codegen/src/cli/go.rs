//! `kube-codegen go`.

use std::path::PathBuf;

use crate::{Config, options::define::GO};
use clap::Args;

use super::{
    Failure,
    crd::Output,
    flags::Flags,
    options::{CodeArgs, TypeArgs},
    style::Color,
};

/// Generate types, clients, listers and informers from Go API packages.
///
/// Packages are found as by `go build`, in the module, its vendor folder and the module cache; no
/// Go toolchain is needed, and nothing is downloaded. Types of k8s.io/api, apimachinery and
/// apiextensions become those of k8s-openapi. Types of other modules are generated once, each in a
/// module named after its package.
///
/// With --output, types are written to `apis/` and all other code to `generated/` in that folder.
/// Both belong to this command: generated files that a run does not write again are removed.
/// Without --output, everything is printed to standard output.
#[derive(Debug, Args)]
pub(super) struct Go {
    /// Packages: folders such as ./api/v1, import paths, or either with `...` for all packages
    /// below.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// A folder in the Go module; packages are relative to it.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    options: Flags<GO>,
    #[command(flatten)]
    types: TypeArgs,
    #[command(flatten)]
    code: CodeArgs,
    #[command(flatten)]
    output: Output,
}

impl Go {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let config = Config::new().go(self.dir, self.packages);
        let config = self.types.apply(self.options.apply(config));
        self.output.run(self.code.apply(config), color)
    }
}
