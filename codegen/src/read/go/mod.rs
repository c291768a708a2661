//! Reads the API types of Go packages from source, without a Go toolchain.
//!
//! The parser is handwritten and reads declarations only. It skips function bodies, which are most
//! of a Go file, byte by byte. A general Go grammar (tree-sitter's was measured) takes twenty times
//! as long, needs hundreds of megabytes for a large file, and reports errors lines away from their
//! cause. The output is plain data with places. Start reading at [`read`], then [`Package`].

mod check;
mod comments;
mod constraint;
mod consts;
mod decls;
mod docs;
mod exprs;
mod file;
mod literal;
mod package;
mod parse;
mod pieces;
mod reach;
mod resolve;
mod scan;
mod sources;
mod syntax;
mod tag;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

pub use constraint::Build;
pub use package::{
    Const, ConstValue, EnumLiteral, Field, Import, MarshalKind, Marshaler, Package, Tag, Type,
    TypeDecl,
};
use rayon::prelude::*;
pub use sources::{GoFile, GoPackage, GoSources, package_name};

use self::{file::FileReader, resolve::Index};
pub(crate) use self::{
    reach::{Kinds, Known, META, Wanted, first_kind, wanted},
    sources::{is_barren, is_barren_behind, is_barren_by_head, is_generated},
};
use crate::{
    diag::{Diagnostic, Diagnostics},
    options::Compat,
    read::{
        crate_markers,
        markers::{IgnoredMarkers, MarkerSet},
    },
};

/// The Go packages of one run.
#[derive(Debug, Default)]
pub struct Module {
    /// The packages, sorted by import path.
    pub packages: Vec<Package>,
    /// The missing packages, as in [`GoSources::missing`].
    pub missing: BTreeMap<String, Diagnostic>,
    /// Errors in markers of CRDs and their schemas, which matter only if a schema is used.
    pub rules: Diagnostics,
    /// The rules and webhooks of all packages that the patterns match.
    pub crate_markers: MarkerSet,
    /// Findings about them, which matter only if roles or webhooks are written.
    pub crate_findings: Diagnostics,
}

/// The findings of a package, and its unknown markers by name.
#[derive(Debug, Default)]
struct Findings {
    diagnostics: Diagnostics,
    /// Findings about markers that only CRDs and their schemas need.
    rules: Diagnostics,
    unknown: Unknown,
}

/// One warning per marker name, with the number of further occurrences.
type Unknown = BTreeMap<String, (Diagnostic, usize)>;

impl Findings {
    /// Adds the findings of another part of the package.
    fn extend(&mut self, other: Self) {
        self.diagnostics.extend(other.diagnostics);
        self.rules.extend(other.rules);
        for (name, (diagnostic, count)) in other.unknown {
            self.unknown
                .entry(name)
                .and_modify(|(_, more)| *more += 1 + count)
                .or_insert((diagnostic, count));
        }
    }
}

/// Reads all packages, sorted by import path. Types that the API reaches are complete. Other types
/// may refer to packages that are not among the sources; undeclared types stay [`Type::Local`], and
/// generic types are only recorded as generic.
///
/// In the main module, markers that Go's generators silently ignore are warnings, and markers that
/// they reject are errors. In other modules, which belong to other authors, markers count as far as
/// they can be parsed. `compat` decides how duplicate arguments are handled.
pub fn read(
    sources: &GoSources,
    ignored: IgnoredMarkers<'_>,
    compat: Compat,
    diagnostics: &mut Diagnostics,
) -> Module {
    let index = Index::new(sources);
    let read: Vec<(Option<Package>, Findings)> = sources
        .packages
        .par_iter()
        .map(|package| {
            let used = sources.used.as_ref().filter(|_| !package.main);
            let none = BTreeSet::new();
            let used = used.map(|used| used.get(&package.path).unwrap_or(&none));
            read_package(package, &index, (ignored, compat), used)
        })
        .collect();
    let mut packages = Vec::new();
    let mut all = Findings::default();
    for (package, findings) in read {
        packages.extend(package);
        all.extend(findings);
    }
    diagnostics.extend(all.diagnostics);
    for warning in sources.elsewhere.values() {
        diagnostics.push(warning.clone());
    }
    report_unknown(all.unknown, diagnostics);
    packages.sort_by(|a: &Package, b: &Package| a.path.cmp(&b.path));
    check::check(&packages, diagnostics);
    let mut crate_findings = Diagnostics::new();
    let files = sources.packages.iter().filter(|package| package.matched);
    let files = files.flat_map(|package| package.parsed().map(|(file, _)| &file.source));
    let crate_markers = crate_markers::read(files, ignored, compat, &mut crate_findings);
    Module {
        packages,
        missing: sources.missing.clone(),
        rules: all.rules,
        crate_markers,
        crate_findings,
    }
}

