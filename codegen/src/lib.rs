//! A code generator for typed Kubernetes APIs.
//!
//! It reads annotated Rust types or `CustomResourceDefinition` YAML and gives types, clientsets, listers, informers,
//! object implementations and scheme registration. [`generate`] is a pure function from [`Sources`] and [`Options`] to a
//! [`Tree`] of files; only [`mod@write`] touches the disk. Build scripts and the `kube-codegen` binary both go through
//! [`Config`].
//!
//! Start reading at [`generate`]: read, lower, check, emit, format, in that order.

pub mod check;
pub mod config;
pub mod diag;
pub mod emit;
mod format;
pub mod lower;
pub mod model;
pub mod options;
pub mod plan;
pub mod read;
pub mod scaffold;
mod source;
mod stack;
mod suggest;
pub mod write;

pub use config::Config;
pub use diag::{Diagnostic, Diagnostics};
pub use options::{Filters, Generator, Options};
pub use source::{RustPackage, Source, Sources};
pub use write::{Mode, Tree};

/// Generates every file that the options ask for.
///
/// Pure: the same sources and options give the same bytes, whatever the order of the files, the time or the machine.
///
/// # Errors
///
/// All diagnostics of the first stage that found an error; nothing is generated then.
pub fn generate(sources: &Sources, options: &Options) -> Result<Tree, Diagnostics> {
    stack::on_deep_stack(|| emit::emit(&lower_all(sources, options)?.0, options))
}

/// Reads, lowers and checks the sources without emitting: what `kube-codegen inspect` shows.
///
/// # Errors
///
/// All diagnostics of the first stage that found an error.
pub fn load(sources: &Sources, options: &Options) -> Result<model::ApiSet, Diagnostics> {
    load_with_warnings(sources, options).map(|(api, _)| api)
}

/// Like [`load`], with the warnings: what was found and does not stop generation.
///
/// # Errors
///
/// All diagnostics of the first stage that found an error.
pub fn load_with_warnings(
    sources: &Sources,
    options: &Options,
) -> Result<(model::ApiSet, Diagnostics), Diagnostics> {
    stack::on_deep_stack(|| lower_all(sources, options))
}

fn lower_all(
    sources: &Sources,
    options: &Options,
) -> Result<(model::ApiSet, Diagnostics), Diagnostics> {
    let read = read::read(sources, options)?;
    let (api, warnings) = lower::lower(read, options)?;
    check::check(&api)?;
    Ok((api, warnings))
}
