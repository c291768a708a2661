//! Which marker belongs to what: the rules of controller-tools' collector.
//!
//! To a type or field belong the markers of its documentation and of the group of comments next above that. A marker in the
//! group above is the package's if no type takes it and a package does. What else stands at the level of the file is the
//! package's too; what stands in braces before nothing, behind code, or in the documentation of anything else is lost.

use super::{
    Findings,
    file::FileReader,
    syntax::{Group, Owner, TypeExpr},
};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    read::markers::{
        Marker, MarkerDef, MarkerSet, MarkerType, RawMarker, Target,
        field::{ValidationOptional, ValidationRequired},
        is_marker,
    },
};

/// The markers of a file, by what they belong to.
#[derive(Debug, Default)]
pub(super) struct FileMarkers {
    pub(super) package: Vec<Marker>,
    pub(super) types: Vec<MarkerSet>,
    pub(super) fields: Vec<MarkerSet>,
}

impl FileReader<'_, '_> {
    /// The markers of the whole file.
    pub(super) fn markers(&mut self) -> FileMarkers {
        let syntax = self.syntax;
        let mut found = FileMarkers {
            package: Vec::new(),
            types: vec![MarkerSet::default(); syntax.types.len()],
            fields: vec![MarkerSet::default(); syntax.fields],
        };
        let (types, fields) = self.used();
        for (group, owner) in syntax.groups.iter().zip(&syntax.owners) {
            let is_used = match *owner {
                Owner::TypeDoc(index) => types.get(index),
                Owner::Field(index) => fields.get(index),
                _ => None,
            };
            if is_used == Some(&false) {
                continue;
            }
            for raw in self.raw_markers(group) {
                self.give(raw, *owner, &mut found);
            }
        }
        for set in found.types.iter_mut().chain(&mut found.fields) {
            settle(set, self.package.main, false, self.findings);
        }
        found
    }

    /// Whether each type and each field of the file is used.
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        let types = &self.syntax.types;
        let mut fields = vec![self.used.is_none(); self.syntax.fields];
        for spec in types.iter().filter(|spec| self.is_used(spec)) {
            mark(&spec.ty, &mut fields);
        }
        let types = types.iter().map(|spec| self.is_used(spec));
        (types.collect(), fields)
    }

    /// The markers of a group: `//` lines, never block comments.
    fn raw_markers(&self, group: &Group) -> Vec<RawMarker> {
        let mut found = Vec::new();
        for comment in self.syntax.comments_of(group) {
            let range = comment.range();
            let Some(line) = self.file.text_of(&range).strip_prefix("//") else {
                continue;
            };
            let content = line.trim();
            if !is_marker(content) {
                continue;
            }
            let start = range.start + 2 + line.find('+').unwrap_or(0);
            let place = self.place(start..start + content.len());
            let raw = RawMarker { place };
            // Build constraints of old are written like markers; a default that names a constant is for other generators.
            let is_constraint = content.split_whitespace().next() == Some("+build");
            let is_constant = content.starts_with("+default=ref(");
            if !is_constraint && !is_constant && !self.ignored.contains(&raw) {
                found.push(raw);
            }
        }
        found
    }

    fn give(&mut self, raw: RawMarker, owner: Owner, found: &mut FileMarkers) {
        let def = raw.definition();
        let (target, set) = match owner {
            Owner::Package => (Target::Package, &mut found.package),
            Owner::TypeApart(_) if def.is_some_and(is_of_package) => {
                (Target::Package, &mut found.package)
            }
            Owner::TypeDoc(index) | Owner::TypeApart(index) => match found.types.get_mut(index) {
                Some(set) => (Target::Type, &mut set.0),
                None => return,
            },
            Owner::Field(index) => match found.fields.get_mut(index) {
                Some(set) => (Target::Field, &mut set.0),
                None => return,
            },
            Owner::Behind | Owner::Declaration(_) | Owner::Nothing => {
                if def.is_some() {
                    self.lost(&raw, owner);
                }
                return;
            }
        };
        let Some(def) = def else {
            return self.unknown(&raw);
        };
        if let Some(written) = raw.padded() {
            let warning = Diagnostic::warning(format!("`+{}` has no effect here", def.name));
            let label = "to Go's tools the space before `=` is part of the name";
            return self.warn(
                warning
                    .at(raw.place.clone(), label)
                    .help(format!("write `{written}`")),
            );
        }
        // A default that is a constant of Go is there for Go's defaulters; no schema has it.
        let text = raw.place.text.get(raw.place.range.clone());
        if text.is_some_and(|text| text.starts_with("+default=ref(")) {
            return;
        }
        let stands = def.allows(target) || (target == Target::Package && def.stands_anywhere());
        match raw.parse_as(self.compat) {
            Ok(marker) if stands => set.push(marker),
            Ok(marker) => self.warn(misplaced(&marker, target)),
            Err(error) if is_lenient(def) => self.warn(Diagnostic {
                severity: Severity::Warning,
                ..error
            }),
            Err(error) if self.package.main && def.schema.is_some() => {
                self.findings.rules.push(error);
            }
            Err(error) if self.package.main && def.stands_anywhere() => {
                self.findings.crate_markers.push(error);
            }
            Err(error) if self.package.main => self.findings.diagnostics.push(error),
            Err(_) => {}
        }
    }

    fn warn(&mut self, warning: Diagnostic) {
        if self.package.main {
            self.findings.diagnostics.push(warning);
        }
    }

    fn unknown(&mut self, raw: &RawMarker) {
        // The search for a similar marker takes longer than all else: only for errors that are shown.
        if !self.package.main {
            return;
        }
        // A sentence may start with a plus without being a marker.
        if raw.written_name().contains(char::is_whitespace) && !raw.names_marker() {
            return;
        }
        if let Some((_, more)) = self.findings.unknown.get_mut(raw.written_name()) {
            *more += 1;
            return;
        }
        if let Err(error) = raw.parse() {
            let warning = Diagnostic {
                severity: Severity::Warning,
                ..error
            };
            let name = raw.written_name().to_owned();
            self.findings.unknown.insert(name, (warning, 0));
        }
    }

    /// The marker belongs to nothing that has markers.
    fn lost(&mut self, raw: &RawMarker, owner: Owner) {
        let warning = Diagnostic::warning("the marker marks nothing");
        let place = raw.place.clone();
        self.warn(match owner {
            Owner::Behind => warning
                .at(place, "it stands behind code")
                .help("put it on a line of its own, above what it marks"),
            Owner::Declaration(what) => warning
                .at(place, format!("it stands in the documentation of {what}"))
                .help("part it by a blank line, or put it above the type that it is about"),
            _ => warning
                .at(place, "nothing follows that it could belong to")
                .help("a marker stands right above the type or field that it marks"),
        });
    }
}

