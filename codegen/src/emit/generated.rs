//! `generated/mod.rs`.

use quote::quote;

use super::{Emit, Files, context::ident};
use crate::options::Generator;

/// ```ignore
/// pub mod clientset;
/// pub mod informers;
/// pub mod listers;
/// ```
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let folders = [
        (Generator::Client, "clientset"),
        (Generator::Informer, "informers"),
        (Generator::Lister, "listers"),
    ];
    let modules: Vec<_> = folders
        .into_iter()
        .filter(|&(generator, _)| cx.options.emits(generator))
        .map(|(_, folder)| folder)
        .collect();
    if modules.is_empty() {
        return;
    }
    files.rust("generated/mod.rs", move || {
        let modules = modules.iter().map(|module| ident(module));
        quote! {
            //! Clients, listers and informers.
            #(pub mod #modules;)*
        }
    });
}
