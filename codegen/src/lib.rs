//! A code generator for typed Kubernetes APIs.
//!
//! It reads annotated Rust types, Go types or `CustomResourceDefinition` YAML and generates types,
//! clientsets, listers, informers, object implementations and scheme registration. [`generate`] is
//! a pure function from [`Sources`] and [`Options`] to the [`Tree`] of files; only [`output`]
//! touches the disk. Build scripts and the `kube-codegen` binary both go through [`Config`].
//!
//! Start reading at [`generate`]: read, lower, check, emit, format, in that order.
//!
//! What the documentation shows is for users. Modules that it does not show are the stages
//! themselves, for the tests of this repository, and change with any release.

#![cfg_attr(
    not(feature = "cli"),
    allow(
        dead_code,
        unused_imports,
        reason = "the command alone uses some items"
    )
)]

/// Table-driven tests: calls a test's check with each row. Rows stay on one line each, which
/// rustfmt would break up in plain calls.
#[cfg(test)]
macro_rules! rows {
    ($check:ident: $($row:tt),+ $(,)?) => {
        $($check $row;)+
    };
}

#[doc(hidden)]
pub mod builtin;
#[cfg(feature = "go")]
#[doc(hidden)]
pub mod builtin_table;
mod cel;
#[doc(hidden)]
pub mod check;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(feature = "cli")]
mod compat;
pub mod config;
mod conversion;
pub mod diag;
#[doc(hidden)]
pub mod emit;
mod generator;
#[cfg(feature = "go")]
mod graph;
mod header;
pub mod kubernetes;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod lint;
#[doc(hidden)]
pub mod lower;
#[doc(hidden)]
pub mod model;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod operator;
pub mod options;
pub mod output;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod package;
#[doc(hidden)]
pub mod read;
#[doc(hidden)]
pub mod record;
mod release;
#[doc(hidden)]
pub mod scaffold;
mod source;
mod sparse;
mod suggest;
mod threads;

use std::mem;

pub use config::Config;
pub use diag::{Diagnostic, Diagnostics};
pub use generator::Generator;
pub use kubernetes::{KubernetesTypes, KubernetesVersion};
pub use lower::crd::{Explained, Verdict};
pub use options::{Compat, DocsFormat, Filters, Manifests, Options};
pub use output::{Mode, Tree};
pub use read::Sources;
pub use record::Record;
pub use source::{RustFeatures, RustPackage, Source};

use self::{
    model::ApiSet,
    read::{Parsed, crd::ReadCrds},
};

/// The result of a generation.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Generated {
    /// The API model.
    pub api: ApiSet,
    /// The files of all generators that the options select.
    pub files: Tree,
    /// The manifests, if the options ask for them; paths are relative to the crate's folder.
    pub manifests: Tree,
    /// The contents of the name record, if the options ask for one and there are types from CRDs.
    pub names: Option<String>,
    /// Findings that did not stop generation.
    pub warnings: Diagnostics,
    /// The errors of CRDs that were skipped; empty unless [`Options::faulty`] allows skipping.
    pub skipped: Diagnostics,
}

/// Reads the sources and generates every file that the options ask for. Without generators, it only
/// reads and checks.
///
/// Pure: the same sources and options give the same bytes, regardless of file order, time or
/// machine. Parallel work runs on a thread pool that all calls share.
///
/// # Errors
///
/// All errors that one run can find; then nothing is generated.
pub fn generate(sources: &Sources, options: &Options) -> Result<Generated, Diagnostics> {
    threads::run(|| {
        options.check()?;
        generate_from(read::read(sources, options), options)
    })?
}

/// Like [`generate`], from sources that are already parsed.
fn generate_from(mut read: Parsed, options: &Options) -> Result<Generated, Diagnostics> {
    threads::run(|| {
        let mut skipped = mem::take(&mut read.skipped);
        skipped.sort();
        let (api, mut warnings) = model_from(read, options)?;
        skipped.extend(warnings.split_errors());
        emit::features::check(&api, options)?;
        if api.groups.is_empty() && !options.emit.is_empty() {
            skipped.extend(no_api(warnings, &options.filters));
            return Err(skipped);
        }
        let manifests = emit::manifests::emit(&api, options, (&mut warnings, &mut skipped))?;
        emit::warn_of_attributes(&api, options, &mut warnings);
        warnings.sort();
        let files = emit::emit(&api, options)?;
        let names = options.record.as_ref().and_then(|older| {
            let record = Record::of(&api, options.recognition());
            match skipped.as_slice() {
                [] => record.text(),
                _ => record.with_rest_of(older).text(),
            }
        });
        Ok(Generated {
            api,
            files,
            manifests,
            names,
            warnings,
            skipped,
        })
    })?
}

/// Lowers the parsed sources to the model, with warnings.
fn model_from(read: Parsed, options: &Options) -> Result<(ApiSet, Diagnostics), Diagnostics> {
    let (api, mut warnings) = lower::lower(read, options)?;
    let skipped = warnings.split_errors();
    check::check(&api, options, &mut warnings)?;
    warnings.extend(skipped);
    Ok((api, warnings))
}

/// Explains why the object schema at a path of the sources' CRDs, and those nested in it, became
/// Kubernetes types or types of their own. The path is a kind followed by the properties that lead
/// to the object: `VirtualMachine.spec.template`.
///
/// # Errors
///
/// All errors in the CRDs, or that no CRD has the path.
pub fn explain(
    sources: &Sources,
    options: &Options,
    path: &str,
) -> Result<Vec<Explained>, Diagnostics> {
    threads::run(|| {
        options.check()?;
        explain_from(&read::crd::read(&sources.crds, options), options, path)
    })?
}

/// Like [`explain`], from CRDs that are already parsed.
fn explain_from(
    read: &ReadCrds,
    options: &Options,
    path: &str,
) -> Result<Vec<Explained>, Diagnostics> {
    if read.found.has_errors() {
        return Err(read.found.clone());
    }
    lower::crd::explain(&read.crds, options, path)
}

/// The error that there is nothing to generate, with the warnings that may explain it.
fn no_api(mut warnings: Diagnostics, filters: &options::Filters) -> Diagnostics {
    let wanted = filters.versions.join("`, `");
    let (message, help) = match wanted.as_str() {
        "" => (
            "the input contains no API".to_owned(),
            "`kube-codegen inspect` shows what is read; see the filters for group, version and kind too",
        ),
        wanted => (
            format!("the input contains no API of version `{wanted}`"),
            "change the filter; of CRDs, a version that is not served needs `all-versions` too",
        ),
    };
    warnings.push(Diagnostic::error(message).help(help));
    warnings
}

/// Loads the API model of sources, for tests of the stages before the generators.
#[cfg(test)]
fn load(sources: &Sources, options: &Options) -> Result<model::ApiSet, Diagnostics> {
    generate(sources, options).map(|generated| generated.api)
}
