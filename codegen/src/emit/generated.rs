//! `generated/mod.rs`.

use std::collections::BTreeSet;

use quote::quote;

use super::{Emit, Files, context::ident, reexports};
use crate::generator::Generator;

/// ```ignore
/// ::codegen_runtime::generated_by!("0.1");
///
/// pub mod clientset;
/// pub mod informers;
/// pub mod listers;
/// ```
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let emitted = Generator::ALL
        .into_iter()
        .filter(|&generator| cx.options.emits(generator));
    let mut modules: BTreeSet<_> = emitted
        .filter_map(|generator| generator.definition().home.generated_module())
        .collect();
    if reexports::are_emitted(cx) {
        modules.insert(reexports::FOLDER);
    }
    if modules.is_empty() {
        return;
    }
    files.rust("generated/mod.rs", move || {
        let modules = modules.iter().map(|module| ident(module));
        let made = cx.generated_by();
        quote! {
            //! Clients, listers and informers.
            #made
            #(pub mod #modules;)*
        }
    });
}
