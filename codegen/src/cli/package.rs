//! `kube-codegen package`.

use std::{
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::{
    Mode,
    config::{Error, is_workspace, shown},
    output::{self, Plan, Tree},
    package::{self, About, Format, Icon, Object, kustomize},
};
use clap::{Args, builder::PossibleValuesParser};

use super::{
    Failure,
    inputs::find,
    options::ModeArgs,
    style::{self, Color, count},
};

/// Package an operator: one manifest, a Helm chart and an OLM bundle.
///
/// The objects are those of the kustomization in config/, so all formats deploy the same. Version
/// and description are Cargo.toml's. No other program is needed. The files belong to this command:
/// files of it that a run does not write again are removed.
#[derive(Debug, Args)]
pub(super) struct Package {
    /// The folder to write to.
    #[arg(long, short, value_name = "DIR", default_value = "dist")]
    output: PathBuf,
    /// The image, with its tag or digest [default: that of the Deployment].
    #[arg(long, value_name = "IMAGE")]
    image: Option<String>,
    /// The folder with the kustomization, relative to that of codegen.toml.
    #[arg(long, value_name = "DIR", default_value = "config")]
    config: PathBuf,
    /// Take the objects from a file, or from standard input (`-`), such as what `kustomize build`
    /// prints.
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    from: Option<PathBuf>,
    /// What to write.
    #[arg(
        long,
        value_name = "FORMATS",
        value_delimiter = ',',
        default_values = Format::ALL.map(Format::name),
        value_parser = PossibleValuesParser::new(Format::ALL.map(Format::name)),
    )]
    format: Vec<String>,
    #[command(flatten)]
    mode: ModeArgs,
}

impl From<package::Error> for Failure {
    fn from(error: package::Error) -> Self {
        match error {
            package::Error::Read { path, source } => {
                let path = shown(&path).into();
                Error::Read { path, source }.into()
            }
            package::Error::Yaml(found) => Error::Input((*found).into()).into(),
            other => super::operator::refused(other.to_string()),
        }
    }
}

impl Package {
    pub(super) fn run(self, color: Color) -> Result<(), Failure> {
        let finish = self.mode.finish(color);
        let root = root()?;
        let config = root.join(&self.config);
        let read = |path: &Path| fs::read_to_string(path);
        let (objects, parts) = match &self.from {
            Some(file) => (given(file)?, Vec::new()),
            None => (
                kustomize::build(&config, &read)?,
                kustomize::parts(&config, &folders(&config), &read)?,
            ),
        };
        let mut about = about(&root.join("Cargo.toml"))?;
        about.icon = icon(&root, about.icon_path.as_deref())?;
        let package = package::Package::new(about, objects, self.image.as_deref())?;
        let package = package
            .samples(samples(&config.join("samples"))?)
            .parts(parts);
        let wanted = |format: &Format| self.format.iter().any(|name| name == format.name());
        let mut tree = Tree::new();
        for format in Format::ALL.into_iter().filter(wanted) {
            let (files, warnings) = package.files(format)?;
            tree.extend(files);
            for warning in warnings {
                style::eprint(&style::note(&warning, color));
            }
        }
        let number = tree.len();
        let writes = finish.mode == Mode::Write;
        let _locked = writes
            .then(|| output::lock([self.output.clone()]))
            .transpose()?;
        let folders = Format::ALL.into_iter().filter(wanted);
        let folders: Vec<&Path> = folders.map(|format| Path::new(format.name())).collect();
        let plan = Plan::of_packages(&self.output, tree, &folders)?;
        let unchanged = plan.unchanged();
        finish.execute(&[&plan])?;
        let what = match finish.mode {
            Mode::Write => "Packaged",
            Mode::Check => "Checked",
            Mode::DryRun => "Would package",
        };
        style::print(&format!(
            "{what} {} {} in {}: {}, {unchanged} of them unchanged\n",
            package.name(),
            package.version(),
            shown(&self.output),
            count(number, "file"),
        ))
    }
}

/// The folder of the operator: that of codegen.toml.
fn root() -> Result<PathBuf, Failure> {
    let missing = "no codegen.toml in the current folder or above it: run `package` in the folder of an operator";
    let path = find(None, missing)?;
    Ok(path.parent().unwrap_or(Path::new("")).to_owned())
}

/// The names of the folders in a folder, sorted.
fn folders(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

/// The objects of a file or of standard input.
fn given(file: &Path) -> Result<Vec<Object>, Failure> {
    let read = match file.to_str() {
        Some("-") => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text).map(|_| text)
        }
        _ => fs::read_to_string(file),
    };
    let text = read.map_err(|source| Error::Read {
        path: shown(file).into(),
        source,
    })?;
    Ok(kustomize::objects(file, &text)?)
}

/// The objects in the files of a folder, which may be missing.
fn samples(folder: &Path) -> Result<Vec<Object>, Failure> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|it| it == "yaml");
    let mut paths: Vec<PathBuf> = paths.filter(is_yaml).collect();
    paths.sort();
    let mut samples = Vec::new();
    for path in paths
        .iter()
        .filter(|path| !path.ends_with("kustomization.yaml"))
    {
        samples.extend(given(path)?);
    }
    Ok(samples)
}

/// The icon that the manifest names.
fn icon(root: &Path, path: Option<&str>) -> Result<Option<Icon>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let media = Icon::media(path).ok_or_else(|| {
        super::operator::refused(format!(
            "the icon {path} in Cargo.toml is no picture that bundles can show: name an SVG, PNG, JPEG or GIF file"
        ))
    })?;
    let path = root.join(path);
    let bytes = fs::read(&path).map_err(|source| Error::Read {
        path: shown(&path).into(),
        source,
    })?;
    Ok(Some(Icon { media, bytes }))
}

/// What the manifest says, with what it inherits from the nearest workspace.
fn about(manifest: &Path) -> Result<About, Failure> {
    let table = |path: &Path| {
        let text = fs::read_to_string(path).map_err(|source| Error::Read {
            path: shown(path).into(),
            source,
        })?;
        text.parse::<toml::Table>().map_err(|error| {
            super::operator::refused(format!("{}: {}", shown(path), error.message()))
        })
    };
    let own = table(manifest)?;
    let absolute = std::path::absolute(manifest);
    let mut above = absolute.iter().flat_map(|path| path.ancestors().skip(1));
    let workspace = above.find_map(|folder| {
        let found = table(&folder.join("Cargo.toml")).ok()?;
        is_workspace(&found).then_some(found)
    });
    About::read(&own, workspace.as_ref())
        .map_err(|key| super::operator::refused(format!("{} lacks `{key}`", shown(manifest))))
}
