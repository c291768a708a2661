//! `zz_generated_deepcopy.rs`: `Clone`, serde of root types, and the traits that make a type a Kubernetes object.
//!
//! For generated types, the version's `mod.rs` lists the objects instead: see [`kinds`].

mod clone;
mod kinds;
mod serde;
mod traits;

use proc_macro2::TokenStream;
use quote::quote;

use super::{
    Emit, Files,
    context::{api_version, ident, module_docs},
};
use crate::model::{Field, Group, Resource, TypeDef, TypeKind, Version};

/// Emits the file beside the types of every version whose objects are not listed.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    // What kube-derive leaves to be derived is not generated.
    let versions = cx.api.versions().filter(|(_, version)| !version.reexported);
    for (group, version) in versions {
        if kinds(cx, group, version).is_none() {
            files.rust(format!("{}/zz_generated_deepcopy.rs", version.dir), || {
                emit_file(cx, group, version)
            });
        }
    }
}

/// The formatted list of a version's objects, if its `mod.rs` has one.
pub(crate) fn kinds(cx: &Emit<'_>, group: &Group, version: &Version) -> Option<String> {
    let objects = objects(cx, group, version);
    kinds::are_listed(cx, version, &objects).then(|| kinds::emit(cx, group, version, &objects))
}

fn emit_file(cx: &Emit<'_>, group: &Group, version: &Version) -> TokenStream {
    let docs = module_docs(&format!(
        "`Clone`, serde and object traits of `{}`.",
        api_version(group, version)
    ));
    let objects = objects(cx, group, version);
    let clones = version.types.iter().map(clone::emit);
    let traits = objects
        .iter()
        .map(|object| traits::emit(cx, group, version, object));
    let serde = serde::emit(cx, &objects);
    quote!(#docs #serde #(#clones)* #(#traits)*)
}

/// An API object whose traits are generated.
struct Object<'a> {
    def: &'a TypeDef,
    role: Role<'a>,
    /// The `cfg` conditions of the type, and the feature of the kind.
    cfg: TokenStream,
}

/// The role of an object in its API.
enum Role<'a> {
    /// The root of a resource.
    Root(&'a Resource),
    /// The hand-written list type of a resource.
    List(&'a Resource),
}

impl Object<'_> {
    /// The object's `kind`.
    fn kind(&self) -> &str {
        match self.role {
            Role::Root(resource) => &resource.kind,
            Role::List(resource) => &resource.list_kind,
        }
    }

    /// The fields; empty unless the type is a struct.
    fn fields(&self) -> &[Field] {
        match &self.def.kind {
            TypeKind::Struct(def) => &def.fields,
            _ => &[],
        }
    }

    /// Whether the trait is derived or implemented by hand.
    fn has(&self, name: &str) -> bool {
        self.def.item.as_ref().is_some_and(|item| item.has(name))
    }
}

/// The roots and hand-written lists of a version, except roots whose traits kube-derive implements.
fn objects<'a>(cx: &Emit<'_>, group: &Group, version: &'a Version) -> Vec<Object<'a>> {
    version
        .types
        .iter()
        .filter(|def| def.item.as_ref().is_none_or(|item| !item.kube_derive))
        .filter_map(|def| {
            let root = version.resources.iter().find(|r| r.root == def.name);
            let list = || {
                version.resources.iter().find(|r| {
                    r.list_kind == def.name && def.item.as_ref().is_some_and(|i| i.object)
                })
            };
            let role = root.map(Role::Root).or_else(|| list().map(Role::List))?;
            let (Role::Root(resource) | Role::List(resource)) = &role;
            let (cfg, feature) = (cfg(def), cx.kind_feature(group, version, resource));
            Some(Object {
                def,
                role,
                cfg: quote!(#cfg #feature),
            })
        })
        .collect()
}

/// The type's `#[cfg(…)]` attributes, if any.
pub(crate) fn cfg(def: &TypeDef) -> TokenStream {
    let predicates = def.item.iter().flat_map(|item| &item.cfg);
    let predicates = predicates.filter_map(|predicate| predicate.parse::<TokenStream>().ok());
    quote!(#(#[cfg(#predicates)])*)
}

/// The type's path in files beside it (`super::types::VirtualMachine`).
fn type_path(def: &TypeDef) -> TokenStream {
    let modules = def.item.iter().flat_map(|item| &item.module);
    let modules = modules.map(|module| ident(module));
    let name = ident(&def.name);
    quote!(super::#(#modules::)*#name)
}
