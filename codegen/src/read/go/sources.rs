//! The sources of Go packages, each file parsed only once.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use memchr::memmem;

use super::{
    constraint::Build,
    parse::{self, SyntaxError},
    pieces,
    syntax::{File, Span},
};
use crate::{
    diag::{Diagnostic, Place},
    source::Source,
};

/// The Go packages of one run: the requested ones, and those whose types they use.
#[derive(Clone, Debug, Default)]
pub struct GoSources {
    /// The packages, sorted by import path.
    pub packages: Vec<GoPackage>,
    /// The names of other imported packages, by import path, if the path does not imply them.
    pub names: BTreeMap<String, String>,
    /// The packages whose types are used but whose sources are missing, by import path, with the
    /// error to report if one of the types is needed.
    pub missing: BTreeMap<String, Diagnostic>,
    /// The modules within the requested directories that declare kinds but are not read, by path,
    /// with the warning to report.
    pub elsewhere: BTreeMap<String, Diagnostic>,
    /// The types to read from packages of other modules, by import path; `None` means all.
    pub used: Option<BTreeMap<String, BTreeSet<String>>>,
}

/// The files of a package.
#[derive(Clone, Debug)]
pub struct GoPackage {
    /// The import path.
    pub path: String,
    /// The module it belongs to; `std` for the standard library.
    pub module: String,
    /// The module's version; `None` for the main module, a replacement by a directory, or the
    /// standard library.
    pub version: Option<String>,
    /// Whether it belongs to the main module, so that findings are reported to its author.
    pub main: bool,
    /// The directory as shown in diagnostics.
    pub dir: String,
    /// Whether a pattern matches it, so that its rules and webhooks count.
    pub matched: bool,
    /// Whether its kinds are generated: it was named, or matched and has some.
    pub requested: bool,
    /// The files that are part of the build by name, sorted by name.
    pub files: Vec<GoFile>,
}

/// A file with its syntax.
#[derive(Clone)]
pub struct GoFile {
    /// The source.
    pub source: Source,
    /// The name of the source, shared by all places in the file.
    name: Arc<str>,
    syntax: Arc<Parsed>,
}

/// The syntax of a file; `None` if a build constraint excludes the file, or if it declares nothing
/// of interest.
type Parsed = Option<Result<File, SyntaxError>>;

impl GoFile {
    /// Parses a file for the default build.
    #[must_use]
    pub fn new(source: Source) -> Self {
        Self::built(source, &Build::default())
    }

    /// Parses a file for a build.
    #[must_use]
    pub fn built(source: Source, build: &Build) -> Self {
        let text = &source.text;
        let needs_c = |file: &File| file.imports.iter().any(|import| import.path == "C");
        let syntax = build.has_text(text).then(|| pieces::parse(text));
        let syntax = syntax.filter(|parsed| build.cgo || !parsed.as_ref().is_ok_and(needs_c));
        Self::with(source, syntax)
    }

    fn with(source: Source, syntax: Parsed) -> Self {
        Self {
            name: source.name.as_str().into(),
            syntax: Arc::new(syntax),
            source,
        }
    }

    /// Creates a file of another module that [declares nothing](is_barren) relevant to fields,
    /// without keeping its text.
    pub(crate) fn barren(name: String) -> Self {
        Self::with(Source::new(name, ""), None)
    }

    /// The syntax of a file that is part of the build and was parsed successfully.
    pub(super) fn file(&self) -> Option<&File> {
        self.syntax.as_ref().as_ref()?.as_ref().ok()
    }

    /// Its syntax error, if any.
    pub(super) fn syntax_error(&self) -> Option<Diagnostic> {
        let error = self.syntax.as_ref().as_ref()?.as_ref().err()?;
        let place = self.place(error.range.clone());
        Some(Diagnostic::error(error.message.as_str()).at(place, error.label.as_str()))
    }

    /// Whether it may declare the API group, with `+groupName` or a constant.
    pub(super) fn may_name_group(&self) -> bool {
        has(self.source.text.as_bytes(), "roupName")
    }

    pub(super) fn place(&self, range: Span) -> Place {
        Place {
            file: Arc::clone(&self.name),
            text: Arc::clone(&self.source.text),
            range,
        }
    }

    pub(super) fn text_of(&self, span: &Span) -> &str {
        self.source.text.get(span.clone()).unwrap_or_default()
    }
}

impl fmt::Debug for GoFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("GoFile").field(&self.source.name).finish()
    }
}

impl From<GoPackage> for GoSources {
    fn from(package: GoPackage) -> Self {
        Self {
            packages: vec![package],
            ..Self::default()
        }
    }
}

impl GoPackage {
    /// Creates a requested package of a main module, from its import path, module, directory as
    /// shown in diagnostics, and files.
    #[must_use]
    pub fn requested(path: &str, module: &str, dir: &str, files: Vec<Source>) -> Self {
        Self {
            path: path.to_owned(),
            module: module.to_owned(),
            version: None,
            main: true,
            dir: dir.to_owned(),
            matched: true,
            requested: true,
            files: files.into_iter().map(GoFile::new).collect(),
        }
    }

    /// The files that are part of the build and were parsed successfully.
    pub(super) fn parsed(&self) -> impl Iterator<Item = (&GoFile, &File)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.file()?)))
    }

    /// The name in its package clauses.
    pub(super) fn name(&self) -> Option<&str> {
        let (file, syntax) = self.parsed().next()?;
        Some(file.text_of(&syntax.package))
    }
}

/// Whether a file with this beginning is generated, and therefore in gofmt's layout.
pub(crate) fn is_generated(head: &[u8]) -> bool {
    has(head, " DO NOT EDIT.\n") && (has(head, "// Code generated ") || has(head, SWAGGER))
}

