//! `mod` lines of generated modules: each must have its file once the run is over, or the crate
//! does not compile.
//!
//! A run of some generators keeps the lines of the others, so files on disk count too. The lines
//! are collected while a configuration is prepared, and checked when the plans of all
//! configurations are known.

use std::{
    collections::BTreeSet,
    mem,
    ops::Range,
    path::{Path, PathBuf},
};

use super::{
    Config, Error,
    advice::Around,
    layout::{shown, whole},
    target::Target,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    generator::{Generator, Home},
    model::names,
    options::Options,
    output::{Plan, Tree},
    read::rust::Package,
};

/// What the names of all modules beside the types start with.
const BESIDE: &str = "zz_generated_";

/// A `mod` line of a generated module.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    place: Place,
    module: String,
    /// The paths that the module's file may have; absolute.
    files: Vec<PathBuf>,
    /// Those of them that exist.
    found: Vec<PathBuf>,
    help: String,
}

impl Config {
    /// The lines that annotated Rust has for modules beside its types.
    pub(super) fn declared_beside(&self, packages: &[Package], options: &Options) -> Vec<Declared> {
        let mut found = Vec::new();
        for package in packages {
            let folder = Path::new(&*package.place.file).parent();
            let folder = folder.unwrap_or(Path::new(""));
            for module in package.modules.iter() {
                let within = folder.join(module.path.iter().collect::<PathBuf>());
                let lines = module.declared.iter();
                for line in lines.filter(|line| line.name.starts_with(BESIDE)) {
                    let files = match &line.path {
                        Some(path) => vec![within.join(path)],
                        None => candidates(&within, &line.name),
                    };
                    let help = self.remedy_beside(&line.name, options);
                    found.push(self.declared(line.place.clone(), &line.name, files, help));
                }
            }
        }
        found
    }

    /// The lines in generated module files, and the user's line for the module with clientset,
    /// listers and informers.
    pub(super) fn declared_in(
        &self,
        tree: &Tree,
        target: &Target,
        options: &Options,
    ) -> Vec<Declared> {
        let mut found = Vec::new();
        let files = tree.iter().filter(|(path, _)| path.ends_with("mod.rs"));
        for (path, text) in files {
            let folder = path.parent().unwrap_or(Path::new(""));
            let is_written = |module: &str| {
                let mut files = candidates(folder, module).into_iter();
                files.any(|file| tree.contains_key(&file))
            };
            for (module, range) in lines(text).filter(|(module, _)| !is_written(module)) {
                let file = shown(&target.root.join(path));
                let folder = target.root.join(folder);
                let files = candidates(&folder, &module);
                let help = remedy_in(&folder, &module);
                let place = place(&file, text, range);
                found.push(self.declared(place, &module, files, help));
            }
        }
        let around = Around::of(&target.root, &target.below, &self.disk);
        if let Some((file, text)) = &around.file {
            let folder = target.root.join(&target.below);
            let mut lines = lines(text);
            if let Some((module, range)) = lines.find(|(name, _)| *name == options.generated) {
                let homes = Generator::ALL.into_iter();
                let homes = homes.filter(|it| it.definition().home.generated_module().is_some());
                let generators: Vec<String> = homes.map(|it| format!("`{}`", it.name())).collect();
                let emit = format!("one of {} too", generators.join(", "));
                let help = format!("{}, or remove the line", self.advise(&emit));
                let files = candidates(&folder, &module);
                let place = place(file, text, range);
                found.push(self.declared(place, &module, files, help));
            }
        }
        found
    }

    fn declared(&self, place: Place, module: &str, files: Vec<PathBuf>, help: String) -> Declared {
        let files: Vec<PathBuf> = files.iter().map(|path| real(path)).collect();
        let found = files.iter().filter(|path| self.disk.is_file(path));
        Declared {
            found: found.cloned().collect(),
            module: module.to_owned(),
            place,
            files,
            help,
        }
    }

    /// What to do about a line for a module beside the types.
    fn remedy_beside(&self, module: &str, options: &Options) -> String {
        let generator = Generator::ALL.into_iter().find(|generator| {
            matches!(generator.definition().home, Home::Beside { module: name, .. } if name == module)
        });
        match generator {
            None => format!("no generator writes {module}.rs: remove the line, or add the file"),
            Some(one) if options.emits(one) => format!(
                "`{}` has nothing to write for this version: remove the line",
                one.name()
            ),
            Some(one) => {
                let emit = format!("`{}` too", one.name());
                format!("{}, or remove the line", self.advise(&emit))
            }
        }
    }

