//! The record of names: types and modules from CRDs keep the names that they were first generated with.
//!
//! By the rule alone (`lower::crd::unify`), a name depends on what else stands in the schemas, so that a newer release of the CRDs may
//! change it. The record does for names what Cargo.lock does for versions. It has a line for each field that leads to a type, by the
//! type that holds the field, so that a line is short, and none depends on another kind:
//!
//! ```toml
//! [types."gateway.networking.k8s.io/v1"]
//! "Gateway.spec" = "GatewaySpec"
//! "GatewaySpec.listeners" = "GatewayListeners"
//! ```
//!
//! Lowering follows the lines from the kind down. [`Record::of`] takes a record from a model, so that what is recorded is what is generated.

#[cfg(test)]
mod tests;

use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    fmt::Write as _,
    ops::Range,
    sync::Arc,
};

use toml::{Spanned, de::DeTable, de::DeValue};

use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    model::{
        ApiSet, Origin, TypeKind, Version,
        names::{is_module_of, schema::is_type_name},
    },
    options::{KubernetesTypes, KubernetesVersion},
    output::format::TOML_MARKER,
    source::Source,
};

/// The lines below the marker.
const HEAD: &str = "\
# The names of modules and types from CRDs, which later releases of the CRDs keep: commit this file. Where a line is deleted, the name
# follows from the CRDs again.
";

/// The names that were given before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The name and the text of the file.
    source: Option<(Arc<str>, Arc<str>)>,
    recognition: Recognition,
    modules: BTreeMap<String, String>,
    /// By `group/version`.
    versions: BTreeMap<String, Names>,
}

/// The options that decide which schemas are types of Kubernetes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recognition {
    /// Which schemas.
    pub types: KubernetesTypes,
    /// The least version of Kubernetes.
    pub version: Option<KubernetesVersion>,
}

/// The names of the types of one version.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names(BTreeMap<String, BTreeMap<String, Line>>);

/// A line: the name of the type that a field leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// The bytes of the file where it stands.
    range: Range<usize>,
}

impl Names {
    /// The line for a property of a type that has, or had, this name; a kind's own type has the name of the kind.
    pub(crate) fn line(&self, holder: &str, property: &str) -> Option<&Line> {
        self.0.get(holder)?.get(property)
    }

    /// Adds what the types of a version are called.
    fn of(version: &Version) -> Self {
        let kinds: BTreeMap<&str, &str> = version
            .resources
            .iter()
            .map(|resource| (resource.root.as_str(), resource.kind.as_str()))
            .collect();
        let mut names = Self::default();
        for def in &version.types {
            let TypeKind::Struct(body) = &def.kind else {
                continue;
            };
            let name = def.name.as_str();
            let holder = kinds.get(name).copied().unwrap_or(name);
            for field in &body.fields {
                // What the file could not be read with again is not recorded.
                if let Some(name) = field.ty.local().filter(|name| is_type_name(name)) {
                    let lines = names.0.entry(holder.to_owned()).or_default();
                    let line = Line {
                        name: name.to_owned(),
                        range: 0..0,
                    };
                    lines.insert(field.json_name.clone(), line);
                }
            }
        }
        names
    }
}

impl Record {
    /// The names of a model from CRDs.
    #[must_use]
    pub fn of(api: &ApiSet, recognition: Recognition) -> Self {
        let mut record = Self {
            recognition,
            ..Self::default()
        };
        for (group, version) in api.versions() {
            if version.origin == Origin::Crd {
                let module = (group.name.clone(), group.module.clone());
                record.modules.extend([module]);
                let names = Names::of(version);
                if !names.0.is_empty() {
                    let key = format!("{}/{}", group.name, version.name);
                    record.versions.insert(key, names);
                }
            }
        }
        record
    }

    /// Adds the lines of an older record for what this one has no lines for: for CRDs that a run left out.
    #[must_use]
    pub(crate) fn with_rest_of(mut self, older: &Self) -> Self {
        for (group, module) in &older.modules {
            if !self.modules.values().any(|taken| taken == module) {
                let entry = self.modules.entry(group.clone());
                entry.or_insert_with(|| module.clone());
            }
        }
        for (version, names) in &older.versions {
            let known = self.versions.entry(version.clone()).or_default();
            for (holder, lines) in &names.0 {
                let holder = known.0.entry(holder.clone()).or_default();
                for (property, line) in lines {
                    let entry = holder.entry(property.clone());
                    entry.or_insert_with(|| line.clone());
                }
            }
        }
        self
    }

    /// The modules of groups.
    pub(crate) fn modules(&self) -> &BTreeMap<String, String> {
        &self.modules
    }

