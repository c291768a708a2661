//! `generated/apis/`: a module for each version whose types stand anywhere in crates. It re-exports
//! them under the names that all other generated code uses.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, by_group, ident, module_docs, path},
    register,
};
use crate::{
    generator::{Generator, Home},
    model::{Group, Version},
    options::Visibility,
};

/// The folder, in that of clientset, listers and informers.
pub(crate) const FOLDER: &str = "apis";

/// Whether types of the API are re-exported.
pub(super) fn are_emitted(cx: &Emit<'_>) -> bool {
    cx.api.versions().any(|(_, version)| version.reexported)
}

/// Emits the module files down to the version level.
pub(super) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let versions = cx.api.versions().filter(|(_, version)| version.reexported);
    let groups = by_group(versions);
    if groups.is_empty() {
        return;
    }
    let members: Vec<&Group> = groups.iter().map(|(group, _)| *group).collect();
    files.rust(format!("generated/{FOLDER}/mod.rs"), move || {
        let features = members.iter().map(|group| cx.feature(group));
        let modules = members.iter().map(|group| ident(&group.module));
        let docs = module_docs("The types of the API where they stand, by group and version.");
        quote!(#docs #(#features pub mod #modules;)*)
    });
    for (group, versions) in groups {
        for &version in &versions {
            files.rust(format!("{}/mod.rs", version.dir), || {
                emit_version(cx, group, version)
            });
        }
        files.rust(
            format!("generated/{FOLDER}/{}/mod.rs", group.module),
            move || {
                let docs = module_docs(&format!("Types of `{}`.", group.name));
                let allowed = versions
                    .iter()
                    .map(|version| super::modules::inception(group, version));
                let modules = versions.iter().map(|version| ident(&version.module));
                quote!(#docs #(#allowed pub mod #modules;)*)
            },
        );
    }
}

/// ```ignore
/// //! Types of `cloudnative.czs/v1alpha1`.
///
/// pub mod zz_generated_register;
///
/// pub use crate::crd::VirtualMachine;
/// pub use self::zz_generated_register::{GROUP_NAME, VERSION, add_to_scheme, group_version, kind, resource};
/// ```
fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!("Types of `{}`.", api_version(group, version)));
    let beside = Generator::ALL.into_iter().filter_map(|generator| {
        let Home::Beside { module, public } = generator.definition().home else {
            return None;
        };
        let has_file = cx.options.emits(generator) && generator != Generator::Deepcopy;
        let module = ident(module);
        let public = public.then(|| quote!(pub));
        has_file.then(|| quote!(#public mod #module;))
    });
    let register = cx
        .options
        .emits(Generator::Register)
        .then(register::reexport);
    // Those of types of other crates are functions.
    let functions = [
        (Generator::Validate, "validate", "zz_generated_validate"),
        (Generator::Defaults, "defaults", "zz_generated_defaults"),
    ];
    let functions = functions
        .into_iter()
        .filter_map(|(generator, feature, module)| {
            let has_functions =
                cx.options.emits(generator) && super::validate::has_functions(version);
            let module = ident(module);
            has_functions.then(|| {
                quote! {
                    #[cfg(feature = #feature)]
                    pub use self::#module::*;
                }
            })
        });
    let mut uses: BTreeMap<Import<'_>, BTreeSet<Exported<'_>>> = BTreeMap::new();
    for def in &version.types {
        let at = def.item.as_ref().and_then(|item| item.path.as_ref());
        if let Some((at, (module, name))) = at.and_then(|at| Some((at, at.path.rsplit_once("::")?)))
        {
            let is_public = at.public || cx.options.types.visibility == Visibility::Crate;
            let names = uses.entry(Import { module, is_public }).or_default();
            names.insert(Exported {
                name,
                own: &def.name,
            });
        }
    }
    let types = uses.iter().map(|(import, names)| import.emit(names));
    quote!(#docs #(#beside)* #(#types)* #register #(#functions)*)
}

/// The module that types are imported from.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Import<'a> {
    module: &'a str,
    /// Whether other crates may name the types.
    is_public: bool,
}

/// A type under its own name, and under that of the model.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Exported<'a> {
    name: &'a str,
    own: &'a str,
}

impl Import<'_> {
    /// `pub use crate::crd::{VirtualMachine, VirtualMachineSpec};`
    fn emit(&self, names: &BTreeSet<Exported<'_>>) -> TokenStream {
        let module = path(self.module);
        let names: Vec<TokenStream> = names.iter().map(Exported::emit).collect();
        let names = match names.as_slice() {
            [only] => quote!(#only),
            names => quote!({ #(#names),* }),
        };
        if self.is_public {
            return quote!(pub use #module::#names;);
        }
        // Each is used only by the generated code that needs it.
        quote!(#[allow(unused_imports)] pub(crate) use #module::#names;)
    }
}

impl Exported<'_> {
    fn emit(&self) -> TokenStream {
        let (name, own) = (path(self.name), ident(self.own));
        match own == self.name {
            true => name,
            false => quote!(#name as #own),
        }
    }
}
