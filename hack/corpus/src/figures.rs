//! Figures of a project's types, to see how a change of naming or of types affects the whole
//! corpus.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    path::PathBuf,
};

use kube_codegen::model::{ApiSet, KnownType, TypeDef, TypeKind, TypeRef, Version};

#[derive(Clone, Default)]
pub(crate) struct Figures {
    crds: usize,
    types: usize,
    /// The number of fields that hold objects: those with types of Kubernetes, and all.
    objects: [usize; 2],
    aliases: usize,
    lines: usize,
    /// The number of names longer than 60 and than 80 characters.
    long: [usize; 2],
    longest: String,
}

impl Figures {
    pub(crate) fn of(crds: usize, api: &ApiSet, files: &BTreeMap<PathBuf, String>) -> Self {
        let defs = || api.versions().flat_map(|(_, version)| &version.types);
        let is_alias = |kind: &TypeKind| matches!(kind, TypeKind::Alias(_));
        let aliases = defs().filter(|def| is_alias(&def.kind)).count();
        let longest = defs().map(|def| &def.name).max_by_key(|name| name.len());
        Self {
            crds,
            types: defs().count() - aliases,
            objects: api
                .versions()
                .map(|(_, version)| objects(version))
                .fold([0, 0], add),
            aliases,
            lines: files.values().map(|text| text.lines().count()).sum(),
            long: [60, 80].map(|limit| defs().filter(|def| def.name.len() > limit).count()),
            longest: longest.cloned().unwrap_or_default(),
        }
    }

    /// The number of types, without aliases.
    pub(crate) const fn types(&self) -> usize {
        self.types
    }

    /// The percentage of object fields with types of Kubernetes.
    pub(crate) fn recognised(&self) -> usize {
        let [recognised, all] = self.objects;
        (recognised * 100).checked_div(all).unwrap_or_default()
    }

    /// The number of generated lines.
    pub(crate) const fn lines(&self) -> usize {
        self.lines
    }

    /// The length of the longest name.
    pub(crate) const fn longest(&self) -> usize {
        self.longest.len()
    }

    pub(crate) fn add(mut self, other: &Self) -> Self {
        self.crds += other.crds;
        self.types += other.types;
        self.objects = add(self.objects, other.objects);
        self.aliases += other.aliases;
        self.lines += other.lines;
        for (sum, part) in self.long.iter_mut().zip(other.long) {
            *sum += part;
        }
        if other.longest.len() > self.longest.len() {
            self.longest.clone_from(&other.longest);
        }
        self
    }
}

fn add([a, b]: [usize; 2], [c, d]: [usize; 2]) -> [usize; 2] {
    [a + c, b + d]
}

/// Counts the fields of a version that hold objects: those with types of Kubernetes, and all. The
/// metadata of kinds is not counted.
fn objects(version: &Version) -> [usize; 2] {
    let is_root = |def: &&TypeDef| {
        version
            .resources
            .iter()
            .any(|resource| resource.root == def.name)
    };
    let structs = version
        .types
        .iter()
        .filter(|def| matches!(def.kind, TypeKind::Struct(_)));
    let structs: BTreeSet<&str> = structs.map(|def| def.name.as_str()).collect();
    let mut count = [0, 0];
    for def in &version.types {
        let TypeKind::Struct(body) = &def.kind else {
            continue;
        };
        let fields = body
            .fields
            .iter()
            .filter(|field| field.json_name != "metadata" || !is_root(&def));
        for field in fields {
            count = add(
                count,
                match field.ty.element() {
                    TypeRef::External(_) => [1, 1],
                    TypeRef::Known(known) if !SCALARS.contains(known) => [1, 1],
                    TypeRef::Local(name) if structs.contains(name.as_str()) => [0, 1],
                    _ => [0, 0],
                },
            );
        }
    }
    count
}

/// Types of Kubernetes that are recognised by format, not by fields.
const SCALARS: [KnownType; 7] = [
    KnownType::ByteString,
    KnownType::Duration,
    KnownType::IntOrString,
    KnownType::MicroTime,
    KnownType::Quantity,
    KnownType::RawExtension,
    KnownType::Time,
];

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            crds,
            types,
            objects: [recognised, objects],
            aliases,
            lines,
            long: [sixty, eighty],
            longest,
        } = self;
        write!(
            f,
            "{crds} CRDs, {types} types, {recognised} of {objects} objects recognised, {aliases} aliases, {lines} lines, {sixty} names > 60, {eighty} > 80, longest {} {longest}",
            longest.len()
        )
    }
}
