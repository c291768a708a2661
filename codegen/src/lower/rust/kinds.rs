//! The kinds of a crate: types that derive kube's `CustomResource`, wherever they are declared.
//!
//! Most of a crate is not part of its API: only the kinds and the types of their fields are
//! lowered, and findings about other items are ignored.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    duplicates, embedded_roots, foreign, has_derive, keys,
    reach::{Reach, reach},
    resolve::Resolver,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    options::Options,
    read::{
        markers::{Marker, MarkerSet},
        rust::{Crate, Item, LeftOut, Package},
    },
    threads,
};

const TURN_ON: &str = "`--features NAMES` or `--all-features`, or `features` in codegen.toml, turns features on; `--no-default-features` off";

const NOT_EXPANDED: &str = "macros are not expanded: declare kinds outside of them, or name the types with `--evaluate` and \
     `--evaluate-types`";

/// Whether types that source code does not show are evaluated.
fn names_types(options: &Options) -> bool {
    let manifests = options.manifests.as_ref();
    manifests.is_some_and(|it| it.evaluate && !it.evaluate_types.is_empty())
}

/// Returns a package for each group and version of the crates' kinds.
pub(in crate::lower) fn packages(
    crates: Vec<Crate>,
    options: &Options,
    found: &mut Diagnostics,
) -> Vec<Package> {
    let crates = crates.into_iter();
    let mut unread: Vec<(Place, &str)> = Vec::new();
    let mut declared = BTreeSet::new();
    let mut packages: Vec<_> = crates
        .flat_map(|source| {
            let off = source.off.iter().map(|it| (it.place.clone(), TURN_ON));
            let macros = source.macros.iter();
            unread.extend(macros.map(|place| (place.clone(), NOT_EXPANDED)));
            // A folder that is named may have no kinds yet.
            let root = &source.package.root;
            if source.wanted.iter().any(|wanted| is_below(root, wanted)) {
                unread.extend(off);
            }
            declared.extend(foreign::names(&source.package.items));
            packages_of(source, options, found)
        })
        .collect();
    if let Some((first, advice)) = unread
        .first()
        .filter(|_| declared.is_empty() && !found.has_errors() && !names_types(options))
    {
        let error = Diagnostic::error("no kind is read").at(first.clone(), "not read");
        found.push(error.help(*advice));
    }
    let manifests = options.manifests.as_ref();
    if let Some(manifests) = manifests.filter(|_| !declared.is_empty()) {
        let names = declared.iter();
        let names = names.map(|(group, kind)| (group.as_str(), kind.as_str()));
        manifests.check_selection(names, found);
    }
    keys::qualify(&mut packages, keys::Form::of(options));
    packages
}

fn packages_of(source: Crate, options: &Options, found: &mut Diagnostics) -> Vec<Package> {
    let is_wanted = |item: &Item| {
        let mut wanted = source.wanted.iter();
        source.package.modules.is_own(item.module)
            && wanted.any(|wanted| is_below(&item.place.file, wanted))
    };
    let items = source.package.items.iter().enumerate();
    let kinds = items.filter(|(_, item)| has_derive(item, "CustomResource") && is_wanted(item));
    let declared: BTreeSet<usize> = kinds.clone().map(|(index, _)| index).collect();
    // Kinds with an invalid `#[kube(…)]` belong to no version, but their errors are reported.
    let mut reached: BTreeSet<usize> = foreign::own(kinds, options, found).into_iter().collect();
    if !names_types(options) {
        report_unread(&source, &declared, found);
    }
    let Crate {
        mut package,
        findings,
        mut dependencies,
        ..
    } = source;
    package.items.extend(embedded_roots::of(&package.items));
    let mut versions: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for &index in &reached {
        let item = package.items.get(index);
        if let Some(kube) = item.and_then(|item| item.kube.as_ref()) {
            let version = (kube.group.as_str(), kube.version.as_str());
            versions.entry(version).or_default().push(index);
        }
    }
    let resolver = Resolver::new(&package);
    let versions: Vec<_> = versions.into_iter().collect();
    let parts = versions.into_par_iter().map(|((group, version), kinds)| {
        let reach = reach(&package, &resolver, &kinds);
        (group.to_owned(), version.to_owned(), reach)
    });
    let parts: Vec<_> = parts.collect();
    drop(resolver);
    reached.extend(parts.iter().flat_map(|(_, _, reach)| &reach.items));
    report_alternatives(&package, &reached, found);
    found.extend(relevant(&package, &reached, findings));
    let used = parts.iter().flat_map(|(_, _, reach)| &reach.crates);
    let used: BTreeSet<String> = used.cloned().collect();
    dependencies.retain(|dependency| used.contains(&dependency.root));
    for dependency in dependencies {
        package.is_partial |= dependency.is_partial;
        found.extend(relevant(&package, &reached, dependency.findings));
    }
    let mut items = Shared::new(std::mem::take(&mut package.items), &parts);
    let parts = parts.into_iter().map(|(group, version, reach)| {
        let items = reach.items.iter().filter_map(|&index| {
            let mut item = items.take(index)?;
            // A spec may be a part of other kinds, too.
            if !reach.kinds.contains(&index) {
                item.kube = None;
            }
            Some(item)
        });
        let items = items.collect();
        part(&package, group, version, items)
    });
    let packages = parts.collect();
    threads::discard((package, items));
    packages
}

