//! `kube-codegen go`.

use std::path::PathBuf;

use crate::Config;
use clap::Args;

use super::{
    Failure,
    crd::Output,
    options::{CodeArgs, TypeArgs, filtered},
    style::Color,
};

/// Generate types, clients, listers and informers from Go API packages.
///
/// Packages are found as by `go build`, in the module, its vendor folder and the module cache; no Go toolchain is needed, and
/// nothing is downloaded. Types of k8s.io/api, apimachinery and apiextensions become those of k8s-openapi. Types of other modules
/// are generated once, each in a module named after its package.
///
/// With --output, types are written to `apis/` and all other code to `generated/` in that folder. Both belong to this command:
/// generated files that a run does not write again are removed. Without --output, everything is printed to standard output.
#[derive(Debug, Args)]
pub(super) struct Go {
    /// Packages: folders such as ./api/v1, import paths, or either with `...` for all packages below.
    #[arg(required = true, value_name = "PACKAGE")]
    packages: Vec<String>,
    /// Keep only this group; may be repeated.
    #[arg(long, value_name = "GROUP", value_delimiter = ',')]
    group: Vec<String>,
    /// Keep only this version; may be repeated.
    #[arg(long, value_name = "VERSION", value_delimiter = ',')]
    version: Vec<String>,
    /// Keep only this kind, and the types that it uses; may be repeated.
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    kind: Vec<String>,
    /// Use a Rust type in place of a Go type, as in 'github.com/x/y/pkg.Z=my_crate::Z'; a bare Rust name renames the generated
    /// type. May be repeated.
    #[arg(long, value_name = "GO=RUST", value_parser = type_path)]
    type_path: Vec<(String, String)>,
    /// Ignore markers of another tool: a name, or a prefix followed by `*`. May be repeated.
    #[arg(long, value_name = "MARKER")]
    ignore_markers: Vec<String>,
    /// A folder in the Go module; packages are relative to it.
    #[arg(long, short = 'C', value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    #[command(flatten)]
    types: TypeArgs,
    #[command(flatten)]
    code: CodeArgs,
    #[command(flatten)]
    output: Output,
}

impl Go {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let mut config = Config::new()
            .go(self.dir, self.packages)
            .ignore_markers(self.ignore_markers);
        for (go, rust) in self.type_path {
            config = config.type_path(go, rust);
        }
        let config = filtered(config, self.group, self.version, self.kind);
        self.output
            .run(self.code.apply(self.types.apply(config)), color)
    }
}

fn type_path(text: &str) -> Result<(String, String), String> {
    let Some((go, rust)) = text.split_once('=') else {
        return Err("write GO=RUST, such as github.com/x/y/pkg.Z=my_crate::Z".to_owned());
    };
    if go
        .rsplit_once('.')
        .is_none_or(|(path, name)| path.is_empty() || name.is_empty())
    {
        return Err(format!(
            "`{go}` is not a Go type: write its import path and name, such as github.com/x/y/pkg.Z"
        ));
    }
    Ok((go.to_owned(), crate::options::type_path(rust)?))
}
