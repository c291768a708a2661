//! Emitters: from the model to files.

mod apis;
mod clientset;
mod context;
mod docs;
mod fake;
mod fields;
mod generated;
mod informer;
mod lister;
mod modules;
mod object;
mod reference;
mod register;
#[cfg(test)]
mod tests;
mod types;

pub(crate) use context::Emit;
use proc_macro2::TokenStream;

use crate::{
    diag::{Diagnostic, Diagnostics},
    format,
    model::ApiSet,
    options::{Generator, Options},
    write::Tree,
};

/// Runs the emitters that the options ask for.
///
/// # Errors
///
/// A finding for each file whose tokens are no Rust, which is a defect of an emitter.
pub fn emit(api: &ApiSet, options: &Options) -> Result<Tree, Diagnostics> {
    let cx = Emit { api, options };
    let mut files = Files::default();
    if options.emits(Generator::Types) {
        types::emit(&cx, &mut files);
        apis::emit(&cx, &mut files);
    }
    if options.emits(Generator::Deepcopy) {
        object::emit(&cx, &mut files);
    }
    if options.emits(Generator::Register) {
        register::emit(&cx, &mut files);
    }
    generated::emit(&cx, &mut files);
    if options.emits(Generator::Client) {
        clientset::emit(&cx, &mut files);
        if options.emits(Generator::Fake) {
            fake::emit(&cx, &mut files);
        }
    }
    if options.emits(Generator::Lister) {
        lister::emit(&cx, &mut files);
    }
    if options.emits(Generator::Informer) {
        informer::emit(&cx, &mut files);
    }
    files.format(options)
}

/// Files as tokens, gathered from all emitters and formatted together.
#[derive(Debug, Default)]
pub(crate) struct Files(Vec<(String, TokenStream)>);

impl Files {
    /// Adds a Rust file at a path relative to the crate's `src`, with `/` between the parts.
    pub(crate) fn rust(&mut self, path: impl Into<String>, tokens: TokenStream) {
        self.0.push((path.into(), tokens));
    }

    fn format(self, options: &Options) -> Result<Tree, Diagnostics> {
        let mut diagnostics = Diagnostics::new();
        let mut tree = Tree::new();
        for (path, tokens) in self.0 {
            match format::rust_file(options.header.as_deref(), tokens) {
                Ok(text) => {
                    tree.insert(path.into(), text);
                }
                Err(error) => diagnostics.push(Diagnostic::error(format!(
                    "generated file {path} is no Rust: {error}"
                ))),
            }
        }
        diagnostics.finish(tree)
    }
}
