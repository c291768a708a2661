//! The texts of Go packages, each parsed once, whoever asks first.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    sync::Arc,
};

use memchr::memmem;

use super::{
    constraint,
    parse::{self, SyntaxError},
    pieces,
    syntax::{File, Span},
};
use crate::{
    diag::{Diagnostic, Place},
    source::Source,
};

/// The Go packages of one generation: those asked for, and those whose types they use.
#[derive(Clone, Debug, Default)]
pub struct GoSources {
    /// The packages, sorted by import path.
    pub packages: Vec<GoPackage>,
    /// The names of other packages that are imported, by import path, where the path does not show them.
    pub names: BTreeMap<String, String>,
    /// The packages whose types are used and that are not there, by import path, with the error that it is where one of the types
    /// is needed.
    pub missing: BTreeMap<String, Diagnostic>,
    /// The modules below the folders that were asked for that declare kinds and are not read, by path, with the warning about it.
    pub elsewhere: BTreeMap<String, Diagnostic>,
    /// The types of packages of other modules that are read, by import path; all of them if it is not given.
    pub used: Option<BTreeMap<String, BTreeSet<String>>>,
}

/// A package's files.
#[derive(Clone, Debug)]
pub struct GoPackage {
    /// The import path.
    pub path: String,
    /// The module that it belongs to; `std` for the standard library.
    pub module: String,
    /// The module's version; none for the main module, a replaced folder or the standard library.
    pub version: Option<String>,
    /// Whether it belongs to the main module: its author reads what is found in it.
    pub main: bool,
    /// The folder, as diagnostics show it.
    pub dir: String,
    /// Whether the user asked for it.
    pub requested: bool,
    /// The files that the build takes by their name, sorted by name.
    pub files: Vec<GoFile>,
}

/// A file with its syntax.
#[derive(Clone)]
pub struct GoFile {
    /// The text.
    pub source: Source,
    /// The source's name, shared by all places in the file.
    name: Arc<str>,
    syntax: Arc<Parsed>,
}

/// The syntax of a file; none if a build constraint leaves the file out, or if it declares nothing of interest.
type Parsed = Option<Result<File, SyntaxError>>;

impl GoFile {
    /// Parses a file.
    #[must_use]
    pub fn new(source: Source) -> Self {
        let text = &source.text;
        let syntax = constraint::builds_text(text).then(|| pieces::parse(text));
        Self::with(source, syntax)
    }

    fn with(source: Source, syntax: Parsed) -> Self {
        Self {
            name: source.name.as_str().into(),
            syntax: Arc::new(syntax),
            source,
        }
    }

    /// A file of another module that [declares nothing](is_barren) that fields are made of, and whose text is not held.
    pub(crate) fn barren(name: String) -> Self {
        Self::with(Source::new(name, ""), None)
    }

    /// The syntax of a file that belongs to the build and that could be parsed.
    pub(super) fn file(&self) -> Option<&File> {
        self.syntax.as_ref().as_ref()?.as_ref().ok()
    }

    /// Its syntax error, if any.
    pub(super) fn syntax_error(&self) -> Option<Diagnostic> {
        let error = self.syntax.as_ref().as_ref()?.as_ref().err()?;
        let place = self.place(error.range.clone());
        Some(Diagnostic::error(error.message.as_str()).at(place, error.label.as_str()))
    }

    /// Whether it may name the API group, by `+groupName` or a constant.
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
    /// A package of a main module that is asked for: import path, module, folder as diagnostics show it, and files.
    #[must_use]
    pub fn requested(path: &str, module: &str, dir: &str, files: Vec<Source>) -> Self {
        Self {
            path: path.to_owned(),
            module: module.to_owned(),
            version: None,
            main: true,
            dir: dir.to_owned(),
            requested: true,
            files: files.into_iter().map(GoFile::new).collect(),
        }
    }

    /// The files that belong to the build and that could be parsed.
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

/// Whether a file that begins so is generated, and so in Go's layout.
pub(crate) fn is_generated(head: &[u8]) -> bool {
    has(head, " DO NOT EDIT.\n") && (has(head, "// Code generated ") || has(head, SWAGGER))
}

/// The generators of Kubernetes that write functions and variables alone, whatever they read.
const WRITE_FUNCTIONS: [&str; 6] = [
    "conversion-gen",
    "deepcopy-gen",
    "defaulter-gen",
    "openapi-gen",
    "prerelease-lifecycle-gen",
    "validation-gen",
];

/// The line behind which swagger docs stand.
const SWAGGER: &str = "\n// AUTO-GENERATED FUNCTIONS START HERE. DO NOT EDIT.\n";

/// Whether a generated file that begins so is [barren](is_barren) to its end, by what its head says of the generator.
pub(crate) fn is_barren_by_head(head: &[u8]) -> bool {
    let clause = memmem::find(head, b"\npackage ").unwrap_or(head.len());
    let (comment, body) = head.split_at(clause);
    let by = |name: &&str| {
        has(
            comment,
            &format!("// Code generated by {name}. DO NOT EDIT.\n"),
        )
    };
    // The documentation for Swagger names no generator.
    let before = memmem::find(body, SWAGGER.as_bytes()).and_then(|at| body.get(..at));
    let is_swagger = || has(body, " generate Swagger API documentation ");
    WRITE_FUNCTIONS.iter().any(by) || before.is_some_and(is_barren) && is_swagger()
}

/// Whether whole lines of a generated file, which is barren so far, show that it is to its end: with gogoproto's first encoder, all
/// messages have been declared.
pub(crate) fn is_barren_behind(lines: &[u8]) -> bool {
    has(lines, ") Marshal() (dAtA []byte, err error) {\n")
}

/// Whether whole lines of a generated file, each with the line end before it, declare neither types nor constants nor how types write
/// themselves. The methods for protobuf and deep copies are four fifths of a package of Kubernetes.
pub(crate) fn is_barren(lines: &[u8]) -> bool {
    let is_named = |at: usize| {
        !lines
            .get(at..)
            .is_some_and(|rest| rest.starts_with(b"\nconst _ "))
    };
    // Those of protobuf and of JSON begin alike: they are told apart where they stand, which is one search for all.
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

/// The name in the package clause of a file of the build.
#[must_use]
pub fn package_name(text: &str) -> Option<&str> {
    constraint::builds_text(text).then(|| parse::package_clause(text).ok())?
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
        // It writes apply configurations too.
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
