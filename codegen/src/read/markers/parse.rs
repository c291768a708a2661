//! Parses a marker into its definition and typed arguments.

use std::ops::Range;

use super::{
    Argument, Marker, MarkerDef, Target, ValueKind, find,
    grammar::{Cursor, ValueError},
    names,
};
use crate::{
    diag::{Diagnostic, Diagnostics, Place},
    options::Compat,
    suggest,
};

/// A marker as written in a comment, from the `+` to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMarker {
    /// The place of the text.
    pub place: Place,
}

impl RawMarker {
    /// The text, starting with the `+`.
    #[must_use]
    pub fn text(&self) -> &str {
        self.place
            .text
            .get(self.place.range.clone())
            .unwrap_or_default()
    }

    /// Returns the place of a part of the text.
    fn part(&self, range: Range<usize>) -> Place {
        let start = self.place.range.start;
        Place {
            range: start + range.start..start + range.end,
            ..self.place.clone()
        }
    }

    /// Whether the text starts with the name of a marker, or a similar name.
    #[must_use]
    pub fn names_marker(&self) -> bool {
        let (name, name_end) = self.name();
        self.find(name, name_end).is_ok() || suggest::closest(name, names()).is_some()
    }

    /// Returns the definition of the marker, if known.
    #[cfg(feature = "go")]
    pub(crate) fn definition(&self) -> Option<&'static MarkerDef> {
        let (name, name_end) = self.name();
        self.find_known(name, name_end).map(|(def, _)| def)
    }

    /// The name as written.
    pub(crate) fn written_name(&self) -> &str {
        self.name().0
    }

    /// Returns the text without spaces after its `+`, if that makes it a marker.
    pub(crate) fn spaced(&self) -> Option<String> {
        let rest = self.text().strip_prefix('+')?;
        let text = rest.trim_start();
        let name = text.split('=').next().unwrap_or_default().trim_end();
        let outer = name.rsplit_once(':').and_then(|(outer, _)| find(outer));
        let is_known = text.len() < rest.len() && find(name).or(outer).is_some();
        is_known.then(|| format!("+{text}"))
    }

    /// Returns the marker without spaces before its `=`, if there are any: they keep Go's tools
    /// from recognising the name.
    #[cfg(feature = "go")]
    pub(crate) fn padded(&self) -> Option<String> {
        let (name, value) = self.text().strip_prefix('+')?.split_once('=')?;
        let is_padded = name.ends_with(char::is_whitespace) && find(name.trim_end()).is_some();
        is_padded.then(|| format!("+{}={}", name.trim_end(), value.trim_start()))
    }

    /// Returns the name, and its end.
    fn name(&self) -> (&str, usize) {
        let text = self.text();
        let name_end = text.find('=').unwrap_or(text.len());
        let name = text.get(1..name_end).unwrap_or_default().trim_end();
        // Older sources write `:=`, which is equivalent.
        (name.strip_suffix(':').unwrap_or(name), name_end)
    }

    /// Parses name and arguments, regardless of where the marker is.
    ///
    /// # Errors
    ///
    /// The name or an argument is unknown, or a value is invalid.
    pub fn parse(&self) -> Result<Marker, Diagnostic> {
        self.parse_as(Compat::Strict)
    }

    /// Like [`parse`](Self::parse), but in controller-gen compatibility mode, the last of several
    /// arguments with the same name wins.
    ///
    /// # Errors
    ///
    /// The same as for [`parse`](Self::parse).
    pub fn parse_as(&self, compat: Compat) -> Result<Marker, Diagnostic> {
        let text = self.text();
        let (name, name_end) = self.name();
        let (def, arguments_at) = self.find(name, name_end)?;
        let mut marker = Marker {
            def,
            arguments: Vec::new(),
            place: self.place.clone(),
            attribute: None,
        };
        let mut cursor = Cursor::new(text, arguments_at.unwrap_or(text.len()));
        if def.arguments.is_empty() && arguments_at.is_some() {
            return Err(Diagnostic::error(format!("`+{name}` takes no value"))
                .at(self.part(name_end..text.len()), "remove this")
                .help(format!("write `{}`", def.syntax())));
        }
        self.arguments(&mut cursor, &mut marker, arguments_at.is_some(), compat)?;
        self.missing(&marker)?;
        Ok(marker)
    }

    /// Returns the definition for the name, and the start of the arguments: after the `=`, or at
    /// the last part of the name if that is an argument (`kubebuilder:resource:scope=Cluster`).
    fn find(
        &self,
        name: &str,
        name_end: usize,
    ) -> Result<(&'static MarkerDef, Option<usize>), Diagnostic> {
        self.find_known(name, name_end)
            .ok_or_else(|| self.unknown(name))
    }

    fn find_known(
        &self,
        name: &str,
        name_end: usize,
    ) -> Option<(&'static MarkerDef, Option<usize>)> {
        let has_value = name_end < self.text().len();
        if let Some(def) = find(name) {
            return Some((def, has_value.then_some(name_end + 1)));
        }
        let (outer, last) = name.rsplit_once(':')?;
        let def = find(outer)?;
        if def.arguments.iter().any(|a| !a.name.is_empty()) {
            return Some((def, Some(1 + outer.len() + 1)));
        }
        // controller-gen accepts any name for an unnamed argument, and some sources write
        // `+default:value=1`.
        let is_value = last == "value" && has_value && !def.arguments.is_empty();
        is_value.then_some((def, Some(name_end + 1)))
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let unknown = Diagnostic::error(format!("unknown marker `+{name}`"))
            .at(self.part(0..1 + name.len()), "no generator knows it");
        // The correct last part after a wrong prefix (`kubebuilder:validation:nullable`) is more
        // likely than a similar name.
        let last = name.rsplit(':').next().unwrap_or_default();
        let same = names().find(|known| known.eq_ignore_ascii_case(name));
        let meant = same.or_else(|| names().find(|known| *known == last));
        // An argument may follow the name: `kubebuilder:conversion:webhok:serviceName`.
        let before = || {
            let (outer, argument) = name.rsplit_once(':')?;
            let def = find(suggest::closest(outer, names())?)?;
            let mut arguments = def.arguments.iter();
            let is_known = arguments.any(|known| known.name == argument);
            is_known.then(|| format!("{}:{argument}", def.name))
        };
        // `:` in place of `=`: `kubebuilder:object:generate:false`.
        let value = || {
            let (outer, value) = name.rsplit_once(':')?;
            let takes_one = find(outer)?.arguments.first()?.name.is_empty();
            (takes_one && !value.is_empty()).then(|| format!("{outer}={value}"))
        };
        let near = || suggest::closest(name, names()).map(str::to_owned);
        let meant = meant.map(str::to_owned).or_else(value);
        match meant.or_else(before).or_else(near) {
            Some(near) => unknown.help(format!("did you mean `+{near}`?")),
            None => unknown.help("`kube-codegen markers` lists every marker"),
        }
    }

    fn arguments(
        &self,
        cursor: &mut Cursor<'_>,
        marker: &mut Marker,
        has_value: bool,
        compat: Compat,
    ) -> Result<(), Diagnostic> {
        let def = marker.def;
        if let Some(first) = def.arguments.first().filter(|first| first.name.is_empty()) {
            if cursor.is_empty() && !(has_value && first.kind == ValueKind::Raw) {
                return Ok(());
            }
            self.argument(cursor, marker, first.name, first.kind)?;
            if !cursor.is_empty() && (def.arguments.len() == 1 || !cursor.eat(',')) {
                return Err(self.extra(cursor, marker, first.kind));
            }
        }
        while !cursor.is_empty() {
            let start = cursor.at();
            let name = cursor.name();
            let place = start..cursor.at();
            let Some(argument) = def
                .arguments
                .iter()
                .find(|a| a.name == name && !name.is_empty())
            else {
                return Err(self.unknown_argument(marker, name, place));
            };
            if !cursor.eat('=') {
                return Err(self.wrong(cursor.unexpected("`=`")));
            }
            if !compat.is_strict() {
                marker.arguments.retain(|before| before.name != name);
            }
            if marker.argument(name).is_some() {
                return Err(Diagnostic::error(format!("`{name}` is given twice"))
                    .at(self.part(place), "the second time"));
            }
            self.argument(cursor, marker, argument.name, argument.kind)?;
            if !cursor.is_empty() && !cursor.eat(',') {
                return Err(self.extra(cursor, marker, argument.kind));
            }
        }
        Ok(())
    }

    fn argument(
        &self,
        cursor: &mut Cursor<'_>,
        marker: &mut Marker,
        name: &'static str,
        kind: ValueKind,
    ) -> Result<(), Diagnostic> {
        cursor.is_empty();
        let start = cursor.at();
        let value = cursor.value(kind).map_err(|error| self.wrong(error))?;
        marker.arguments.push(Argument {
            name,
            value,
            place: self.part(start..cursor.at()),
        });
        Ok(())
    }

    /// How to write a list that was written with `,`, which ends an argument: `verbs=get,list`.
    fn with_semicolons(&self, marker: &Marker, at: usize) -> Option<String> {
        let before = marker.arguments.last()?;
        let mut arguments = marker.def.arguments.iter();
        let list = arguments.find(|argument| argument.name == before.name)?;
        let rest = self.text().get(at..)?.split(',');
        let words: Vec<&str> = rest.take_while(|word| !word.contains('=')).collect();
        if words.is_empty() || !list.kind.is_list() {
            return None;
        }
        let first = before.place.text.get(before.place.range.clone())?;
        let name = match list.name {
            "" => String::new(),
            name => format!("{name}="),
        };
        let words = words.join(";");
        Some(format!(
            "the values of a list are separated by `;`: write `{name}{first};{words}`"
        ))
    }

    fn unknown_argument(&self, marker: &Marker, name: &str, range: Range<usize>) -> Diagnostic {
        let def = marker.def;
        let names = || {
            def.arguments
                .iter()
                .map(|a| a.name)
                .filter(|n| !n.is_empty())
        };
        let list = self.with_semicolons(marker, range.start);
        let unknown = Diagnostic::error(format!("unknown argument `{name}` of `+{}`", def.name))
            .at(self.part(range), "not an argument");
        if let Some(help) = list {
            return unknown.help(help);
        }
        // The correct last part after a wrong prefix (`kubebuilder:validation:nullable`) is more
        // likely than a similar name.
        let last = name.rsplit(':').next().unwrap_or_default();
        let same = names().find(|known| known.eq_ignore_ascii_case(name));
        let meant = same.or_else(|| names().find(|known| *known == last));
        match meant.or_else(|| suggest::closest(name, names())) {
            Some(near) => unknown.help(format!("did you mean `{near}`?")),
            None => unknown.help(format!(
                "it takes {}",
                names()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )),
        }
    }

    fn missing(&self, marker: &Marker) -> Result<(), Diagnostic> {
        let def = marker.def;
        let missing = def
            .arguments
            .iter()
            .find(|argument| argument.required && marker.argument(argument.name).is_none());
        let Some(missing) = missing else {
            return Ok(());
        };
        let message = if missing.name.is_empty() {
            format!("`+{}` needs a value", def.name)
        } else {
            format!("`+{}` needs the argument `{}`", def.name, missing.name)
        };
        Err(Diagnostic::error(message)
            .at(self.place.clone(), missing.meaning)
            .help(format!("the syntax is `{}`", def.syntax())))
    }

    fn extra(&self, cursor: &mut Cursor<'_>, marker: &Marker, kind: ValueKind) -> Diagnostic {
        let end = self.text().len();
        let extra = Diagnostic::error("unexpected text after the value")
            .at(self.part(cursor.at()..end), "not part of the value");
        if matches!(kind, ValueKind::String) {
            return extra.help("put a string with `,`, `;` or `}` in quotes or backticks");
        }
        let is_comma = cursor.eat(',');
        match self
            .with_semicolons(marker, cursor.at())
            .filter(|_| is_comma)
        {
            Some(help) => extra.help(help),
            None => extra,
        }
    }

    fn wrong(&self, error: ValueError) -> Diagnostic {
        let label = Diagnostic::error(error.message).at(self.part(error.range), "");
        if error.help.is_empty() {
            label
        } else {
            label.help(error.help)
        }
    }
}

/// Whether a comment's text, without slashes and surrounding spaces, is a marker: a `+` followed by
/// a letter.
#[must_use]
pub fn is_marker(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'+') && bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

/// Parses a marker at `target`, and reports it if it is invalid or not allowed there.
pub fn parse(raw: &RawMarker, target: Target, diagnostics: &mut Diagnostics) -> Option<Marker> {
    match raw.parse() {
        Ok(marker) if marker.def.allows(target) => Some(marker),
        Ok(marker) => {
            diagnostics.push(misplaced(&marker, target.description()));
            None
        }
        Err(error) => {
            diagnostics.push(error);
            None
        }
    }
}

/// Creates the error for a marker in a place where it is not allowed.
pub(crate) fn misplaced(marker: &Marker, place: &str) -> Diagnostic {
    let allowed: Vec<_> = marker
        .def
        .targets
        .iter()
        .map(|target| target.description())
        .collect();
    Diagnostic::error(format!("`+{}` is not allowed {place}", marker.def.name))
        .at(marker.place.clone(), "misplaced")
        .help(format!("put it {}", allowed.join(" or ")))
}
