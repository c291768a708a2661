//! From the text of a marker to its name and typed arguments.

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

/// A marker as it stands in a comment: its text from the `+` to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawMarker {
    /// Where the text stands.
    pub place: Place,
}

impl RawMarker {
    /// The text, from the `+` on.
    #[must_use]
    pub fn text(&self) -> &str {
        self.place
            .text
            .get(self.place.range.clone())
            .unwrap_or_default()
    }

    /// The place of a part of the text.
    fn part(&self, range: Range<usize>) -> Place {
        let start = self.place.range.start;
        Place {
            range: start + range.start..start + range.end,
            ..self.place.clone()
        }
    }

    /// Whether the text starts with the name of a marker, or with one that is nearly one.
    #[must_use]
    pub fn names_marker(&self) -> bool {
        let (name, name_end) = self.name();
        self.find(name, name_end).is_ok() || suggest::closest(name, names()).is_some()
    }

    /// The definition of the marker that it is, if it is one.
    #[cfg(feature = "go")]
    pub(crate) fn definition(&self) -> Option<&'static MarkerDef> {
        let (name, name_end) = self.name();
        self.find_known(name, name_end).map(|(def, _)| def)
    }

    /// The name as written.
    pub(crate) fn written_name(&self) -> &str {
        self.name().0
    }

    /// Whether the text is a marker once the spaces behind its `+` are left out.
    pub(crate) fn spaced(&self) -> Option<String> {
        let rest = self.text().strip_prefix('+')?;
        let text = rest.trim_start();
        let name = text.split('=').next().unwrap_or_default().trim_end();
        let outer = name.rsplit_once(':').and_then(|(outer, _)| find(outer));
        let is_known = text.len() < rest.len() && find(name).or(outer).is_some();
        is_known.then(|| format!("+{text}"))
    }

    /// The marker without the spaces before its `=`, with which Go's tools do not know the name.
    #[cfg(feature = "go")]
    pub(crate) fn padded(&self) -> Option<String> {
        let (name, value) = self.text().strip_prefix('+')?.split_once('=')?;
        let is_padded = name.ends_with(char::is_whitespace) && find(name.trim_end()).is_some();
        is_padded.then(|| format!("+{}={}", name.trim_end(), value.trim_start()))
    }

    /// The name, and where it ends.
    fn name(&self) -> (&str, usize) {
        let text = self.text();
        let name_end = text.find('=').unwrap_or(text.len());
        let name = text.get(1..name_end).unwrap_or_default().trim_end();
        // Older sources write `:=`, which says the same.
        (name.strip_suffix(':').unwrap_or(name), name_end)
    }

    /// Reads name and arguments without regard to where the marker stands.
    ///
    /// # Errors
    ///
    /// An unknown name or argument, or a value that is not what the marker takes.
    pub fn parse(&self) -> Result<Marker, Diagnostic> {
        self.parse_as(Compat::Strict)
    }

    /// As [`parse`](Self::parse); as controller-gen reads it, the last of several arguments of one name holds.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
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
                .at(self.part(name_end..text.len()), "this has to go")
                .help(format!("write `{}`", def.syntax())));
        }
        self.arguments(&mut cursor, &mut marker, arguments_at.is_some(), compat)?;
        self.missing(&marker)?;
        Ok(marker)
    }

    /// The definition that the name means, and where its arguments start: after the `=`, or at the last part of the name
    /// if that is an argument (`kubebuilder:resource:scope=Cluster`).
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
        // An argument without a name has any to controller-gen; people write `+default:value=1`.
        let is_value = last == "value" && has_value && !def.arguments.is_empty();
        is_value.then_some((def, Some(name_end + 1)))
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let unknown = Diagnostic::error(format!("unknown marker `+{name}`"))
            .at(self.part(0..1 + name.len()), "no generator knows it");
        // A right word behind a wrong family (`kubebuilder:validation:nullable`) is likelier than a near name.
        let last = name.rsplit(':').next().unwrap_or_default();
        let same = names().find(|known| known.eq_ignore_ascii_case(name));
        let meant = same.or_else(|| names().find(|known| *known == last));
        match meant.or_else(|| suggest::closest(name, names())) {
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
                return Err(self.extra(cursor, first.kind));
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
                return Err(self.unknown_argument(def, name, place));
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
                return Err(self.extra(cursor, argument.kind));
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

    fn unknown_argument(&self, def: &MarkerDef, name: &str, range: Range<usize>) -> Diagnostic {
        let names = || {
            def.arguments
                .iter()
                .map(|a| a.name)
                .filter(|n| !n.is_empty())
        };
        let unknown = Diagnostic::error(format!("unknown argument `{name}` of `+{}`", def.name))
            .at(self.part(range), "not an argument");
        // A right word behind a wrong family (`kubebuilder:validation:nullable`) is likelier than a near name.
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
            .help(format!("it is written `{}`", def.syntax())))
    }

    fn extra(&self, cursor: &mut Cursor<'_>, kind: ValueKind) -> Diagnostic {
        let end = self.text().len();
        let extra = Diagnostic::error("the value ends before the marker does")
            .at(self.part(cursor.at()..end), "this is left over");
        if matches!(kind, ValueKind::String) {
            extra.help("a text with `,`, `;` or `}` stands in quotes or backticks")
        } else {
            extra
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

/// Whether the text of a comment, without its slashes and spaces, is a marker: a `+` and a letter.
#[must_use]
pub fn is_marker(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'+') && bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
}

/// Reads a marker that stands at `target`; a marker that may not stand there is an error too.
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

/// The marker stands where it must not.
pub(crate) fn misplaced(marker: &Marker, place: &str) -> Diagnostic {
    let allowed: Vec<_> = marker
        .def
        .targets
        .iter()
        .map(|target| target.description())
        .collect();
    Diagnostic::error(format!("`+{}` does not belong {place}", marker.def.name))
        .at(marker.place.clone(), "misplaced")
        .help(format!("it stands {}", allowed.join(" or ")))
}
