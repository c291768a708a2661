//! Names of types that kinds share: how many of the types that a kind uses start with the name of
//! another kind.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use kube_codegen::model::{TypeKind, TypeRef, UnknownFields, Version, names::upper_camel};
use serde_json::Value;

use crate::{Result, api::generate, index::Index, project::parse};

/// The longest name that the generator should choose.
const LONG: usize = 59;

/// Prints the figures of each project of the corpus, and of all. With names of projects, also each
/// name of another kind.
pub(crate) fn run(corpus: &Path, only: &[String]) -> Result<()> {
    println!(
        "{:<48} {:>7} {:>7} {:>8} {:>7} {:>7}",
        "project", "pairs", "shared", "another", "share", "long"
    );
    let mut total = Used::default();
    for project in Index::read(corpus)?.projects {
        if !only.is_empty() && !only.contains(&project.name) {
            continue;
        }
        let paths = project.crds.iter().map(|path| corpus.join(path));
        let crds = paths
            .map(|path| parse(&fs::read_to_string(path)?))
            .collect::<Result<Vec<Value>>>()?;
        let api = generate(&crds, None)?;
        let mut used = Used::default();
        api.versions().for_each(|(_, version)| used.count(version));
        used.print(&project.name);
        if !only.is_empty() {
            used.foreign
                .iter()
                .for_each(|(kind, name)| println!("    {kind}: {name}"));
            used.names
                .iter()
                .for_each(|(name, path)| println!("    {name} = {path}"));
        }
        total.add(used);
    }
    total.print("total");
    Ok(())
}

/// Pairs of a kind and a type that it uses.
#[derive(Default)]
struct Used {
    pairs: usize,
    /// Pairs whose type is shared.
    shared: usize,
    /// Names that are too long.
    long: usize,
    /// The pairs whose type has the name of another kind, as kind and type.
    foreign: Vec<(String, String)>,
    /// The shared types, with their paths.
    names: BTreeMap<String, String>,
}

impl Used {
    fn count(&mut self, version: &Version) {
        let kinds: Vec<String> = version
            .resources
            .iter()
            .map(|resource| upper_camel(&resource.kind))
            .collect();
        let shared = version.types.iter().filter(|def| def.shared);
        self.names
            .extend(shared.map(|def| (def.name.clone(), def.path.clone())));
        self.long += version
            .types
            .iter()
            .filter(|def| def.name.len() > LONG)
            .count();
        for (resource, kind) in version.resources.iter().zip(&kinds) {
            for name in reached(version, &resource.root) {
                self.pairs += 1;
                self.shared += usize::from(version.type_def(name).is_some_and(|def| def.shared));
                let others = kinds.iter().filter(|other| *other != kind);
                if !starts_with(name, kind) && others.clone().any(|other| starts_with(name, other))
                {
                    self.foreign.push((kind.clone(), name.to_string()));
                }
            }
        }
    }

    fn add(&mut self, other: Self) {
        self.pairs += other.pairs;
        self.shared += other.shared;
        self.long += other.long;
        self.foreign.extend(other.foreign);
    }

    #[allow(clippy::cast_precision_loss, reason = "a share for people to read")]
    fn print(&self, name: &str) {
        let foreign = self.foreign.len();
        let share = 100.0 * foreign as f64 / self.pairs.max(1) as f64;
        println!(
            "{name:<48} {:>7} {:>7} {foreign:>8} {share:>5.2} % {:>7}",
            self.pairs, self.shared, self.long
        );
    }
}

/// Whether the name starts with the words of the kind.
fn starts_with(name: &str, kind: &str) -> bool {
    let rest = name.strip_prefix(kind);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// Returns the names of the types that a type leads to.
fn reached<'a>(version: &'a Version, root: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![root];
    while let Some(name) = open.pop() {
        if !reached.insert(name) {
            continue;
        }
        if let Some(TypeKind::Struct(def)) = version.type_def(name).map(|def| &def.kind) {
            let fields = def.fields.iter().map(|field| &field.ty);
            let unknown = match &def.unknown_fields {
                UnknownFields::Kept(ty) => Some(ty),
                _ => None,
            };
            open.extend(fields.chain(unknown).filter_map(TypeRef::local));
        }
    }
    reached.remove(root);
    reached
}
