//! The record of names, which keeps the names of types and modules from CRDs stable across releases
//! of the CRDs.
//!
//! Without the record, a name follows from the rules in `lower::crd::unify` and depends on the rest
//! of the schemas, so a newer release of the CRDs may change it. The record pins names as
//! Cargo.lock pins versions. It has one line per field that refers to a type, keyed by the type
//! that holds the field, so that lines are short and do not depend on other kinds:
//!
//! ```toml
//! [types."gateway.networking.k8s.io/v1"]
//! "Gateway.spec" = "GatewaySpec"
//! "GatewaySpec.listeners" = "GatewayListeners"
//! ```
//!
//!
//! Lowering follows the lines down from the kind. [`Record::of`] extracts the record from the
//! finished model, so it always matches the generated names.

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
    header::TOML_MARKER,
    kubernetes::{KubernetesTypes, KubernetesVersion, Recognition},
    model::{
        ApiSet, Origin, TypeKind, Version,
        names::{is_module_of, schema::is_type_name},
    },
    source::Source,
};

/// The header that follows the marker line.
const HEAD: &str = "\
# Module and type names from CRDs. Commit this file, so that later releases of the CRDs keep the names. To derive a name anew, delete
# its line.
";

/// The recorded names of modules and types.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// The file's name and content; `None` for a record that was not read from a file.
    source: Option<(Arc<str>, Arc<str>)>,
    recognition: Recognition,
    modules: BTreeMap<String, String>,
    /// The type names, by `group/version`.
    versions: BTreeMap<String, Names>,
}

/// The type names of one version: by holder type, then by property.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names(BTreeMap<String, BTreeMap<String, Line>>);

/// A line of the record: the name of the type that a field refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) name: String,
    /// The bytes of the line in the file.
    range: Range<usize>,
}

impl Names {
    /// Returns the line for a property of the type recorded as `holder`; for a kind's root type,
    /// the holder is the kind.
    pub(crate) fn line(&self, holder: &str, property: &str) -> Option<&Line> {
        self.0.get(holder)?.get(property)
    }

    /// Collects the type names of a version.
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
                // Skip names that `parse` would reject.
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
    /// Extracts the names from a model generated from CRDs.
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

    /// Adds the lines of an older record for fields that this record lacks, which covers CRDs left
    /// out of this run.
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

    /// The module names, by group.
    pub(crate) fn modules(&self) -> &BTreeMap<String, String> {
        &self.modules
    }

    /// Returns the type names of a version.
    pub(crate) fn names(&self, group: &str, version: &str) -> Option<&Names> {
        self.versions.get(&format!("{group}/{version}"))
    }

    /// Whether a recorded type is kept even if its schema now matches a Kubernetes type. This holds
    /// only while the recognition options are unchanged: if they changed, the new options decide.
    pub(crate) fn holds_own_types(&self, recognition: Recognition) -> bool {
        self.recognition == recognition
    }

    /// Returns the place of a line in the file.
    pub(crate) fn place(&self, line: &Line) -> Option<Place> {
        let (file, text) = self.source.clone()?;
        let range = line.range.clone();
        Some(Place { file, text, range })
    }

    /// Renders the file: one line per name, sorted, so that equal records render alike. Returns
    /// `None` if there are no names.
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

    /// Parses a record file.
    ///
    /// # Errors
    ///
    /// The first syntax error, or else every line that the generator cannot have written.
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
            let message = format!("{} more invalid lines in {}", reader.more, reader.file);
            reader.found.push(Diagnostic::error(message));
        }
        reader.found.finish(record)
    }
}

/// Quotes a string as a TOML basic string.
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

/// The maximum number of errors to report: a file with more was not written by the generator.
const MOST_ERRORS: usize = 20;

/// State while parsing a record.
struct Reader {
    file: Arc<str>,
    text: Arc<str>,
    found: Diagnostics,
    /// The number of errors beyond [`MOST_ERRORS`].
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

    /// Returns the lines of a table of strings that pass `check`, and reports the others.
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
            false => Err(format!(
                "{module:?} is not a valid module name for the group {group:?}"
            )),
        }
    }

    /// Reports modules that several groups claim.
    fn each_once(&mut self, modules: &BTreeMap<String, Line>) {
        let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
        for (group, line) in modules {
            match taken.entry(&line.name) {
                Entry::Vacant(free) => {
                    free.insert(group);
                }
                Entry::Occupied(other) => {
                    let (name, other) = (&line.name, other.get());
                    let message = format!("module {name:?} is already used by the group {other:?}");
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
        let help = "this file is generated: restore the last committed version, or delete the line";
        let error = Diagnostic::error(message).at(place, "").help(help);
        self.found.push(error);
    }
}

/// Recorded names of one version that need a note.
#[derive(Debug, Default)]
pub(crate) struct Outcome<'a> {
    /// Lines whose types stay although their schemas now match a Kubernetes type, with the path of
    /// that type.
    pub(crate) kept: Vec<(&'a Line, String)>,
    /// Lines whose types have a new name, with that name.
    pub(crate) renamed: Vec<(&'a Line, String)>,
}

/// The maximum number of notes of one kind.
const MOST_NOTES: usize = 5;

impl Outcome<'_> {
    /// Reports notes for one version.
    pub(crate) fn report(self, record: &Record, found: &mut Diagnostics) {
        let kept = self.kept.into_iter().map(|(line, kubernetes)| {
            let message = format!("{} now has the schema of {kubernetes}", line.name);
            let help = "delete the line to use that type";
            (line, message, help)
        });
        report(record, kept, found);
        let renamed = self.renamed.into_iter().map(|(line, name)| {
            let message = format!("the type of this field is now {name}, not {}", line.name);
            let help = "another type keeps the name: the schemas now differ, or a kind or an entry of `renames` uses it";
            (line, message, help)
        });
        report(record, renamed, found);
    }
}

/// Adds one note per distinct message, up to [`MOST_NOTES`], and a final note with the number of
/// the rest.
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
        let message = format!("the same applies to {more} other types of this version");
        let note = Diagnostic::note_of(message);
        found.push(at(note, line, "the first of them"));
    }
}
