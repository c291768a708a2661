//! Codes of errors: the table of classes, from which `kube-codegen explain K0101` and
//! `docs/errors.md` are made.
//!
//! A class is what one check finds, so the file that creates an error decides its code. Where a
//! check finds several, the site names the other with `Diagnostic::of`.

mod class;
mod config;
mod crd;
mod go;
mod manifests;
mod markers;
mod model;
mod rust;

use std::{fmt::Write as _, sync::LazyLock};

pub use class::{Class, Code, Example, GO_PRELUDE, RUST_PRELUDE};
pub(crate) use markers::CONTRADICTION;
pub(crate) use rust::{INVALID_ATTRIBUTE, UNSUPPORTED_ATTRIBUTE};

/// The classes by stage: the first two digits of a code.
pub const STAGES: &[(&str, &[Class])] = &[
    ("Configuration and commands", config::CLASSES),
    ("Markers", markers::CLASSES),
    ("Annotated Rust", rust::CLASSES),
    ("Go", go::CLASSES),
    ("CRDs", crd::CLASSES),
    ("Kinds, versions and conversions", model::CLASSES),
    ("Manifests", manifests::CLASSES),
];

/// The folder of this crate's sources, as the compiler writes it.
static SRC: LazyLock<String> = LazyLock::new(|| {
    let this = file!().replace('\\', "/");
    this.trim_end_matches("diag/codes/mod.rs").to_owned()
});

/// All classes, in the order of their codes.
pub fn classes() -> impl Iterator<Item = &'static Class> {
    STAGES.iter().flat_map(|(_, classes)| *classes)
}

impl Code {
    /// The code of errors that a source file of this crate creates.
    pub(super) fn of(file: &str) -> Option<Self> {
        let file = file.replace('\\', "/");
        let file = file.strip_prefix(SRC.as_str())?;
        let rows = classes().flat_map(|class| class.from.iter().map(move |from| (class, from)));
        let own = rows.filter(|(_, from)| match from.ends_with('/') {
            true => file.starts_with(**from),
            false => file == **from,
        });
        own.max_by_key(|(_, from)| from.len())
            .map(|(class, _)| class.code)
    }
}

/// The class with a code, written `K0101` or `k0101`.
#[must_use]
pub fn find(code: &str) -> Option<&'static Class> {
    classes().find(|class| class.code.to_string().eq_ignore_ascii_case(code))
}

impl Class {
    /// The explanation, in Markdown.
    #[must_use]
    pub fn explanation(&self) -> String {
        let Self {
            what,
            example,
            mend,
            ..
        } = self;
        let mut text = format!("{what}\n\n");
        let command = format!("kube-codegen {}", example.command);
        // Writing into a String cannot fail.
        let _ = match example.file.rsplit_once('.') {
            None => write!(text, "```sh\n{command}\n```\n\n"),
            Some((_, suffix)) => {
                let language = match suffix {
                    "rs" => "rust",
                    suffix => suffix,
                };
                let code = example.text.trim_end();
                let file = example.file;
                write!(
                    text,
                    "`{command}` fails with this `{file}`:\n\n```{language}\n{code}\n```\n\n"
                )
            }
        };
        text + mend + "\n"
    }
}

/// The reference page, in Markdown.
#[must_use]
pub fn page() -> String {
    let mut text = HEAD.to_owned();
    let _ = write!(
        text,
        "{HELD}\n```rust\n{}\n```\n\nExamples in Go start with:\n\n{HELD}\n```go\n{}\n```\n",
        RUST_PRELUDE.trim_end(),
        GO_PRELUDE.trim_end()
    );
    for (stage, classes) in STAGES {
        let _ = write!(text, "\n## {stage}\n");
        for class in *classes {
            let explanation = class.explanation();
            // What holds the examples of this page is said for each block.
            let explanation = explanation.replacen("```", &format!("{HELD}\n```"), 1);
            let _ = write!(
                text,
                "\n### {}: {}\n\n{explanation}",
                class.code, class.title
            );
        }
    }
    text
}

/// Above each block of the page: tests of the book want to know what holds it.
const HELD: &str = "<!-- read by: codegen/tests/generator/codes.rs -->";

const HEAD: &str = "\
# Errors

<!-- Written by `UPDATE_GOLDEN=1 cargo test --test generator codes`; the table is codegen/src/diag/codes. -->

Errors about input have a code, `error[K0101]: …`, which stands for a class of errors: the message says what is wrong in this case,
and `kube-codegen explain K0101` prints what this page says of the class. A code keeps its meaning from release to release.

Wrong usage of the command and files that cannot be written have no code. Findings of `lint` and `diff` have the name of their rule.

Examples in Rust start with these lines, which they do not repeat:

";
