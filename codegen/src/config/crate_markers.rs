//! Files of a crate that declare RBAC rules or webhooks outside of its API types.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Config, Error,
    disk::{Disk, is_source},
    layout::{Place, shown, whole},
    members::members,
};
use crate::{
    read::{Sources, crate_markers::may_hold},
    source::Source,
};

impl Config {
    /// The source roots to search for rules and webhooks; empty unless the option is set.
    pub(super) fn marker_roots(&self) -> BTreeSet<PathBuf> {
        if !self.crate_markers {
            return BTreeSet::new();
        }
        let roots = self.apis.iter().flat_map(|apis| {
            // Reading the types reports what cannot be read.
            let members = members(apis, &self.disk).unwrap_or_default();
            match members.is_empty() {
                true => vec![Place::of(&apis.folder).root],
                false => members.into_iter().map(|it| it.folder).collect(),
            }
        });
        let roots = roots.chain(self.out.iter().map(|folder| Place::of(folder).root));
        // The same root can be written in two ways, such as relative and absolute.
        let mut named = BTreeMap::new();
        for root in roots.filter(|root| self.disk.is_dir(root)) {
            named.entry(whole(&root)).or_insert(root);
        }
        named.into_values().collect()
    }

    /// Adds the files below the crate's source roots that declare rules or webhooks and are not
    /// read for their types.
    pub(super) fn add_marker_files(&self, sources: &mut Sources) -> Result<(), Error> {
        let packages = sources.rust.iter().flat_map(|package| &package.files);
        let known: BTreeSet<String> = packages.map(|file| file.name.clone()).collect();
        // Files of crates that are read for kinds are already in memory.
        let crates = sources.rust_crates.iter().flat_map(|it| &it.files);
        let held: BTreeMap<&str, &Source> = crates.map(|it| (it.name.as_str(), it)).collect();
        let out = self.out().ok();
        let generated = out.map(|out| whole(&out.join(&self.options.generated)));
        let mut files = Vec::new();
        for root in self.marker_roots() {
            let wanted = |path: &Path| {
                let is_generated = generated
                    .as_ref()
                    .is_some_and(|it| whole(path).starts_with(it));
                !is_generated && !known.contains(&shown(path))
            };
            files.extend(files_with_markers(&self.disk, &root, &wanted, &held)?);
        }
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files.dedup_by(|a, b| a.name == b.name);
        sources.marker_files = files;
        Ok(())
    }
}

/// The `.rs` and `.go` files at or below a folder that `wanted` accepts and that declare rules or
/// webhooks, sorted by path. Generated files, Go tests and folders that Go ignores are left out.
/// Files in `held` are not read again.
fn files_with_markers(
    disk: &Disk,
    folder: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    held: &BTreeMap<&str, &Source>,
) -> Result<Vec<Source>, Error> {
    let mut paths = Vec::new();
    disk.collect(folder, &mut paths, &|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        let is_go = name.is_some_and(|name| {
            name.ends_with(".go") && !name.ends_with("_test.go") && !name.starts_with('_')
        });
        (is_go || is_source(path)) && wanted(path)
    })?;
    paths.sort();
    let read_one = |path: &PathBuf| -> Result<Option<Source>, Error> {
        // Most files have no such markers, so search their text before lexing it.
        let name = shown(path);
        if let Some(&held) = held.get(name.as_str()) {
            return Ok(may_hold(&held.text).then(|| held.clone()));
        }
        let bytes = disk.bytes(path)?;
        match std::str::from_utf8(&bytes) {
            Ok(text) if may_hold(text) => Ok(Some(Source::new(name, text))),
            Ok(_) => Ok(None),
            Err(_) => disk.read(path).map(Some),
        }
    };
    let read: Vec<_> = paths.par_iter().map(read_one).collect();
    let mut files = Vec::new();
    for file in read {
        files.extend(file?);
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_files_of_a_crate_are_searched_once_and_generated_ones_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join("src").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let rule = "// +kubebuilder:rbac:urls=/a,verbs=get\n";
        fs::write(
            folder.path().join("Cargo.toml"),
            "[package]\nname = \"a\"\n",
        )
        .unwrap();
        write("apis/cloud/v1/mod.rs", rule);
        write("controller/reconcile.rs", rule);
        write("controller/plan.rs", "// nothing\n");
        write("generated/mod.rs", rule);
        write("controller/zz_generated_a.rs", rule);
        let src = folder.path().join("src");
        let config = Config::new()
            .apis(src.join("apis"))
            .out_dir(&src)
            .crate_markers(true);
        let generated = config.emit([]).generated(&()).unwrap();
        assert_eq!(generated.api.rules.len(), 2);
    }

    #[test]
    fn code_that_blocks_owners_needs_a_rule_about_their_finalizers() {
        let warnings = |resources: &str| {
            let folder = tempfile::tempdir().unwrap();
            let src = folder.path().join("src");
            fs::create_dir_all(src.join("apis")).unwrap();
            fs::write(src.join("apis/mod.rs"), "").unwrap();
            let rule =
                format!("// +kubebuilder:rbac:groups=a.b,resources={resources},verbs=update\n");
            fs::write(src.join("rules.rs"), rule).unwrap();
            let code = "fn a() {\n    owner::set_controller_reference(&set, &mut pod);\n}\n";
            fs::write(src.join("owners.rs"), code).unwrap();
            let config = Config::new()
                .apis(src.join("apis"))
                .out_dir(&src)
                .crate_markers(true);
            let generated = config.emit([]).generated(&()).unwrap();
            generated.warnings.to_string()
        };
        let warning = warnings("sets/status");
        let expected = "no rule allows to update the finalizers of an owner";
        assert!(
            warning.contains("owners.rs:2:12") && warning.contains(expected),
            "{warning}"
        );
        assert_eq!(warnings("sets/finalizers"), "");
    }

    #[test]
    fn a_source_root_of_two_names_is_searched_once() {
        let folder = tempfile::tempdir().unwrap();
        let apis = folder.path().join("src/apis");
        fs::create_dir_all(&apis).unwrap();
        fs::write(apis.join("mod.rs"), "").unwrap();
        let webhook = "// +kubebuilder:webhook:path=/a,mutating=true,failurePolicy=fail,sideEffects=None,groups=a.b,resources=c,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1\n";
        fs::write(folder.path().join("src/lib.rs"), webhook).unwrap();
        let config = Config::new()
            .apis(apis)
            .out_dir(folder.path().join("src/../src"))
            .crate_markers(true);
        let generated = config.emit([]).generated(&()).unwrap();
        assert_eq!(generated.api.webhooks.len(), 1);
    }
}