/// Reports what was to be read and has no kinds: files and folders, code under features that are
/// off, and macros.
fn report_unread(source: &Crate, kinds: &BTreeSet<usize>, found: &mut Diagnostics) {
    let Crate {
        package,
        wanted,
        is_empty,
        macros,
        off,
        undeclared,
        features,
        ..
    } = source;
    let is_asked = |file: &str| wanted.iter().any(|wanted| is_below(file, wanted));
    for file in undeclared.iter().filter(|file| is_asked(file)) {
        let warning = Diagnostic::warning(format!("{file} is left out: no module declares it"));
        found.push(
            warning
                .help("declare it (`mod …;`) if it belongs to the crate, or name the file itself"),
        );
    }
    let files = kinds.iter().filter_map(|&kind| package.items.get(kind));
    let files: BTreeSet<&str> = files.map(|kind| &*kind.place.file).collect();
    for wanted in wanted.iter().filter(|_| !package.is_partial && !is_empty) {
        if !files.iter().any(|file| is_below(file, wanted)) {
            let error = Diagnostic::error(format!("{} contains no kind", shown(wanted)));
            found.push(match off.first() {
                None => error.help(
                    "a kind derives kube's `CustomResource`, or is annotated in a folder <group>/<version>/; for the latter, name the folder \
                     that contains <group>",
                ),
                Some(first) => error
                    .at(first.place.clone(), "needs another feature")
                    .help(TURN_ON),
            });
        }
    }
    let is_meant = |left_out: &&LeftOut| {
        let files = [&left_out.place.file, &left_out.file];
        let mut wanted = wanted.iter();
        wanted.any(|wanted| files.iter().any(|file| is_below(file, wanted)))
    };
    if features
        .as_ref()
        .is_some_and(|features| features.is_default)
        && !found.has_errors()
        && let Some(first) = off.iter().find(is_meant)
    {
        let warning =
            Diagnostic::warning("kinds are left out: the features that they need are off");
        let warning = warning.at(first.place.clone(), "needs another feature");
        found.push(warning.help(TURN_ON));
    }
    for place in macros {
        if wanted.iter().any(|wanted| is_below(&place.file, wanted)) {
            let warning = Diagnostic::warning("kinds that a macro declares are not read");
            let warning = warning.at(place.clone(), "names `CustomResource`");
            found.push(warning.help(NOT_EXPANDED));
        }
    }
}

