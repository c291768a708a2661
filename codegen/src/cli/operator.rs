//! The operator on disk: the files that commands read, and those that they plan to write.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use crate::{
    Config, Diagnostic, Diagnostics, Generator,
    config::{Error, FILE_NAME, Prepared, Workspace, lock_all, shown},
    model::{ApiSet, Group, Resource, Version},
    operator::{
        Edit, Operator, controller_path, controller_test_path, names,
        update::{Step, Written},
    },
    output::{Locked, Plan},
};

use super::{
    Failure,
    finish::{Finish, prepare},
    inputs::find,
    style,
};

/// The files that a command writes and removes, apart from generated ones.
#[derive(Debug)]
pub(super) struct Files {
    root: PathBuf,
    /// New contents by path relative to the root; `None` where a file is removed.
    texts: BTreeMap<PathBuf, Option<String>>,
    /// Folders to remove.
    folders: Vec<PathBuf>,
    /// Notes about what is left to the user, such as lines that could not be added or removed.
    pub(super) left: Vec<String>,
    /// The record of what was written; `None` in an operator that has none.
    pub(super) written: Option<Written>,
}

impl Files {
    pub(super) const fn new(root: PathBuf, written: Option<Written>) -> Self {
        Self {
            root,
            texts: BTreeMap::new(),
            folders: Vec::new(),
            left: Vec::new(),
            written,
        }
    }

    /// The contents of a file as it was written, if that was recorded.
    pub(super) fn recorded(&self, path: &Path) -> Option<&String> {
        self.written.as_ref()?.texts().get(path)
    }

    /// Records a step of which these files are.
    pub(super) fn record(&mut self, step: Step) {
        if let Some(written) = &mut self.written {
            written.add(step);
        }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn write(&mut self, path: PathBuf, text: String) {
        self.texts.insert(path, Some(text));
    }

    pub(super) fn remove(&mut self, path: PathBuf) {
        self.texts.insert(path, None);
    }

    /// Makes a folder appear removed to the generator, so that generated files in it become
    /// orphans.
    pub(super) fn remove_folder(&mut self, path: PathBuf) {
        self.folders.push(path);
    }

    /// The current or planned contents of a file; `None` if there is no file.
    pub(super) fn text(&self, path: &Path) -> Result<Option<String>, Failure> {
        if let Some(text) = self.texts.get(path) {
            return Ok(text.clone());
        }
        let full = self.root.join(path);
        match fs::read_to_string(&full) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(source) => {
                let path = shown(&full).into();
                Err(Error::Read { path, source }.into())
            }
        }
    }

    /// Adds a line to a file. If that is impossible, it is left to the user.
    pub(super) fn add(&mut self, edit: &Edit) -> Result<(), Failure> {
        self.edit(edit, Edit::add, "lacks")
    }

    /// Removes a line from a file.
    pub(super) fn take(&mut self, edit: &Edit) -> Result<(), Failure> {
        self.edit(edit, Edit::remove, "may have")
    }

    fn edit(
        &mut self,
        edit: &Edit,
        change: fn(&Edit, &str) -> Result<String, crate::operator::edit::EditError>,
        verb: &str,
    ) -> Result<(), Failure> {
        let shown = shown(&self.root.join(&edit.path));
        let Some(text) = self.text(&edit.path)? else {
            self.left.push(format!(
                "{shown} does not exist; its line is `{}`",
                edit.line()
            ));
            return Ok(());
        };
        match change(edit, &text) {
            Ok(changed) if changed == text => {}
            Ok(changed) => self.write(edit.path.clone(), changed),
            Err(error) => {
                self.left.push(format!(
                    "{shown} {verb} `{}`, and was not changed, since {error}",
                    edit.line()
                ));
            }
        }
        Ok(())
    }

    /// The API model that the operator has with these files.
    pub(super) fn model(&self, configs: &[Config]) -> Result<ApiSet, Failure> {
        let mut planned = self.planned(configs.to_vec()).into_iter();
        let model = planned.next().map(|config| config.model(&()));
        Ok(model.transpose()?.unwrap_or_default())
    }

