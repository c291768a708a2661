//! Tables of a TOML file, read so that one run reports every mistake with its position.

use std::ops::Range;

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::keys::{Section, Type, keys};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    options::{
        Options,
        define::{Given, Row},
        rows,
    },
    source::Source,
    suggest::closest,
};

/// Reads tables of one file and collects their errors.
pub(super) struct Reader<'a> {
    source: &'a Source,
    file: std::sync::Arc<str>,
    pub(super) diagnostics: Diagnostics,
}

/// A value with its byte range.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

impl<'a> Reader<'a> {
    pub(super) fn new(source: &'a Source) -> Self {
        Self {
            source,
            file: source.name.as_str().into(),
            diagnostics: Diagnostics::new(),
        }
    }

    /// Parses the file.
    ///
    /// # Errors
    ///
    /// The first syntax error; later ones are mostly consequences of it.
    pub(super) fn parse(&mut self) -> Result<DeTable<'a>, Diagnostics> {
        DeTable::parse(&self.source.text)
            .map(Spanned::into_inner)
            .map_err(|error| {
                let message = error.message().replace('\n', ", ");
                self.error(error.span().unwrap_or(0..0), message, "", None);
                std::mem::take(&mut self.diagnostics)
            })
    }

    /// The position of a byte range in the file.
    pub(super) fn place(&self, range: Range<usize>) -> Place {
        Place {
            file: self.file.clone(),
            text: self.source.text.clone(),
            range,
        }
    }

    /// Adds an error at a byte range.
    pub(super) fn error(
        &mut self,
        range: Range<usize>,
        message: impl Into<String>,
        label: &str,
        help: Option<String>,
    ) {
        let place = self.place(range);
        let mut diagnostic = Diagnostic::error(message).at(place, label);
        if let Some(help) = help {
            diagnostic = diagnostic.help(help);
        }
        self.diagnostics.push(diagnostic);
    }

    /// Reports every key in the table that the section does not have.
    pub(super) fn keys(&mut self, table: &DeTable<'_>, section: Section) {
        let known: Vec<&str> = section.keys().map(|key| key.name).collect();
        for key in table.keys() {
            let name = key.get_ref();
            if known.contains(&name.as_ref()) {
                continue;
            }
            let mut others = keys();
            let help = if let Some(near) = closest(name, known.iter().copied()) {
                format!("did you mean `{near}`?")
            } else if let Some(other) = others.find(|other| other.name == name) {
                format!("`{name}` belongs to {}", titles(other.sections))
            } else {
                format!("{} has the keys {}", section.title(), known.join(", "))
            };
            let message = format!(
                "unknown key `{}` in {}",
                name.escape_debug(),
                section.title()
            );
            self.error(key.span(), message, "", Some(help));
        }
    }

    /// Reads a string and parses it.
    pub(super) fn checked<T>(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
        parse: fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = self.string(table, key)?;
        match parse(text.get_ref()) {
            Ok(value) => Some(value),
            Err(expected) => {
                self.error(text.span(), format!("invalid {key}: {expected}"), "", None);
                None
            }
        }
    }

    /// Reads the options of a section.
    pub(super) fn options(&mut self, table: &DeTable<'a>, section: Section, options: &mut Options) {
        for row in rows().filter(|row| row.def.sections.contains(&section)) {
            self.option(table, row, options);
        }
    }

    fn option(&mut self, table: &DeTable<'a>, row: &Row<Options>, options: &mut Options) {
        let name = row.def.name;
        let mut give = |this: &mut Self, name: &str, span: Range<usize>, given: Given<'_>| {
            if let Err(expected) = row.give(options, given) {
                this.error(span, format!("invalid {name}: {expected}"), "", None);
            }
        };
        match row.def.ty {
            Type::Bool => {
                if let Some(flag) = self.boolean(table, name) {
                    give(self, name, 0..0, Given::Flag(flag));
                }
            }
            Type::Count => {
                if let Some(count) = self.count(table, name) {
                    give(self, name, 0..0, Given::Count(count));
                }
            }
            Type::String => {
                if let Some(word) = self.string(table, name) {
                    give(self, name, word.span(), Given::Word(word.get_ref()));
                }
            }
            Type::Strings => {
                for word in self.strings(table, name).unwrap_or_default() {
                    give(self, name, word.span(), Given::Word(word.get_ref()));
                }
            }
            Type::Map => {
                let entries = self.table(table, name);
                for key in entries.into_iter().flat_map(DeTable::keys) {
                    let key = key.get_ref();
                    if let Some(word) = entries.and_then(|entries| self.string(entries, key)) {
                        let entry = Given::Entry(key, word.get_ref());
                        give(self, key, word.span(), entry);
                    }
                }
            }
            Type::Table(_) | Type::Tables(_) => {}
        }
    }

    pub(super) fn string(&mut self, table: &DeTable<'_>, key: &str) -> Option<Spanned<String>> {
        let value = table.get(key)?;
        let text = value.get_ref().as_str().map(str::to_owned);
        self.typed(value, "a string", text)
    }

    pub(super) fn boolean(&mut self, table: &DeTable<'_>, key: &str) -> Option<bool> {
        let value = table.get(key)?;
        let flag = value.get_ref().as_bool();
        self.typed(value, "true or false", flag)
            .map(Spanned::into_inner)
    }

    /// Reads an integer, at least 0.
    pub(super) fn count(&mut self, table: &DeTable<'_>, key: &str) -> Option<usize> {
        let value = table.get(key)?;
        let integer = value.get_ref().as_integer();
        let count = integer
            .and_then(|integer| usize::from_str_radix(integer.as_str(), integer.radix()).ok());
        self.typed(value, "an integer", count)
            .map(Spanned::into_inner)
    }

    /// Reads a list of strings; `None` if the key is absent.
    pub(super) fn strings(
        &mut self,
        table: &DeTable<'_>,
        key: &str,
    ) -> Option<Vec<Spanned<String>>> {
        let value = table.get(key)?;
        let Some(items) = value.get_ref().as_array() else {
            return self
                .typed(value, "a list of strings", None)
                .map(Spanned::into_inner);
        };
        let strings = items.iter().filter_map(|item| {
            let text = item.get_ref().as_str().map(str::to_owned);
            self.typed(item, "a string", text)
        });
        Some(strings.collect())
    }

    pub(super) fn table<'t>(
        &mut self,
        table: &'t DeTable<'a>,
        key: &str,
    ) -> Option<&'t DeTable<'a>> {
        let value = table.get(key)?;
        if value.get_ref().as_table().is_none() {
            self.typed::<()>(value, "a table", None);
        }
        value.get_ref().as_table()
    }

    /// Reads an array of tables, each with its byte range.
    pub(super) fn tables<'t>(
        &mut self,
        table: &'t DeTable<'a>,
        key: &str,
    ) -> Vec<(Range<usize>, &'t DeTable<'a>)> {
        let Some(value) = table.get(key) else {
            return Vec::new();
        };
        let Some(items) = value.get_ref().as_array() else {
            let help = format!("write [[{key}]], with two brackets");
            let message = format!("`{key}` is an array of tables");
            self.error(value.span(), message, "", Some(help));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items.iter() {
            match item.get_ref().as_table() {
                Some(table) => tables.push((item.span(), table)),
                None => {
                    self.typed::<()>(item, "a table", None);
                }
            }
        }
        tables
    }

    /// `value` with the byte range of `at`, or an error that says what is expected there.
    fn typed<T>(&mut self, at: &Value<'_>, expected: &str, value: Option<T>) -> Option<Spanned<T>> {
        let span = at.span();
        if value.is_none() {
            let found = at.get_ref().type_str();
            self.error(
                span.clone(),
                format!("expected {expected}, found {found}"),
                "",
                None,
            );
        }
        value.map(|value| Spanned::new(span, value))
    }
}

/// The headers of sections.
fn titles(sections: &[Section]) -> String {
    let titles: Vec<&str> = sections.iter().map(|section| section.title()).collect();
    titles.join(" and ")
}
