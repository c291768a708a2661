//! `generated/mod.rs`.

use quote::quote;

use super::{Emit, Files, context::ident};
use crate::options::Generator;

/// ```ignore
/// pub mod clientset;
/// pub mod informers;
/// pub mod listers;
/// ```
pub(crate) fn emit(cx: &Emit<'_>, files: &mut Files) {
    let folders = [
        (Generator::Client, "clientset"),
        (Generator::Informer, "informers"),
        (Generator::Lister, "listers"),
    ];
    let modules: Vec<_> = folders
        .into_iter()
        .filter(|&(generator, _)| cx.options.emits(generator))
        .map(|(_, folder)| ident(folder))
        .collect();
    if modules.is_empty() {
        return;
    }
    files.rust(
        "generated/mod.rs",
        quote! {
            //! Clients, listers and informers.
            #(pub mod #modules;)*
        },
    );
}