/// Reports a type of an API that is declared more than once in a module, under conditions that are
/// not decided.
fn report_alternatives(package: &Package, reached: &BTreeSet<usize>, found: &mut Diagnostics) {
    let mut first: BTreeMap<(usize, &str), &Item> = BTreeMap::new();
    let names: BTreeSet<(usize, &str)> = reached
        .iter()
        .filter_map(|&index| package.items.get(index))
        .map(|item| (item.module, item.name.as_str()))
        .collect();
    for item in &package.items {
        let name = (item.module, item.name.as_str());
        if !names.contains(&name) {
            continue;
        }
        let Some(first) = first.get(&name) else {
            first.insert(name, item);
            continue;
        };
        found.push(duplicates::declared_twice(first, item));
    }
}

/// The items of a crate, from which versions take those that they reach.
struct Shared {
    items: Vec<Option<Item>>,
    /// The number of versions that have yet to take each item.
    versions: Vec<usize>,
}

impl Shared {
    fn new(items: Vec<Item>, parts: &[(String, String, Reach)]) -> Self {
        let mut versions = vec![0; items.len()];
        for &index in parts.iter().flat_map(|(_, _, reach)| &reach.items) {
            if let Some(versions) = versions.get_mut(index) {
                *versions += 1;
            }
        }
        let items = items.into_iter().map(Some).collect();
        Self { items, versions }
    }

    /// Returns the item itself for the last version that takes it, or a copy for earlier ones.
    fn take(&mut self, index: usize) -> Option<Item> {
        let (item, versions) = (self.items.get_mut(index)?, self.versions.get_mut(index)?);
        *versions = versions.saturating_sub(1);
        match versions {
            0 => item.take(),
            _ => item.clone(),
        }
    }
}

/// Whether a file is the requested file, or within the requested directory.
fn is_below(file: &str, wanted: &str) -> bool {
    let rest = file.strip_prefix(wanted);
    wanted.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn shown(wanted: &str) -> &str {
    if wanted.is_empty() { "." } else { wanted }
}

/// Returns the package of a group and version with the specified items, in order.
fn part(package: &Package, group: String, version: String, items: Vec<Item>) -> Package {
    let roots = items.iter().filter_map(|item| item.kube.as_ref());
    let roots = roots.map(|kube| kube.root_name());
    let names = items.iter().map(|item| item.name.as_str());
    let names: BTreeSet<&str> = names.chain(roots).collect();
    // Do not copy what belongs to the rest of the crate.
    let impls = package.impls.iter();
    let impls = impls.filter(|it| {
        it.path
            .last()
            .is_some_and(|name| names.contains(name.as_str()))
    });
    // Rules and webhooks are read from all files of the crate.
    let of_version = |marker: &&Marker| !marker.def.stands_anywhere();
    let markers = package.markers.0.iter().filter(of_version);
    let impls = impls.cloned().collect();
    Package {
        group,
        version,
        markers: MarkerSet(markers.cloned().collect()),
        items,
        impls,
        module_path: package.module_path.clone(),
        dir: package.dir.clone(),
        docs: package.docs.clone(),
        place: package.place.clone(),
        modules: Arc::clone(&package.modules),
        values: Arc::clone(&package.values),
        codes: Arc::clone(&package.codes),
        predicates: Arc::clone(&package.predicates),
        has_macros: package.has_macros,
        is_partial: package.is_partial,
        root: package.root.clone(),
        paths: Arc::clone(&package.paths),
        keys: BTreeMap::new(),
        layout: package.layout,
    }
}

/// Returns the findings about the reached items, and about files that could not be parsed.
fn relevant(package: &Package, reached: &BTreeSet<usize>, findings: Diagnostics) -> Diagnostics {
    let parsed: BTreeSet<&Arc<str>> = package.modules.iter().map(|m| &m.place.file).collect();
    let items = reached.iter().filter_map(|&index| package.items.get(index));
    let items: Vec<&Item> = items.collect();
    let mut kept = Diagnostics::new();
    for finding in findings {
        let is_relevant = finding.labels.first().is_none_or(|label| {
            let (file, at) = (&label.place.file, label.place.range.start);
            let mut items = items.iter();
            !parsed.contains(file)
                || items.any(|item| item.place.file == *file && item.extent.contains(&at))
        });
        if is_relevant {
            kept.push(finding);
        }
    }
    kept
}
