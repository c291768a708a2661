//! `kube-codegen groups`: compatible with the command line of Go's generate-groups.sh.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use crate::{Config, Generator, config::shown, options::define::GROUPS};
use clap::Args;

use super::{
    Failure,
    flags::Flags,
    options::{CodeArgs, ModeArgs, generator_names},
    style::Color,
};

/// Generate for annotated Rust types, with the arguments of Go's generate-groups.sh.
///
/// Folders are relative to --output-base. Only output of the selected generators is changed: files
/// of other generators are kept, and stay declared in generated/mod.rs.
#[derive(Debug, Args)]
#[command(after_help = after_help())]
pub(super) struct Groups {
    #[arg(help = format!("`all`, or a list of {}", generator_names(Generator::serves_annotated_rust)))]
    generators: String,
    /// The folder (src/generated) or module (crate::generated) for clientset, listers and
    /// informers.
    output: String,
    /// The folder (src/apis) or module (crate::apis) with the types, in `<group>/<version>/`.
    apis: String,
    /// The groups with their versions: `"<group>:<version>,<version> <group>:<version> …"`.
    #[arg(required = true, value_name = "GROUP:VERSIONS")]
    groups: Vec<String>,
    /// The folder that OUTPUT and APIS are relative to, usually the crate's folder.
    #[arg(
        long,
        value_name = "DIR",
        default_value = ".",
        hide_default_value = true
    )]
    output_base: PathBuf,
    #[command(flatten)]
    options: Flags<GROUPS>,
    #[command(flatten)]
    code: CodeArgs,
    #[command(flatten)]
    mode: ModeArgs,
}

impl Groups {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let generators = read_generators(&self.generators)?;
        let output = folder(&self.output_base, &self.output);
        let apis = folder(&self.output_base, &self.apis);
        let (Some(parent), Some(name)) = (output.parent(), output.file_name()) else {
            return Err(Failure::Usage(format!(
                "`{}` is not a folder that can be written to",
                self.output
            )));
        };
        let groups = self.groups.iter();
        let groups: Vec<&str> = groups.flat_map(|list| list.split_whitespace()).collect();
        if groups.is_empty() {
            return Err(Failure::Usage(
                "no group is specified: write <group>:<version>[,<version>…], such as cloudnative:v1alpha1,v1"
                    .to_owned(),
            ));
        }
        if !apis.is_dir() {
            return Err(Failure::Usage(format!(
                "there is no folder {}: folders are relative to the current one, or to --output-base",
                shown(&apis)
            )));
        }
        let config = Config::new()
            .api_groups(apis, groups)?
            .out_dir(parent)
            .generated_module(name.to_string_lossy())
            .partial(generators);
        let config = self.code.apply(self.options.apply(config));
        self.mode.finish(color).run(&[config])
    }
}

/// An example, and the output of each generator.
fn after_help() -> String {
    let all = Generator::ALL.into_iter();
    let generators = all.filter(|generator| generator.serves_annotated_rust());
    let lines = generators.map(|generator| {
        let (name, place) = (generator.name(), generator.place());
        let included = generator.with_included().into_iter().skip(1);
        let included = included.map(|included| format!("; runs {} too", included.name()));
        format!("  {name:8}  {place}{}\n", included.collect::<String>())
    });
    format!(
        "Example: kube-codegen groups all src/generated src/apis \"cloudnative:v1alpha1\"\n\n\
         Each generator writes:\n{}",
        lines.collect::<String>().trim_end()
    )
}

/// The folder of an argument: a path, or a module of the crate at `base`.
fn folder(base: &Path, argument: &str) -> PathBuf {
    if !argument.contains("::") && argument != "crate" {
        return base.join(argument);
    }
    let modules = argument
        .split("::")
        .filter(|module| !module.is_empty() && *module != "crate");
    base.join("src").join(modules.collect::<PathBuf>())
}

/// Parses a list of generators; includes those that Go's generators of the same names include.
fn read_generators(list: &str) -> Result<BTreeSet<Generator>, Failure> {
    let mut generators = BTreeSet::new();
    for name in list
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let found = match name {
            // Go's name for it.
            "applyconfiguration" => Ok(vec![Generator::Apply]),
            "defaulter" | "conversion" | "openapi" | "prerelease-lifecycle" => Err(format!(
                "no such generator for Rust; expected {} or `all` (leave {name} out of {list})",
                generator_names(Generator::serves_annotated_rust)
            )),
            name => Generator::parse(name),
        };
        let found = found.map_err(|help| Failure::Usage(format!("generator `{name}`: {help}")))?;
        generators.extend(found.into_iter().flat_map(Generator::with_included));
    }
    generators.retain(|generator| generator.serves_annotated_rust());
    if generators.is_empty() {
        return Err(Failure::Usage(format!(
            "`{list}` names no generator for annotated types"
        )));
    }
    Ok(generators)
}