    /// The names of the types of a version.
    pub(crate) fn names(&self, group: &str, version: &str) -> Option<&Names> {
        self.versions.get(&format!("{group}/{version}"))
    }

    /// Whether a recorded type stays a type of its own where its schema has become one of Kubernetes' types. Where the options ask for other types
    /// of Kubernetes than before, they decide.
    pub(crate) fn holds_own_types(&self, recognition: Recognition) -> bool {
        self.recognition == recognition
    }

    /// The place of a line.
    pub(crate) fn place(&self, line: &Line) -> Option<Place> {
        let (file, text) = self.source.clone()?;
        let range = line.range.clone();
        Some(Place { file, text, range })
    }

    /// The text of the file: the same for the same names, a line for each, sorted. Nothing without names.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        if self.modules.is_empty() {
            return None;
        }
        let mut text = format!("{TOML_MARKER}\n{HEAD}");
        // Writing into a String cannot fail.
        let Recognition { types, version } = self.recognition;
        let _ = writeln!(text, "kubernetes-types = \"{}\"", types.word());
        if let Some(version) = version {
            let _ = writeln!(text, "kubernetes-version = \"{version}\"");
        }
        text.push_str("\n[modules]\n");
        for (group, module) in &self.modules {
            let _ = writeln!(text, "{} = {}", quoted(group), quoted(module));
        }
        for (version, Names(names)) in &self.versions {
            let _ = writeln!(text, "\n[types.{}]", quoted(version));
            for (holder, lines) in names {
                for (property, line) in lines {
                    let key = quoted(&format!("{holder}.{property}"));
                    let _ = writeln!(text, "{key} = {}", quoted(&line.name));
                }
            }
        }
        Some(text)
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// The first mistake in its syntax; else every line that no generator can have written.
    pub fn parse(source: &Source) -> Result<Self, Diagnostics> {
        let mut reader = Reader {
            file: source.name.as_str().into(),
            text: source.text.clone(),
            found: Diagnostics::new(),
            more: 0,
        };
        let record = match DeTable::parse(&source.text) {
            Ok(table) => reader.record(table.get_ref()),
            Err(error) => {
                let message = error.message().replace('\n', ", ");
                reader.error(error.span().unwrap_or(0..0), message);
                Self::default()
            }
        };
        if reader.more > 0 {
            let message = format!("{} more lines of {} are wrong", reader.more, reader.file);
            reader.found.push(Diagnostic::error(message));
        }
        reader.found.finish(record)
    }
}

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// The most errors to report: a file with more of them is none of the generator's.
const MOST_ERRORS: usize = 20;

/// A record while it is read.
struct Reader {
    file: Arc<str>,
    text: Arc<str>,
    found: Diagnostics,
    /// How many errors were found beyond [`MOST_ERRORS`].
    more: usize,
}

impl Reader {
    fn record(&mut self, table: &DeTable<'_>) -> Record {
        let mut record = Record {
            source: Some((self.file.clone(), self.text.clone())),
            ..Record::default()
        };
        for (key, value) in table {
            let range = value.span();
            match key.get_ref().as_ref() {
                "kubernetes-types" => {
                    let types = self.checked(value, KubernetesTypes::parse);
                    record.recognition.types = types.unwrap_or_default();
                }
                "kubernetes-version" => {
                    record.recognition.version = self.checked(value, KubernetesVersion::parse);
                }
                "modules" => {
                    let modules = self.lines(value, Self::module);
                    self.each_once(&modules);
                    let modules = modules.into_iter();
                    record.modules = modules.map(|(group, line)| (group, line.name)).collect();
                }
                "types" => {
                    let Some(versions) = value.get_ref().as_table() else {
                        self.error(range, "expected a table for each version");
                        continue;
                    };
                    for (version, lines) in versions {
                        let names = self.names(lines);
                        record.versions.insert(version.get_ref().to_string(), names);
                    }
                }
                other => {
                    let message = format!("unknown key `{}`", other.escape_debug());
                    self.error(key.span(), message);
                }
            }
        }
        record
    }

    fn names(&mut self, table: &Spanned<DeValue<'_>>) -> Names {
        let mut names = Names::default();
        for (key, line) in self.lines(table, Self::type_name) {
            if let Some((holder, property)) = key.split_once('.') {
                let lines = names.0.entry(holder.to_owned()).or_default();
                lines.insert(property.to_owned(), line);
            }
        }
        names
    }

