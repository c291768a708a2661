//! Figures of a project's types, one line each and a total: what a change of naming or of types does to the whole corpus.

use std::{collections::BTreeMap, fmt, path::PathBuf};

use codegen::model::{ApiSet, TypeKind};

#[derive(Clone, Default)]
pub(crate) struct Figures {
    crds: usize,
    types: usize,
    aliases: usize,
    lines: usize,
    /// Names longer than 60 and 80 characters.
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
            aliases,
            lines: files.values().map(|text| text.lines().count()).sum(),
            long: [60, 80].map(|limit| defs().filter(|def| def.name.len() > limit).count()),
            longest: longest.cloned().unwrap_or_default(),
        }
    }

    /// How many types there are, aliases aside.
    pub(crate) const fn types(&self) -> usize {
        self.types
    }

    /// How many lines they take.
    pub(crate) const fn lines(&self) -> usize {
        self.lines
    }

    /// How long the longest name is.
    pub(crate) const fn longest(&self) -> usize {
        self.longest.len()
    }

    pub(crate) fn add(mut self, other: &Self) -> Self {
        self.crds += other.crds;
        self.types += other.types;
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

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { crds, types, aliases, lines, long: [sixty, eighty], longest } = self;
        write!(
            f,
            "{crds} CRDs, {types} types, {aliases} aliases, {lines} lines, {sixty} names > 60, {eighty} > 80, longest {} {longest}",
            longest.len()
        )
    }
}
