//! Resolves package names: which import path `v1` refers to in `v1.Pod`.

use std::collections::{BTreeMap, HashMap};

use super::{
    sources::{GoFile, GoPackage, GoSources},
    syntax::{File, ImportSpec},
};

/// Go's predeclared types.
#[rustfmt::skip]
pub(super) const PREDECLARED: [&str; 22] = [
    "any", "bool", "byte", "comparable", "complex128", "complex64", "error", "float32", "float64",
    "int", "int16", "int32", "int64", "int8", "rune", "string", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintptr",
];

/// Returns the predeclared type with the name.
pub(super) fn predeclared(name: &str) -> Option<&'static str> {
    let index = PREDECLARED.binary_search(&name).ok()?;
    PREDECLARED.get(index).copied()
}

/// Types by name, with the indices of the file and of the declaration in it.
pub(super) type TypeIndex<'a> = HashMap<&'a str, (usize, usize)>;

/// The packages, with their types.
pub(super) struct Index<'a> {
    packages: BTreeMap<&'a str, PackageIndex<'a>>,
    names: &'a BTreeMap<String, String>,
}

/// A package, with its types by name.
pub(super) struct PackageIndex<'a> {
    pub(super) package: &'a GoPackage,
    pub(super) types: TypeIndex<'a>,
}

impl<'a> Index<'a> {
    pub(super) fn new(sources: &'a GoSources) -> Self {
        let packages = sources.packages.iter().map(|package| {
            let mut types = TypeIndex::new();
            for (number, file) in package.files.iter().enumerate() {
                let declared = file.file().map_or(&[][..], |syntax| &syntax.types);
                for (index, spec) in declared.iter().enumerate() {
                    types
                        .entry(file.text_of(&spec.name))
                        .or_insert((number, index));
                }
            }
            (package.path.as_str(), PackageIndex { package, types })
        });
        Self {
            packages: packages.collect(),
            names: &sources.names,
        }
    }

    pub(super) fn get(&self, path: &str) -> Option<&PackageIndex<'a>> {
        self.packages.get(path)
    }

    pub(super) fn declares(&self, path: &str, name: &str) -> bool {
        self.get(path)
            .is_some_and(|package| package.types.contains_key(name))
    }

    /// Returns the name of an imported package, if known.
    fn name_of(&self, path: &str) -> Option<&str> {
        let read = self.get(path).and_then(|package| package.package.name());
        read.or_else(|| self.names.get(path).map(String::as_str))
    }

    /// Returns the import path that a name refers to in a file. `ask` returns the name of a package
    /// that was not read.
    pub(super) fn path_of<'f>(
        &self,
        file: &'f GoFile,
        syntax: &'f File,
        name: &str,
        ask: &dyn Fn(&str) -> Option<String>,
    ) -> Option<&'f str> {
        let imports = || syntax.imports.iter();
        let given = |import: &&ImportSpec| {
            let span = import.name.as_ref();
            span.is_some_and(|span| file.text_of(span) == name)
        };
        if let Some(import) = imports().find(given) {
            return Some(&import.path);
        }
        let unnamed = || imports().filter(|import| import.name.is_none());
        let known = |import: &&ImportSpec| self.name_of(&import.path) == Some(name);
        if let Some(import) = unnamed().find(known) {
            return Some(&import.path);
        }
        let unknown = || unnamed().filter(|import| self.name_of(&import.path).is_none());
        let (likely, others): (Vec<_>, Vec<_>) =
            unknown().partition(|import| is_likely(&import.path, name));
        let mut fallback = None;
        for import in likely {
            match ask(&import.path) {
                Some(real) if real != name => {}
                Some(_) => return Some(&import.path),
                None => fallback = fallback.or(Some(import.path.as_str())),
            }
        }
        if fallback.is_some() {
            return fallback;
        }
        let found = others
            .into_iter()
            .find(|import| ask(&import.path).as_deref() == Some(name));
        found.map(|import| import.path.as_str())
    }

    /// Returns the dot imports of a file.
    pub(super) fn dot_imports<'f>(
        file: &'f GoFile,
        syntax: &'f File,
    ) -> impl Iterator<Item = &'f ImportSpec> {
        syntax.imports.iter().filter(move |import| {
            let name = import.name.as_ref();
            name.is_some_and(|name| file.text_of(name) == ".")
        })
    }
}

/// Whether a package with the path probably has the name: the last path element, or the one before
/// a version.
fn is_likely(path: &str, name: &str) -> bool {
    let (rest, last) = path.rsplit_once('/').unwrap_or(("", path));
    let plain = last.split_once(".v").map_or(last, |(plain, _)| plain);
    let is_version = last
        .strip_prefix('v')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()));
    let before = rest.rsplit('/').next().unwrap_or(rest);
    last == name || plain == name || (is_version && before == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predeclared_types_are_sorted() {
        assert!(PREDECLARED.is_sorted());
        assert_eq!(predeclared("uint8"), Some("uint8"));
        assert_eq!(predeclared("Uint8"), None);
    }

    #[test]
    fn paths_tell_likely_names() {
        for (path, name, likely) in [
            ("time", "time", true),
            ("k8s.io/api/core/v1", "v1", true),
            ("k8s.io/api/core/v1", "core", true),
            ("github.com/kedacore/keda/v2", "keda", true),
            ("gopkg.in/yaml.v3", "yaml", true),
            ("k8s.io/api/core/v1", "corev1", false),
        ] {
            assert_eq!(is_likely(path, name), likely, "{path} {name}");
        }
    }
}