    /// Generates everything from these files.
    pub(super) fn generate(mut self, configs: Vec<Config>) -> Result<Changes, Failure> {
        if let Some(mut written) = self.written.take() {
            let gone = self.texts.iter().filter(|(_, text)| text.is_none());
            let gone: BTreeSet<PathBuf> = gone.map(|(path, _)| path.clone()).collect();
            written.settle(&gone);
            self.write(Written::PATH.into(), written.text());
        }
        let configs = self.planned(configs);
        let prepared = prepare(&configs)?;
        Ok(Changes {
            files: self,
            configs,
            prepared,
        })
    }

    /// The configurations, with inputs as planned.
    fn planned(&self, configs: Vec<Config>) -> Vec<Config> {
        let planned = |config: Config| {
            let texts = self.texts.iter();
            let config = texts.fold(config, |config, (path, text)| {
                config.planned_input(&self.root.join(path), text.clone())
            });
            let folders = self.folders.iter();
            folders.fold(config, |config, folder| {
                config.planned_input(&self.root.join(folder), None)
            })
        };
        configs.into_iter().map(planned).collect()
    }
}

/// All that a command changes: files, and what is generated from them.
#[derive(Debug)]
pub(super) struct Changes {
    files: Files,
    configs: Vec<Config>,
    prepared: Vec<Prepared>,
}

impl Changes {
    /// The number of kinds in the largest crate.
    pub(super) fn kinds(&self) -> usize {
        let reports = self.prepared.iter().map(Prepared::report);
        reports.map(|report| report.kinds).max().unwrap_or_default()
    }

    /// Prints notes about what is left to the user, and writes or lists the changes.
    pub(super) fn conclude(self, finish: Finish) -> Result<(), Failure> {
        for line in &self.files.left {
            style::eprint(&style::note(line, finish.color));
        }
        let plan = Plan::of_edits(&self.files.root, self.files.texts)?;
        finish.conclude(&self.configs, &self.prepared, vec![plan])
    }
}

/// An existing operator.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) operator: Operator,
    pub(super) root: PathBuf,
    /// The configurations that its codegen.toml declares.
    pub(super) configs: Vec<Config>,
    /// The API model of its kinds.
    pub(super) api: ApiSet,
    /// The record of what was written; `None` if there is none.
    pub(super) written: Option<Written>,
    /// Held from before anything is read until everything is written.
    _locked: Option<Locked>,
}

impl Project {
    /// Reads the operator of the nearest codegen.toml, and locks its folders unless nothing will be
    /// written: of two commands, the second sees what the first one wrote.
    pub(super) fn read(dry_run: bool) -> Result<Self, Failure> {
        let missing = format_args!(
            "no {FILE_NAME} in the current folder or above it: start an operator with `kube-codegen init`"
        );
        let path = find(None, missing)?;
        let root = path.parent().unwrap_or(Path::new("")).to_owned();
        // Other crates, such as clients of other projects' kinds, are not part of the operator.
        let mut configs = Workspace::read(&path)?.crates;
        if configs.len() > 1 {
            configs.retain(|config| config.reads_rust(&root.join("src/apis")));
        }
        let manifest = root.join("Cargo.toml");
        let text = fs::read_to_string(&manifest).map_err(|source| Error::Read {
            path: shown(&manifest).into(),
            source,
        })?;
        let [config] = configs.as_slice() else {
            return Err(Failure::Usage(format!(
                "{} declares {} crates of annotated Rust in src/apis: an operator has one",
                shown(&path),
                configs.len()
            )));
        };
        let converts = config.generator_options().emits(Generator::Conversion);
        let manifests = config.options.manifests.as_ref();
        let namespaces = manifests.map(|it| it.role.namespaces.clone());
        let namespaces = namespaces.unwrap_or_default();
        let operator = Operator::read(&text, converts, namespaces).ok_or_else(|| {
            Failure::Usage(format!(
                "{} is not the manifest of a package",
                shown(&manifest)
            ))
        })?;
        let locked = (!dry_run).then(|| lock_all(&configs)).transpose()?;
        let api = config.model(&())?;
        let written = read_record(&root)?;
        Ok(Self {
            operator,
            root,
            configs,
            api,
            written,
            _locked: locked,
        })
    }