    /// The advice to select more generators, as the configuration was written.
    fn advise(&self, which: &str) -> String {
        match &self.partial {
            Some(_) => format!("run {which}"),
            None => format!("emit {which}"),
        }
    }
}

/// Checks that each line has its file when the plans are written.
pub(super) fn check<'a>(
    declared: impl IntoIterator<Item = &'a Declared>,
    plans: impl Iterator<Item = &'a Plan>,
) -> Result<(), Error> {
    let mut declared = declared.into_iter().peekable();
    if declared.peek().is_none() {
        return Ok(());
    }
    let (mut kept, mut removed) = (BTreeSet::new(), BTreeSet::new());
    for plan in plans {
        kept.extend(plan.kept());
        removed.extend(plan.removed());
    }
    let mut missing = Diagnostics::new();
    for line in declared {
        let is_there = line.files.iter().any(|path| kept.contains(path))
            || line.found.iter().any(|path| !removed.contains(path));
        if !is_there {
            let message = format!("no file for the generated module `{}`", line.module);
            missing.push(
                Diagnostic::error(message)
                    .at(line.place.clone(), "declared here")
                    .help(&line.help),
            );
        }
    }
    match missing.as_slice() {
        [] => Ok(()),
        _ => Err(Error::Input(missing)),
    }
}

/// The paths that the file of a module may have in the folder of its parent.
fn candidates(folder: &Path, module: &str) -> Vec<PathBuf> {
    let file = folder.join(format!("{module}.rs"));
    vec![file, folder.join(module).join("mod.rs")]
}

/// The path with the links of its folder resolved, as plans spell paths; the file need not exist.
fn real(path: &Path) -> PathBuf {
    let path = whole(path);
    let mut folders = path.ancestors().skip(1);
    let resolved = folders.find_map(|folder| {
        let rest = path.strip_prefix(folder).ok()?;
        Some(folder.canonicalize().ok()?.join(rest))
    });
    resolved.unwrap_or(path)
}

/// What to do about a line of a generated module file.
fn remedy_in(folder: &Path, module: &str) -> String {
    let folder = shown(&folder.join(module));
    format!("generate it too, or remove {folder}, for which the line is kept")
}

/// The lines `mod name;` of a file, with the ranges of the names. Modules with a `path` attribute
/// are left out.
fn lines(text: &str) -> impl Iterator<Item = (String, Range<usize>)> {
    let (mut at, mut before) = (0, "");
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at;
        at += line.len();
        let before = mem::replace(&mut before, line).trim_start();
        let name = declared_name(line).filter(|_| !before.starts_with("#[path"))?;
        let from = start + line.find(name)?;
        let plain = name.trim_start_matches("r#").to_owned();
        Some((plain, from..from + name.len()))
    })
}

fn place(file: &str, text: &str, range: Range<usize>) -> Place {
    Place {
        file: file.into(),
        text: text.into(),
        range,
    }
}

/// The name in a line `mod name;` of any visibility.
fn declared_name(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        None => line,
        Some(rest) => match rest.trim_start().strip_prefix('(') {
            Some(rest) => rest.split_once(')')?.1,
            None => rest,
        },
    };
    let name = line.trim_start().strip_prefix("mod ")?.trim_start();
    let (name, _) = name.split_once(';')?;
    let name = name.trim_end();
    let plain = name.trim_start_matches("r#");
    (names::plain_ident(plain) == plain).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_any_visibility_is_found_with_its_place() {
        let text = "//! mod a;\n\n// mod b;\npub(crate) mod c;\nmod r#type ;\n#[path = \"x.rs\"]\nmod d;\npub mod e { }\n    pub mod f; // g\n";
        let found: Vec<(String, &str)> = lines(text)
            .map(|(name, range)| (name, &text[range]))
            .collect();
        let expected = [("c", "c"), ("type", "r#type"), ("f", "f")];
        assert_eq!(found, expected.map(|(name, at)| (name.to_owned(), at)));
    }
}
