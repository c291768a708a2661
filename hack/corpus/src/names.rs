//! Stability of names: whether types keep their names from an older release of a project to a newer
//! one.
//!
//! Both releases are generated, the newer one twice: by the rule alone, and with the names of the
//! older release recorded, as `kube-codegen` does by default. Both releases share a type if a path
//! of the API (a kind and properties) leads to a type in both; it keeps its name if each such path
//! leads to a type of that name. Besides pairs of real releases, each project of the corpus is
//! compared with a copy of itself from which random properties were removed, since that is what an
//! older release typically looks like.

use std::{
    collections::BTreeMap,
    fmt, fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::Path,
};

use kube_codegen::{
    Record, Source,
    diag::Style,
    model::{ApiSet, TypeDef, TypeKind, TypeRef, UnknownFields, Version},
};
use serde_json::Value;

use crate::{Result, api::generate, index::Index, options, project::parse, sharing};

/// One in this many properties is removed from a schema.
const ONE_OF: u64 = 20;

/// Runs `releases [NAME OLD NEW]…`, which compares pairs of folders of CRDs,
/// `thinned CORPUS SEED [PROJECT…]`, which compares projects with thinned copies of themselves, or
/// `sharing CORPUS [PROJECT…]`, see [`sharing`].
pub(crate) fn run(arguments: &[String]) -> Result<()> {
    match arguments {
        [mode, releases @ ..] if mode == "releases" && releases.len().is_multiple_of(3) => {
            let mut total = Compared::default();
            for release in releases.chunks_exact(3) {
                let [name, old, new] = release else { continue };
                let compared = Compared::of(&files(Path::new(old))?, &files(Path::new(new))?)?;
                compared.print(name);
                total.add(compared);
            }
            total.renamed.clear();
            total.renamed_recorded.clear();
            total.print("total");
        }
        [mode, corpus, seed, only @ ..] if mode == "thinned" => {
            let mut total = Compared::default();
            let corpus = Path::new(corpus);
            for project in Index::read(corpus)?.projects {
                if !only.is_empty() && !only.contains(&project.name) {
                    continue;
                }
                let paths = project.crds.iter().map(|path| corpus.join(path));
                let new = paths
                    .map(|path| parse(&fs::read_to_string(path)?))
                    .collect::<Result<Vec<Value>>>()?;
                let mut old = new.clone();
                old.iter_mut().for_each(|crd| thin_crd(crd, seed));
                let compared = Compared::of(&old, &new)?;
                compared.print(&project.name);
                total.add(compared);
            }
            total.renamed.clear();
            total.renamed_recorded.clear();
            total.print("total");
        }
        [mode, corpus, only @ ..] if mode == "sharing" => sharing::run(Path::new(corpus), only)?,
        _ => {
            let usage = "usage: corpus names releases [NAME OLD NEW]… | corpus names thinned CORPUS SEED [PROJECT…] | corpus names sharing CORPUS [PROJECT…]";
            return Err(usage.into());
        }
    }
    Ok(())
}

/// Reads the CRDs in a folder's YAML files.
fn files(folder: &Path) -> Result<Vec<Value>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<Result<Vec<_>>>()?;
    paths.sort();
    let mut crds = Vec::new();
    for path in paths
        .iter()
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
    {
        let text = fs::read_to_string(path)?;
        for document in text
            .split("\n---")
            .filter(|document| document.contains("kind: CustomResourceDefinition"))
        {
            crds.push(parse(document)?);
        }
    }
    Ok(crds)
}

fn thin_crd(crd: &mut Value, seed: &str) {
    for version in crd["spec"]["versions"].as_array_mut().into_iter().flatten() {
        let root = &mut version["schema"]["openAPIV3Schema"];
        for part in ["spec", "status"] {
            if let Some(schema) = root["properties"].get_mut(part) {
                thin(schema, &[], part, seed);
            }
        }
    }
}

/// Removes random properties, except required ones (adding a required property would break clients)
/// and list map keys. Objects in properties of the same name lose the same properties, since in Go
/// they are usually one type.
fn thin(schema: &mut Value, keys: &[Value], holder: &str, seed: &str) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, _| {
            let mut hasher = DefaultHasher::new();
            (seed, holder, name).hash(&mut hasher);
            let name = Value::from(name.as_str());
            keys.contains(&name)
                || required.contains(&name)
                || !hasher.finish().is_multiple_of(ONE_OF)
        });
        for (name, property) in properties.iter_mut() {
            thin(property, &[], name, seed);
        }
    }
    let keys = schema["x-kubernetes-list-map-keys"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for (word, keys) in [("items", keys.as_slice()), ("additionalProperties", &[])] {
        if let Some(inner) = schema.get_mut(word).filter(|inner| inner.is_object()) {
            thin(inner, keys, holder, seed);
        }
    }
}

/// The number of types that two releases share, and those with another name in the newer one.
#[derive(Default)]
struct Compared {
    /// Generated types, by the rule alone.
    own: Tally,
    /// Generated types, with recorded names.
    recorded: Tally,
    /// Types of Kubernetes.
    kubernetes: Tally,
    /// Types renamed by the rule alone.
    renamed: Vec<Renamed>,
    /// Types renamed in spite of recorded names.
    renamed_recorded: Vec<Renamed>,
}