    /// The operator's files, without changes.
    pub(super) fn files(&self) -> Files {
        Files::new(self.root.clone(), self.written.clone())
    }

    /// The error that a file to create exists.
    pub(super) fn taken(&self, path: &Path) -> String {
        format!(
            "{} already exists and is not overwritten: move it away",
            shown(&self.root.join(path))
        )
    }

    /// Whether a controller can have the name: no controller or test has it.
    pub(super) fn is_free(&self, name: &str) -> bool {
        let paths = [controller_path(name), controller_test_path(name)];
        let is_reserved = ["main", "support"].contains(&name);
        !is_reserved && !paths.iter().any(|path| self.root.join(path).exists())
    }

    /// The group with the name.
    pub(super) fn group(&self, name: &str) -> Option<&Group> {
        self.api.groups.iter().find(|group| group.name == name)
    }

    /// The number of kinds, counted once per version.
    pub(super) fn kinds(&self) -> usize {
        let versions = self.api.versions();
        versions.map(|(_, version)| version.resources.len()).sum()
    }

    /// The versions of a kind, with its resource in each.
    pub(super) fn versions_of<'a>(
        &'a self,
        group: &str,
        kind: &'a str,
    ) -> impl Iterator<Item = (&'a Version, &'a Resource)> {
        let versions = self
            .group(group)
            .into_iter()
            .flat_map(|group| &group.versions);
        versions.filter_map(move |version| {
            let mut resources = version.resources.iter();
            let resource = resources.find(|resource| resource.kind == kind)?;
            Some((version, resource))
        })
    }

    /// The folder of a group in `src/apis`: the existing one, or the first candidate name that is
    /// free.
    pub(super) fn module_of_group(&self, name: &str) -> String {
        let apis = self.root.join("src/apis");
        if let Some(module) = folder_of(&apis, name) {
            return module;
        }
        let [short, long] = names::modules_of_group(name);
        if apis.join(&short).exists() {
            long
        } else {
            short
        }
    }
}

/// The record of what was written to an operator.
fn read_record(root: &Path) -> Result<Option<Written>, Failure> {
    let path = root.join(Written::PATH);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(source) => {
            let path = shown(&path).into();
            return Err(Error::Read { path, source }.into());
        }
    };
    let read = Written::read(&text).map_err(|error| {
        refused(format!(
            "{} is not a record of what kube-codegen wrote: {error}; restore it from version control, or remove it and do without `update`",
            shown(&path)
        ))
    });
    read.map(Some)
}

/// The folder whose versions declare the group.
fn folder_of(apis: &Path, group: &str) -> Option<String> {
    let marker = format!("// +groupName={group}");
    let says_so = |file: PathBuf| {
        let text = fs::read_to_string(file).unwrap_or_default();
        text.lines().any(|line| line.trim_end() == marker)
    };
    let mut folders: Vec<PathBuf> = subfolders(apis);
    folders.sort();
    let found = folders.into_iter().find(|folder| {
        let versions = subfolders(folder).into_iter();
        versions.map(|version| version.join("mod.rs")).any(says_so)
    })?;
    Some(found.file_name()?.to_str()?.to_owned())
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.is_dir()).collect()
}

/// An input error with one message: exit code 1.
pub(super) fn refused(message: String) -> Failure {
    Error::Input(Diagnostic::error(message).into()).into()
}

/// An input error with all messages, if there are any: exit code 1.
pub(super) fn input_error(messages: impl IntoIterator<Item = String>) -> Result<(), Failure> {
    let mut diagnostics = Diagnostics::new();
    for message in messages {
        diagnostics.push(Diagnostic::error(message));
    }
    let checked = diagnostics.finish(());
    checked.map_err(|found| Error::Input(found).into())
}
