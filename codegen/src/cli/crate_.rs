//! `kube-codegen crate`.

use std::path::PathBuf;

use crate::{
    Config,
    options::define::CRATE,
    output::{OrphanSearch, Plan, Tree},
    release::RUNTIME,
    scaffold::Scaffold,
};
use clap::Args;

use super::{
    Failure, checkout,
    finish::prepare,
    flags::Flags,
    options::{CodeArgs, CrdArgs, ModeArgs, TypeArgs},
    style::{self, Color},
};

/// Write a whole crate for CRDs, ready to build and to publish.
///
/// Generated code goes to `src/apis` and `src/generated`, with a Cargo feature for each API group.
/// `Cargo.toml`, `codegen.toml`, `src/lib.rs`, `README.md` and `.gitignore` are only written if
/// they do not exist; after that they are yours. With the options in `codegen.toml`,
/// `kube-codegen generate` generates the code again.
#[derive(Debug, Args)]
pub(super) struct Crate {
    #[command(flatten)]
    input: CrdArgs,
    /// The crate's folder.
    #[arg(long, short, value_name = "DIR")]
    output: PathBuf,
    /// The crate's name.
    #[arg(long, value_parser = package_name)]
    name: String,
    /// The runtime dependency in Cargo.toml, as a TOML value such as '{ path = "../runtime" }'.
    #[arg(long, value_name = "TOML", default_value = RUNTIME, value_parser = toml_value)]
    runtime: String,
    #[command(flatten)]
    types: TypeArgs,
    #[command(flatten)]
    options: Flags<CRATE>,
    #[command(flatten)]
    code: CodeArgs,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Crate {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let config = Config::new()
            .out_dir(self.output.join("src"))
            .base_path("crate")
            .group_features(true);
        let config = self.types.apply(self.input.apply(config));
        let config = self.code.apply(self.options.apply(config));
        let has_manifest = self.output.join("Cargo.toml").exists();
        let configs = [config];
        let finish = self.mode.finish(color);
        let _locked = finish.lock(&configs)?;
        let prepared = prepare(&configs)?;
        let recorded = configs[0].toml(&self.output);
        let mut plans = Vec::new();
        for prepared in &prepared {
            let scaffold = Scaffold {
                config: recorded.as_deref(),
                name: &self.name,
                api: &prepared.api,
                options: configs[0].generator_options(),
                runtime: &self.runtime,
            };
            plans.push(Plan::new(
                &self.output,
                Tree::new(),
                scaffold.files(),
                &OrphanSearch::default(),
            )?);
        }
        let names_runtime = !has_manifest && configs[0].generator_options().needs_runtime();
        if let Some(note) = checkout::advice(&self.runtime).filter(|_| names_runtime) {
            style::eprint(&style::note(&note, color));
        }
        finish.conclude(&configs, &prepared, plans)
    }
}

/// Parses a package name that Cargo accepts.
fn package_name(name: &str) -> Result<String, String> {
    let legal = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if legal {
        Ok(name.to_owned())
    } else {
        Err("expected letters, digits, - and _, starting with a letter".to_owned())
    }
}

/// Parses a TOML value on one line.
fn toml_value(text: &str) -> Result<String, String> {
    let parsed = toml::from_str::<toml::Table>(&format!("value = {text}"));
    match parsed {
        Ok(table) if table.len() == 1 && !text.contains('\n') => Ok(text.to_owned()),
        _ => Err("write a TOML value, such as '\"0.1\"' or '{ path = \"../runtime\" }'".to_owned()),
    }
}
