//! A code generator for typed Kubernetes APIs.
//!
//! It reads annotated Rust types or `CustomResourceDefinition` YAML and gives types, clientsets, listers, informers,
//! object implementations and scheme registration. [`generate`] is a pure function from [`Sources`] and [`Options`] to the
//! [`Tree`] of files; only [`output`] touches the disk. Build scripts and the `kube-codegen` binary both go through
//! [`Config`].
//!
//! Start reading at [`generate`]: read, lower, check, emit, format, in that order.

/// A table of cases: calls a test's check with each row, on a line of its own whatever rustfmt would make of the call.
#[cfg(test)]
macro_rules! rows {
    ($check:ident: $($row:tt),+ $(,)?) => {
        $($check $row;)+
    };
}

pub mod builtin;
#[cfg(feature = "cel")]
mod cel;
pub mod check;
pub mod config;
pub mod diag;
pub mod emit;
#[cfg(feature = "go")]
mod graph;
pub mod lower;
pub mod model;
#[cfg(feature = "cli")]
pub mod operator;
pub mod options;
pub mod output;
pub mod read;
pub mod record;
pub mod scaffold;
mod source;
mod sparse;
mod suggest;
mod threads;

use std::mem;

pub use config::Config;
pub use diag::{Diagnostic, Diagnostics};
pub use emit::Generator;
pub use lower::crd::{Explained, Verdict};
pub use options::{Compat, Filters, KubernetesTypes, KubernetesVersion, Manifests, Options};
pub use output::{Mode, Tree};
pub use record::Record;
pub use source::{RustPackage, Source, Sources};

use self::{
    model::ApiSet,
    read::{Parsed, crd::ReadCrds},
};

/// The result of a generation.
#[derive(Clone, Debug, Default)]
pub struct Generated {
    /// The API that was read.
    pub api: ApiSet,
    /// The files of every generator that the options ask for.
    pub files: Tree,
    /// Manifests, if the options ask for them; paths are relative to the crate's folder.
    pub manifests: Tree,
    /// The text of the record of names, if the options ask for one and there are types from CRDs.
    pub names: Option<String>,
    /// Findings that did not stop generation.
    pub warnings: Diagnostics,
    /// The errors of CRDs that were left out, where [`Options::faulty`] asks for it.
    pub skipped: Diagnostics,
}

/// Reads the sources, and generates every file that the options ask for; with no generator, it reads and checks.
///
/// Pure: the same sources and options give the same bytes, whatever the order of the files, the time or the machine. Work is
/// done on threads of a pool that all calls share.
///
/// # Errors
///
/// All errors that one run can find; nothing is generated then.
pub fn generate(sources: &Sources, options: &Options) -> Result<Generated, Diagnostics> {
    threads::run(|| {
        options.check()?;
        generate_from(read::read(sources, options), options)
    })?
}

/// [`generate`], from what was read.
fn generate_from(mut read: Parsed, options: &Options) -> Result<Generated, Diagnostics> {
    threads::run(|| {
        let mut skipped = mem::take(&mut read.skipped);
        skipped.sort();
        let (api, mut warnings) = model_from(read, options)?;
        emit::features::check(&api, options)?;
        if api.groups.is_empty() && !options.emit.is_empty() {
            skipped.extend(no_api(warnings));
            return Err(skipped);
        }
        let manifests = emit::manifests::emit(&api, options, &mut warnings)?;
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

/// The model of what was read, and the warnings about it.
fn model_from(read: Parsed, options: &Options) -> Result<(ApiSet, Diagnostics), Diagnostics> {
    let (api, mut warnings) = lower::lower(read, options)?;
    check::check(&api, options.compat, &mut warnings)?;
    Ok((api, warnings))
}

/// Why the objects at a path of the sources' CRDs, and below it, became types of Kubernetes or types of their own; the path is a
/// kind with the properties that lead to the object: `VirtualMachine.spec.template`.
///
/// # Errors
///
/// Everything that is wrong with the CRDs, or that none of them has the path.
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

/// [`explain`], of CRDs that were read.
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

/// The finding that there is nothing to generate for, with the warnings that may say why.
fn no_api(mut warnings: Diagnostics) -> Diagnostics {
    let help = "`kube-codegen inspect` shows what is read; see the filters for group, version and kind too";
    warnings.push(Diagnostic::error("the input holds no API").help(help));
    warnings
}

/// The API of sources, for tests of the stages before generators.
#[cfg(test)]
fn load(sources: &Sources, options: &Options) -> Result<model::ApiSet, Diagnostics> {
    generate(sources, options).map(|generated| generated.api)
}