    /// The lines of a table of strings that `check` finds nothing wrong with.
    fn lines(
        &mut self,
        table: &Spanned<DeValue<'_>>,
        check: fn(&str, &str) -> Result<(), String>,
    ) -> BTreeMap<String, Line> {
        let mut lines = BTreeMap::new();
        let Some(entries) = table.get_ref().as_table() else {
            self.error(table.span(), "expected a table of names");
            return lines;
        };
        for (key, value) in entries {
            let Some(name) = value.get_ref().as_str() else {
                let found = value.get_ref().type_str();
                self.error(value.span(), format!("expected a string, found {found}"));
                continue;
            };
            if let Err(message) = check(key.get_ref(), name) {
                self.error(value.span(), message);
                continue;
            }
            let line = Line {
                name: name.to_owned(),
                range: key.span().start..value.span().end,
            };
            lines.insert(key.get_ref().to_string(), line);
        }
        lines
    }

    fn type_name(key: &str, name: &str) -> Result<(), String> {
        if !key.contains('.') {
            return Err(format!(
                "expected a type and a property, such as `GatewaySpec.listeners`, found `{}`",
                key.escape_debug()
            ));
        }
        match is_type_name(name) {
            true => Ok(()),
            false => Err(format!("{name:?} is not a type name")),
        }
    }

    fn module(group: &str, module: &str) -> Result<(), String> {
        match is_module_of(module, group) {
            true => Ok(()),
            false => Err(format!("{module:?} is not a module of the group {group:?}")),
        }
    }

    /// Reports modules of several groups.
    fn each_once(&mut self, modules: &BTreeMap<String, Line>) {
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        for (group, line) in modules {
            match taken.entry(&line.name) {
                Entry::Vacant(free) => {
                    free.insert(group);
                }
                Entry::Occupied(other) => {
                    let (name, other) = (&line.name, other.get());
                    let message = format!("{other:?} has the module {name:?} already");
                    self.error(line.range.clone(), message);
                }
            }
        }
    }

    fn checked<T>(
        &mut self,
        value: &Spanned<DeValue<'_>>,
        parse: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let word = value.get_ref().as_str().unwrap_or_default();
        let parsed = parse(word);
        parsed
            .map_err(|message| self.error(value.span(), message))
            .ok()
    }

    fn error(&mut self, range: Range<usize>, message: impl Into<String>) {
        if self.found.as_slice().len() == MOST_ERRORS {
            self.more += 1;
            return;
        }
        let place = Place {
            file: self.file.clone(),
            text: self.text.clone(),
            range,
        };
        let help = "this file is generated: take the version of it that was committed last, or delete the line";
        let error = Diagnostic::error(message).at(place, "").help(help);
        self.found.push(error);
    }
}

/// What came of recorded names in one version.
#[derive(Debug, Default)]
pub(crate) struct Outcome<'a> {
    /// The lines of types of their own whose schemas are now those of Kubernetes' types, with the paths of these.
    pub(crate) kept: Vec<(&'a Line, String)>,
    /// The lines whose types have other names now, with these.
    pub(crate) renamed: Vec<(&'a Line, String)>,
}

/// The most notes of one kind.
const MOST_NOTES: usize = 5;

impl Outcome<'_> {
    /// Adds what there is to say of a version.
    pub(crate) fn report(self, record: &Record, found: &mut Diagnostics) {
        let kept = self.kept.into_iter().map(|(line, kubernetes)| {
            let message = format!("{} has the schema of {kubernetes} now", line.name);
            let help = "delete the line to have that type";
            (line, message, help)
        });
        report(record, kept, found);
        let renamed = self.renamed.into_iter().map(|(line, name)| {
            let message = format!("the type of this field is {name} now, not {}", line.name);
            let help = "another type keeps the name: the schemas differ now, or a kind or one of `renames` has it";
            (line, message, help)
        });
        report(record, renamed, found);
    }
}

/// Adds notes, one for each message, and the number of those that are too many.
fn report<'a>(
    record: &Record,
    notes: impl Iterator<Item = (&'a Line, String, &'static str)>,
    found: &mut Diagnostics,
) {
    let at = |note: Diagnostic, line: &Line, label: &str| match record.place(line) {
        Some(place) => note.at(place, label),
        None => note,
    };
    let mut said = BTreeSet::new();
    let mut first_of_more = None;
    for (line, message, help) in notes {
        if !said.insert(message.clone()) {
            continue;
        }
        if said.len() > MOST_NOTES {
            first_of_more.get_or_insert(line);
            continue;
        }
        let note = Diagnostic::note_of(message);
        found.push(at(note, line, "").help(help));
    }
    if let Some(line) = first_of_more {
        let more = said.len() - MOST_NOTES;
        let message = format!("the same holds for {more} other types of this version");
        let note = Diagnostic::note_of(message);
        found.push(at(note, line, "the first of them"));
    }
}
