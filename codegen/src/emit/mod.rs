//! From the model to files: each [`Generator`] has its own module, which its row in the table of generators names.

pub(crate) mod api_docs;
mod apis;
mod apply;
mod clientset;
mod context;
mod conversion;
mod deepcopy;
mod defaults;
pub(crate) mod docs;
mod example;
mod fake;
pub(crate) mod features;
pub(crate) mod fields;
mod generated;
mod informer;
mod lister;
pub mod manifests;
mod modules;
pub mod rbac;
mod reexports;
mod reference;
mod register;
pub(crate) mod serde_attributes;
pub(crate) mod site;
#[cfg(test)]
mod tests;
mod types;
mod validate;
mod visibility;
pub mod webhooks;

pub(crate) use context::{Emit, ident};
pub(crate) use conversion::{Undecided, undecided};
use rayon::prelude::*;
use serde_json::Value;
pub(crate) use types::warn_of_attributes;

use crate::{
    diag::{Diagnostic, Diagnostics},
    generator::{Generator, generators},
    model::ApiSet,
    options::Options,
    output::{
        Tree,
        format::{self, Code},
        json,
    },
};

/// Runs the generators that the options select.
///
/// # Errors
///
/// One error for each file whose tokens are not valid Rust, which is a bug in a generator.
pub fn emit(api: &ApiSet, options: &Options) -> Result<Tree, Diagnostics> {
    let cx = Emit { api, options };
    let mut files = Files::default();
    for generator in Generator::ALL {
        if options.emits(generator) {
            run(generator, &cx, &mut files);
        }
    }
    reexports::emit(&cx, &mut files);
    generated::emit(&cx, &mut files);
    files.format(&cx)
}

macro_rules! dispatch {
    ($($(#[doc = $doc:literal])+ $variant:ident by $module:ident = $definition:expr;)+) => {
        /// Adds the files of a generator to the output.
        fn run<'a>(generator: Generator, cx: &'a Emit<'a>, files: &mut Files<'a>) {
            match generator {
                $(Generator::$variant => $module::emit(cx, files),)+
            }
        }
    };
}

generators!(dispatch);

/// A file before formatting.
enum Content {
    /// A Rust file.
    Rust(Code),
    /// A JSON file.
    Json(Value),
}

/// Produces a file. It runs on the thread that formats the file, since tokens are not `Send`.
type Job<'a> = Box<dyn FnOnce() -> Content + Send + 'a>;

/// Pending files of all emitters; they are emitted and formatted in parallel, each on one thread.
#[derive(Default)]
pub(crate) struct Files<'a>(Vec<(String, Job<'a>)>);

impl<'a> Files<'a> {
    /// Adds a Rust file at a path relative to the crate's `src`, with `/` as separator.
    pub(crate) fn rust<C: Into<Code>>(
        &mut self,
        path: impl Into<String>,
        emit: impl FnOnce() -> C + Send + 'a,
    ) {
        self.push(path, || Content::Rust(emit().into()));
    }

    /// Adds a JSON file.
    pub(crate) fn json(
        &mut self,
        path: impl Into<String>,
        emit: impl FnOnce() -> Value + Send + 'a,
    ) {
        self.push(path, || Content::Json(emit()));
    }

    fn push(&mut self, path: impl Into<String>, emit: impl FnOnce() -> Content + Send + 'a) {
        self.0.push((path.into(), Box::new(emit)));
    }

    fn format(self, cx: &Emit<'_>) -> Result<Tree, Diagnostics> {
        let header = cx.options.header.as_deref();
        let files: Vec<_> = self
            .0
            .into_par_iter()
            .with_max_len(1)
            .map(|(path, emit)| {
                let text = match emit() {
                    Content::Json(value) => Ok(json::print(&value)),
                    Content::Rust(code) => {
                        let tokens = cx.visible_file(code.tokens);
                        format::module_file(header, Code { tokens, ..code })
                    }
                };
                (path, text)
            })
            .collect();
        let mut diagnostics = Diagnostics::new();
        let mut tree = Tree::new();
        for (path, text) in files {
            match text {
                Ok(text) => {
                    tree.insert(path.into(), text);
                }
                Err(error) => diagnostics.push(Diagnostic::error(format!(
                    "generated file {path} is not valid Rust: {error}"
                ))),
            }
        }
        diagnostics.finish(tree)
    }
}