/// The Kubernetes generators that write only functions and variables.
const WRITE_FUNCTIONS: [&str; 6] = [
    "conversion-gen",
    "deepcopy-gen",
    "defaulter-gen",
    "openapi-gen",
    "prerelease-lifecycle-gen",
    "validation-gen",
];

/// The line that precedes Swagger documentation.
const SWAGGER: &str = "\n// AUTO-GENERATED FUNCTIONS START HERE. DO NOT EDIT.\n";

/// Whether a generated file with this beginning is [barren](is_barren) to its end, judging by the
/// generator named there.
pub(crate) fn is_barren_by_head(head: &[u8]) -> bool {
    let clause = memmem::find(head, b"\npackage ").unwrap_or(head.len());
    let (comment, body) = head.split_at(clause);
    let by = |name: &&str| {
        has(
            comment,
            &format!("// Code generated by {name}. DO NOT EDIT.\n"),
        )
    };
    // The Swagger documentation does not name its generator.
    let before = memmem::find(body, SWAGGER.as_bytes()).and_then(|at| body.get(..at));
    let is_swagger = || has(body, " generate Swagger API documentation ");
    WRITE_FUNCTIONS.iter().any(by) || before.is_some_and(is_barren) && is_swagger()
}

/// Whether complete lines of a generated file that is barren so far imply that the rest is barren
/// too: gogoproto declares all messages before its first encoder.
pub(crate) fn is_barren_behind(lines: &[u8]) -> bool {
    has(lines, ") Marshal() (dAtA []byte, err error) {\n")
}

/// Whether complete lines of a generated file, each including the preceding line end, declare no
/// types, constants or JSON marshalers. The methods for protobuf and deep copies are four fifths of
/// a Kubernetes package.
pub(crate) fn is_barren(lines: &[u8]) -> bool {
    let is_named = |at: usize| {
        !lines
            .get(at..)
            .is_some_and(|rest| rest.starts_with(b"\nconst _ "))
    };
    // Methods for protobuf and JSON start alike: one search finds both, and the rest of the name
    // distinguishes them.
    let writes_itself = |at: usize| {
        let method = lines.get(at..).unwrap_or_default();
        method.starts_with(b") MarshalJSON(") || method.starts_with(b") MarshalText(")
    };
    !has(lines, "\ntype")
        && !memmem::find_iter(lines, b"\nconst").any(is_named)
        && !memmem::find_iter(lines, b") Marshal").any(writes_itself)
}

fn has(text: &[u8], part: &str) -> bool {
    memmem::find(text, part.as_bytes()).is_some()
}

/// Returns the name in the package clause of a file, if the file is part of the build.
#[must_use]
pub fn package_name<'t>(text: &'t str, build: &Build) -> Option<&'t str> {
    build
        .has_text(text)
        .then(|| parse::package_clause(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generators_of_functions_are_known_by_the_head_alone() {
        let head = |name: &str| {
            format!("//go:build x\n\n// Code generated by {name}. DO NOT EDIT.\n\npackage v1\n")
        };
        for name in WRITE_FUNCTIONS {
            assert!(is_barren_by_head(head(name).as_bytes()), "{name}");
        }
        // It also writes apply configurations.
        for name in [
            "controller-gen",
            "protoc-gen-gogo",
            "applyconfiguration-gen",
            "",
        ] {
            assert!(!is_barren_by_head(head(name).as_bytes()), "{name}");
        }
        let quoted = "package v1\n// Code generated by deepcopy-gen. DO NOT EDIT.\n";
        assert!(!is_barren_by_head(format!("\n{quoted}").as_bytes()));
    }

    #[test]
    fn generated_files_without_types_are_passed_over() {
        #[track_caller]
        fn check(text: &str, parsed: bool) {
            let bytes = text.as_bytes();
            let by_head = is_barren_by_head(bytes);
            let barren = is_generated(bytes) && (by_head || is_barren(bytes));
            assert_eq!(barren, !parsed, "{text}");
            assert!(is_barren(bytes) || !by_head, "{text}");
            let own = GoFile::new(Source::new("a.go", text));
            assert!(own.file().is_some(), "{text}");
        }
        let generated = "// Code generated by protoc-gen-gogo. DO NOT EDIT.\npackage v1\n";
        let method = "func (m *Pod) Marshal() (dAtA []byte, err error) { return }\n";
        check(&format!("package v1\n{method}"), true);
        check(&format!("{generated}{method}"), false);
        check(
            &format!("{generated}const _ = proto.Version\n{method}"),
            false,
        );
        check(&format!("{generated}const _ = 1\nconst A Kind = 1\n"), true);
        check(&format!("{generated}{method}type Kind string\n"), true);
        let copies = "// Code generated by deepcopy-gen. DO NOT EDIT.\n\npackage v1\n";
        check(
            &format!("{copies}func (in *Pod) DeepCopy() *Pod {{ return nil }}\n"),
            false,
        );
        let docs = "package v1\n\n// This is a way to generate Swagger API documentation.\n\n\
            // AUTO-GENERATED FUNCTIONS START HERE. DO NOT EDIT.\nvar map_Pod = map[string]string{}\n";
        check(&format!("// A licence.\n{docs}"), false);
        check(
            &format!(
                "// A licence.\n{}",
                docs.replace("package v1\n", "package v1\ntype Kind string\n")
            ),
            true,
        );
        check(
            &format!(
                "{generated}func (k Kind) MarshalJSON() ([]byte, error) {{ return nil, nil }}\n"
            ),
            true,
        );
    }
}