/// Marks the fields of a type by their numbers.
fn mark(ty: &TypeExpr, marked: &mut [bool]) {
    match ty {
        TypeExpr::Pointer(inner) | TypeExpr::Slice(inner) | TypeExpr::Array(_, inner) => {
            mark(inner, marked);
        }
        TypeExpr::Map(key, value) => {
            mark(key, marked);
            mark(value, marked);
        }
        TypeExpr::Struct(fields) => {
            for field in fields {
                if let Some(flag) = marked.get_mut(field.number) {
                    *flag = true;
                }
                mark(&field.ty, marked);
            }
        }
        TypeExpr::Name(_)
        | TypeExpr::Qualified(..)
        | TypeExpr::Any
        | TypeExpr::Interface(_)
        | TypeExpr::Other(_) => {}
    }
}

/// Whether Go's generators pass over values of the marker that they do not know, as gengo's do; controller-gen refuses them.
fn is_lenient(def: &MarkerDef) -> bool {
    def.name.starts_with("k8s:") || def.name.starts_with("genclient")
}

/// Whether a marker above a type's documentation is the package's: controller-gen knows those of optional fields of packages alone.
fn is_of_package(def: &MarkerDef) -> bool {
    let is_presence =
        [ValidationOptional::DEF.name, ValidationRequired::DEF.name].contains(&def.name);
    let is_of_type = def.allows(Target::Type) && !is_presence;
    !is_of_type && (def.allows(Target::Package) || def.stands_anywhere())
}

fn misplaced(marker: &Marker, target: Target) -> Diagnostic {
    let name = marker.def.name;
    let place = marker.place.clone();
    let words: Vec<&str> = marker
        .def
        .targets
        .iter()
        .filter_map(|target| match target {
            Target::Package | Target::File => Some("apart from types, for the package"),
            Target::Type => Some("above a type"),
            Target::Field => Some("above a field"),
            Target::Variant => None,
        })
        .collect();
    let label = match target {
        Target::Package => "apart from any type, it is read as the package's",
        Target::Type => "this is about a type",
        _ => "this is about a field",
    };
    Diagnostic::warning(format!("`+{name}` has no effect here"))
        .at(place, label)
        .help(format!("it stands {}", words.join(" or ")))
}

/// Of a marker that does not repeat, one counts: the last, and for a package the first, as Go's generators have it. What
/// stands twice or contradicts another is a warning.
pub(super) fn settle(set: &mut MarkerSet, main: bool, is_package: bool, findings: &mut Findings) {
    if set.0.len() < 2 {
        return;
    }
    if main && !is_package {
        let mut found = Diagnostics::new();
        set.check(&mut found);
        for diagnostic in found {
            findings.diagnostics.push(Diagnostic {
                severity: Severity::Warning,
                ..diagnostic
            });
        }
    }
    let counts = |index: usize| {
        let marker = &set.0[index];
        let others = if is_package {
            &set.0[..index]
        } else {
            &set.0[index + 1..]
        };
        marker.def.repeats || others.iter().all(|other| other.def != marker.def)
    };
    let keep: Vec<bool> = (0..set.0.len()).map(counts).collect();
    let mut keep = keep.into_iter();
    set.0.retain(|_| keep.next().unwrap_or(true));
}