/// Reports one warning per marker name, however often it occurs.
fn report_unknown(unknown: Unknown, diagnostics: &mut Diagnostics) {
    for (diagnostic, more) in unknown.into_values() {
        diagnostics.push(match more {
            0 => diagnostic,
            1 => diagnostic.note("found in 1 more place"),
            _ => diagnostic.note(format!("found in {more} more places")),
        });
    }
}

fn read_package(
    source: &GoPackage,
    index: &Index<'_>,
    (ignored, compat): (IgnoredMarkers<'_>, Compat),
    used: Option<&BTreeSet<String>>,
) -> (Option<Package>, Findings) {
    let mut findings = Findings::default();
    for error in source.files.iter().filter_map(GoFile::syntax_error) {
        findings.diagnostics.push(error);
    }
    let Some((first, syntax)) = source.parsed().next() else {
        if source.requested && !findings.diagnostics.has_errors() {
            let message = format!("the package {} has no Go files", source.path);
            findings
                .diagnostics
                .push(Diagnostic::error(message).note(format!("its directory is {}", source.dir)));
        }
        return (None, findings);
    };
    let mut package = Package {
        path: source.path.clone(),
        name: first.text_of(&syntax.package).to_owned(),
        module: source.module.clone(),
        version: source.version.clone(),
        dir: source.dir.clone(),
        requested: source.requested,
        docs: String::new(),
        markers: MarkerSet::default(),
        place: first.place(syntax.package.clone()),
        imports: Vec::new(),
        types: Vec::new(),
        consts: Vec::new(),
        marshalers: Vec::new(),
    };
    for (file, syntax) in source.parsed() {
        check_clause(file, syntax, &package, &mut findings);
        let reader = FileReader::new(source, file, syntax, index, ignored, &mut findings);
        reader.only(used).matching(compat).read(&mut package);
    }
    comments::settle(&mut package.markers, source.main, true, &mut findings);
    package.imports.sort_by(|a, b| a.path.cmp(&b.path));
    package.imports.dedup_by(|a, b| a.path == b.path);
    package.consts = consts::read(source, index, used);
    check_duplicates(&package, &mut findings);
    (Some(package), findings)
}

/// Checks that all files of a directory declare the same package.
fn check_clause(file: &GoFile, syntax: &syntax::File, package: &Package, findings: &mut Findings) {
    let name = file.text_of(&syntax.package);
    if name == package.name {
        return;
    }
    findings.diagnostics.push(
        Diagnostic::error(format!("{} contains two packages", package.dir))
            .at(
                file.place(syntax.package.clone()),
                format!("this file belongs to `{name}`"),
            )
            .at(
                package.place.clone(),
                format!("this one belongs to `{}`", package.name),
            ),
    );
}

/// Checks that each type is declared only once.
fn check_duplicates(package: &Package, findings: &mut Findings) {
    let mut first: BTreeMap<&str, &TypeDecl> = BTreeMap::new();
    for decl in package.types.iter().filter(|decl| decl.name != "_") {
        if let Some(other) = first.insert(&decl.name, decl) {
            findings.diagnostics.push(
                Diagnostic::error(format!("`{}` is declared twice", decl.name))
                    .at(decl.place.clone(), "the second time")
                    .at(other.place.clone(), "the first time"),
            );
        }
    }
}
