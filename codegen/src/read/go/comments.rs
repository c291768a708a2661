//! Attaches markers to declarations, by the rules of controller-tools' collector.
//!
//! A type or field owns the markers in its doc comment and in the closest comment group above that.
//! Markers in the group above belong to the package instead if they do not apply to types but do
//! apply to packages. Other comments at file level belong to the package too. Markers are lost in
//! comments at the end of a block, after code, or in the doc comment of any other declaration.

use super::{
    Findings,
    file::FileReader,
    syntax::{Group, Owner, TypeExpr},
};
use crate::{
    diag::{Diagnostic, Diagnostics, Severity},
    read::markers::{
        Argument, Marker, MarkerDef, MarkerSet, MarkerType, RawMarker, Target,
        crd::Resource,
        field::{ValidationOptional, ValidationRequired},
        is_marker,
    },
};

/// The markers of a file, by owner.
#[derive(Debug, Default)]
pub(super) struct FileMarkers {
    pub(super) package: Vec<Marker>,
    pub(super) types: Vec<MarkerSet>,
    pub(super) fields: Vec<MarkerSet>,
}

impl FileReader<'_, '_> {
    /// Collects the markers of the file.
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

    /// Returns, for each type and each field of the file, whether it is used.
    fn used(&self) -> (Vec<bool>, Vec<bool>) {
        let types = &self.syntax.types;
        let mut fields = vec![self.used.is_none(); self.syntax.fields];
        for spec in types.iter().filter(|spec| self.is_used(spec)) {
            mark(&spec.ty, &mut fields);
        }
        let types = types.iter().map(|spec| self.is_used(spec));
        (types.collect(), fields)
    }

    /// Returns the markers of a comment group: from `//` lines only, not from block comments.
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
            // Old build constraints look like markers; a default that refers to a constant is for
            // other generators.
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
        // Rules and webhooks are read with those of files without types.
        if def.is_some_and(MarkerDef::stands_anywhere) {
            return;
        }
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
                    self.warn_without_effect(&raw, owner);
                }
                return;
            }
        };
        let Some(def) = def else {
            return self.unknown(&raw);
        };
        if let Some(written) = raw.padded() {
            let warning = Diagnostic::warning(format!("`+{}` has no effect here", def.name));
            let label = "Go's tools treat the space before `=` as part of the name";
            return self.warn(
                warning
                    .at(raw.place.clone(), label)
                    .help(format!("write `{written}`")),
            );
        }
        // A default that refers to a Go constant is for Go's defaulters; it does not appear in the
        // schema.
        let text = raw.place.text.get(raw.place.range.clone());
        if text.is_some_and(|text| text.starts_with("+default=ref(")) {
            return;
        }
        match raw.parse_as(self.compat) {
            Ok(marker) if def.allows(target) => set.push(marker),
            Ok(marker) => self.warn(misplaced(&marker, target)),
            Err(error) if is_lenient(def) => self.warn(Diagnostic {
                severity: Severity::Warning,
                ..error
            }),
            Err(error) if self.package.main && is_only_in_crds(def) => {
                self.findings.rules.push(error);
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
        // Searching for a similar marker is slow: only do it for errors that are shown.
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

    /// Warns about a marker in a place where markers have no effect.
    fn warn_without_effect(&mut self, raw: &RawMarker, owner: Owner) {
        let warning = Diagnostic::warning("the marker has no effect here");
        let place = raw.place.clone();
        self.warn(match owner {
            Owner::Behind => warning
                .at(place, "it follows code on the same line")
                .help("put it on a line of its own, above the type or field that it applies to"),
            Owner::Declaration(what) => warning
                .at(place, format!("it is in the doc comment of {what}"))
                .help("separate it with a blank line, or put it above the type that it applies to"),
            _ => warning
                .at(place, "no type or field follows")
                .help("put it directly above the type or field that it applies to"),
        });
    }
}

/// Marks the fields of a type by index.
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

/// Whether Go's generators ignore unknown values of the marker, as gengo's do; controller-gen
/// rejects them.
fn is_lenient(def: &MarkerDef) -> bool {
    def.name.starts_with("k8s:") || def.name.starts_with("genclient")
}

/// Whether no other output than CRDs, and validation by their schemas, depends on a marker.
const fn is_only_in_crds(def: &MarkerDef) -> bool {
    def.schema.is_some() || def.only_in_crds
}

/// Whether a marker above a type's doc comment belongs to the package. For optional and required,
/// controller-gen knows only the package-level form.
fn is_of_package(def: &MarkerDef) -> bool {
    let is_presence =
        [ValidationOptional::DEF.name, ValidationRequired::DEF.name].contains(&def.name);
    let is_of_type = def.allows(Target::Type) && !is_presence;
    !is_of_type && def.allows(Target::Package)
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
        Target::Package => "apart from any type, it applies to the package",
        Target::Type => "this applies to a type",
        _ => "this applies to a field",
    };
    Diagnostic::warning(format!("`+{name}` has no effect here"))
        .at(place, label)
        .help(format!("put it {}", words.join(" or ")))
}

/// Keeps one of several equal markers that do not repeat: the last, or for a package the first, as
/// Go's generators do. Warns about duplicate and contradictory markers.
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
    join_resources(set);
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

/// The arguments of `+kubebuilder:resource` that hold until a later marker sets them; a later
/// marker resets all others.
const LASTING: [&str; 2] = ["path", "singular"];

/// Adds the plural and singular of earlier `+kubebuilder:resource` markers to later ones without,
/// as controller-gen applies them in turn.
fn join_resources(set: &mut MarkerSet) {
    let mut lasting: Vec<Argument> = Vec::new();
    for marker in set.0.iter_mut().filter(|marker| marker.is::<Resource>()) {
        let own: Vec<Argument> = marker.arguments.clone();
        let is_new = |earlier: &Argument| own.iter().all(|own| own.name != earlier.name);
        let earlier = lasting.iter().filter(|earlier| is_new(earlier)).cloned();
        marker.arguments.extend(earlier);
        let lasts = |argument: &&Argument| LASTING.contains(&argument.name);
        lasting = marker.arguments.iter().filter(lasts).cloned().collect();
    }
}