/// A path, and the name of its type in the older and in the newer release.
type Renamed = (String, String, String);

/// The number of types in both releases, and of those that keep their names.
#[derive(Default)]
struct Tally {
    both: usize,
    kept: usize,
}

impl Tally {
    #[allow(clippy::cast_precision_loss, reason = "a share for people to read")]
    fn share(&self) -> f64 {
        100.0 * self.kept as f64 / self.both.max(1) as f64
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            " {:>6} {:>6} {:>6.2} %",
            self.both,
            self.kept,
            self.share()
        )
    }
}

impl Compared {
    fn of(old: &[Value], new: &[Value]) -> Result<Self> {
        let old = generate(old, None)?;
        let recognition = options().recognition();
        let text = Record::of(&old, recognition).text().unwrap_or_default();
        let record = Record::parse(&Source::new("names.toml", text))
            .map_err(|errors| errors.render(Style::Plain))?;
        let recorded = generate(new, Some(record))?;
        let (old, new, recorded) = (names(&old), names(&generate(new, None)?), names(&recorded));
        let mut compared = Self::default();
        compared.renamed = compare(&old, &new, &mut compared.own, &mut compared.kubernetes);
        let renamed = compare(
            &old,
            &recorded,
            &mut compared.recorded,
            &mut Tally::default(),
        );
        // Types of Kubernetes are not recorded.
        let is_own = |(_, name, _): &Renamed| !name.contains("::");
        compared.renamed_recorded = renamed.into_iter().filter(is_own).collect();
        Ok(compared)
    }

    fn add(&mut self, other: Self) {
        let tallies = [
            (&mut self.own, other.own),
            (&mut self.recorded, other.recorded),
            (&mut self.kubernetes, other.kubernetes),
        ];
        for (tally, more) in tallies {
            tally.both += more.both;
            tally.kept += more.kept;
        }
        self.renamed.extend(other.renamed);
        self.renamed_recorded.extend(other.renamed_recorded);
    }

    fn print(&self, name: &str) {
        println!("{name:<48}{}{}{}", self.own, self.recorded, self.kubernetes);
        for (path, old, new) in &self.renamed {
            println!("    {path}: {old} -> {new}");
        }
        for (path, old, new) in &self.renamed_recorded {
            println!("    despite recorded names, {path}: {old} -> {new}");
        }
    }
}

/// Counts the older types that also occur in the newer release, and returns those whose names
/// differ.
fn compare(
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
    own: &mut Tally,
    kubernetes: &mut Tally,
) -> Vec<Renamed> {
    let mut types: BTreeMap<(&str, &str), Vec<(&str, &str)>> = BTreeMap::new();
    for (path, name) in old {
        let version = path.split(' ').next().unwrap_or_default();
        if let Some(newer) = new.get(path) {
            types
                .entry((version, name))
                .or_default()
                .push((path, newer));
        }
    }
    let mut renamed = Vec::new();
    for ((_, name), paths) in types {
        let tally = if name.contains("::") {
            &mut *kubernetes
        } else {
            &mut *own
        };
        tally.both += 1;
        match paths.iter().find(|(_, newer)| *newer != name) {
            None => tally.kept += 1,
            Some((path, newer)) => {
                renamed.push(((*path).to_owned(), name.to_owned(), (*newer).to_owned()))
            }
        }
    }
    renamed
}

/// Returns the name of the type at each path of each kind: generated types by name, and types of
/// other crates by Rust path.
fn names(api: &ApiSet) -> BTreeMap<String, String> {
    let mut walk = Walk {
        names: BTreeMap::new(),
        above: Vec::new(),
    };
    for (group, version) in api.versions() {
        for resource in &version.resources {
            walk.enter(
                version,
                &format!("{}/{} {}", group.name, version.name, resource.kind),
                &resource.root,
            );
        }
    }
    walk.names
}

struct Walk<'a> {
    names: BTreeMap<String, String>,
    /// The enclosing types, which are not entered again.
    above: Vec<&'a str>,
}

impl<'a> Walk<'a> {
    fn visit(&mut self, version: &'a Version, path: &str, ty: &'a TypeRef) {
        if let Some(name) = ty.local() {
            self.enter(version, path, name);
        } else if let Some(foreign) = ty.element().path() {
            self.names.insert(path.to_owned(), foreign);
        }
    }

    fn enter(&mut self, version: &'a Version, path: &str, name: &'a str) {
        let Some(def) = version
            .type_def(name)
            .filter(|_| !self.above.contains(&name))
        else {
            return;
        };
        self.names.insert(path.to_owned(), name.to_owned());
        self.above.push(name);
        self.fields(version, path, def);
        self.above.pop();
    }

    fn fields(&mut self, version: &'a Version, path: &str, def: &'a TypeDef) {
        match &def.kind {
            TypeKind::Struct(def) => {
                for field in &def.fields {
                    self.visit(version, &format!("{path}.{}", field.json_name), &field.ty);
                }
                if let UnknownFields::Kept(ty) = &def.unknown_fields {
                    self.visit(version, &format!("{path}.*"), ty);
                }
            }
            TypeKind::Alias(alias) => self.visit(version, path, &alias.target),
            TypeKind::Enum(_) | TypeKind::Union(_) => {}
        }
    }
}
