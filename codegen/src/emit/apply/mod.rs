//! `generated/applyconfiguration/`: apply configurations, the counterpart of Go's applyconfiguration-gen.
//!
//! For `VirtualMachine`, in `applyconfiguration/cloudnative/v1alpha1/mod.rs`:
//!
//! ```text
//! apply::configuration! {
//!     /// A declarative configuration of [`VirtualMachine`](api::VirtualMachine) for server-side apply.
//!     pub struct VirtualMachineApply of namespaced api::VirtualMachine {
//!         /// The desired state of the machine.
//!         spec: into VirtualMachineSpecApply,
//!         …
//!     }
//! }
//! apply::configuration! {
//!     /// A declarative configuration of [`VirtualMachineSpec`](api::VirtualMachineSpec) for server-side apply.
//!     pub struct VirtualMachineSpecApply {
//!         /// What should be done with the machine, such as `active`.
//!         action: into String,
//!         /// The sizes of the machine: `cpu`, `memory`, `rootDisk`.
//!         resource: map Quantity,
//!     }
//! }
//! codec::kinds! {
//!     "cloudnative.czs" / "v1alpha1";
//!     VirtualMachineApply = "VirtualMachine", "virtualmachines", NamespaceResourceScope;
//! }
//! ```
//!
//! The macro is in the runtime, which also defines the operations that all configurations share. There is a configuration for
//! each struct whose fields are merged individually; values that the API server replaces as a whole have their API types.

mod fields;
#[cfg(test)]
mod tests;
mod values;

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
};

use proc_macro2::TokenStream;
use quote::quote;

use self::values::Values;
use super::{
    Emit, Files,
    context::{api_version, module_docs},
    deepcopy, example, modules,
    types::{self, Homes, Imports},
};
use crate::{
    model::{Group, Origin, Resource, Scope, StructDef, TypeDef, TypeKind, Version, names},
    output::format::{Code, Items},
};

/// Emits the whole folder.
pub(crate) fn emit<'a>(cx: &'a Emit<'a>, files: &mut Files<'a>) {
    let versions = || {
        let versions = cx.api.versions();
        versions.filter(|(_, version)| roots(version).next().is_some())
    };
    let dir = "generated/applyconfiguration";
    let what = "Apply configurations";
    modules::emit(cx, files, dir, what, example::apply, versions());
    for (group, version) in versions() {
        let path = format!("{dir}/{}/{}/mod.rs", group.module, version.module);
        files.rust(path, || emit_version(cx, group, version));
    }
}

/// The kinds that have configurations.
fn roots(version: &Version) -> impl Iterator<Item = (&Resource, &TypeDef)> {
    let resources = version.resources.iter();
    let resources = resources.filter(|resource| resource.is_applied());
    resources.filter_map(|resource| {
        let def = version.type_def(&resource.root)?;
        let has_metadata = |body: &StructDef| {
            let mut fields = body.fields.iter();
            fields.any(|field| field.json_name == "metadata")
        };
        let body = configured(def).filter(|body| has_metadata(body));
        body.is_some().then_some((resource, def))
    })
}

/// The fields of a type that has a configuration: a struct that is not replaced as a whole.
fn configured(def: &TypeDef) -> Option<&StructDef> {
    let TypeKind::Struct(body) = &def.kind else {
        return None;
    };
    let rules = &def.validation;
    let is_object = rules.type_.as_deref().is_none_or(|ty| ty == "object");
    let is_whole = def.whole
        || def.marshals.is_some()
        || body.tuple
        || def.item.as_ref().is_some_and(|it| !it.generics.is_empty())
        || values::is_atomic(rules);
    (is_object && !is_whole).then_some(body)
}

/// The name of a type's configuration.
fn apply_name(name: &str) -> String {
    format!("{name}Apply")
}

/// Whether all types of a version implement `PartialEq`.
fn are_comparable(version: &Version) -> bool {
    let is_comparable = |def: &TypeDef| {
        let item = def.item.as_ref();
        matches!(&def.kind, TypeKind::Alias(alias) if !alias.newtype)
            || item.is_none_or(|item| item.kube_derive || item.has("PartialEq"))
    };
    version.types.iter().all(is_comparable)
}

fn emit_version(cx: &Emit<'_>, group: &Group, version: &Version) -> Code {
    let own: BTreeSet<String> = version
        .types
        .iter()
        .map(|it| apply_name(&it.name))
        .collect();
    let homes: Homes<'_> = own.iter().map(|name| (name.as_str(), "".into())).collect();
    let values = Values {
        version,
        imports: Imports::new(cx, "", &homes),
        reached: RefCell::default(),
    };
    let features = features(cx, group, version);
    let roots: BTreeMap<&str, &Resource> = roots(version)
        .map(|(resource, def)| (def.name.as_str(), resource))
        .collect();
    let mut done: BTreeMap<&str, String> = BTreeMap::new();
    let mut rest: Vec<&str> = roots.keys().copied().collect();
    while let Some(name) = rest.pop() {
        if done.contains_key(name) {
            continue;
        }
        let Some((def, body)) = version
            .type_def(name)
            .and_then(|def| Some((def, configured(def)?)))
        else {
            continue;
        };
        let root = roots.get(name).copied();
        let text = emit_struct(cx, &values, root, (def, body));
        done.insert(&def.name, conditions(def, &features) + &text);
        rest.extend(values.reached.take());
    }
    let mut items = Items::default();
    items.push_text(&values.imports.emit());
    for def in &version.types {
        items.push_text(done.get(def.name.as_str()).map_or("", String::as_str));
    }
    items.push_text(&emit_kinds(group, version, &roots, &features));
    let docs = module_docs(&format!(
        "Apply configurations for `{}`: one for each struct that the API server merges field by field.\n\n\
         Types of other crates, enums, and values that are replaced as a whole have their API types.",
        api_version(group, version)
    ));
    let imports = cx.imports(version, &["apply", "codec"]);
    // If all kinds are gated off, the imports are unused.
    let lints = (!features.is_empty()).then(|| quote!(#![allow(unused_imports)]));
    Code {
        tokens: quote!(#docs #lints #imports),
        items,
        ..Code::default()
    }
}

/// The features that gate each type, if kinds have features.
fn features<'a>(cx: &Emit<'_>, group: &Group, version: &'a Version) -> BTreeMap<&'a str, String> {
    if !cx.options.kind_features || version.origin != Origin::Crd {
        return BTreeMap::new();
    }
    let kinds = types::kinds_of_modules(version);
    let modules = types::modules(types::Unit::of_version(version)).into_iter();
    let features = modules.filter_map(|(module, defs)| {
        let feature = cx.kind_feature_name(group, version, kinds.get(&module)?)?;
        let defs = defs.into_iter().map(|def| def.name.as_str());
        Some(defs.map(move |name| (name, feature.clone())))
    });
    features.flatten().collect()
}

/// The `#[cfg(…)]` lines of a type.
fn conditions(def: &TypeDef, features: &BTreeMap<&str, String>) -> String {
    let feature = features.get(def.name.as_str());
    let feature = feature.map(|feature| format!("#[cfg(feature = {feature:?})]\n"));
    let own: TokenStream = deepcopy::cfg(def);
    let own = (!own.is_empty()).then(|| format!("{own}\n"));
    own.into_iter().chain(feature).collect()
}

/// ```text
/// apply::configuration! {
///     /// A declarative configuration of [`VirtualMachineSpec`](api::VirtualMachineSpec) for server-side apply.
///     pub struct VirtualMachineSpecApply {
///         /// What should be done with the machine, such as `active`.
///         action: into String,
///     }
/// }
/// ```
fn emit_struct<'a>(
    cx: &Emit<'_>,
    values: &Values<'a>,
    root: Option<&Resource>,
    (def, body): (&TypeDef, &'a StructDef),
) -> String {
    let name = &def.name;
    let what = if values.is_seen(def) {
        format!("[`{name}`](api::{})", names::ident(name))
    } else {
        format!("`{name}`")
    };
    let mut head = format!("{} struct {}", cx.visibility(), apply_name(name));
    if !are_comparable(values.version) {
        head.push_str(" without PartialEq");
    }
    if let Some(resource) = root {
        let scope = match resource.scope {
            Scope::Namespaced => "namespaced",
            Scope::Cluster => "cluster",
        };
        head.push_str(&format!(" of {scope} api::{}", names::ident(name)));
    }
    let lines = fields::emit(values, root, body);
    format!(
        "apply::configuration! {{\n    /// A declarative configuration of {what} for server-side apply.\n    {head} {{\n{lines}    }}\n}}\n"
    )
}

/// Lists the configurations under the names of their kinds.
fn emit_kinds(
    group: &Group,
    version: &Version,
    roots: &BTreeMap<&str, &Resource>,
    features: &BTreeMap<&str, String>,
) -> String {
    let mut text = format!(
        "codec::kinds! {{\n    {:?} / {:?};\n",
        group.name, version.name
    );
    for (root, resource) in roots {
        if let Some(def) = version.type_def(root) {
            for line in conditions(def, features).lines() {
                text.push_str(&format!("    {line}\n"));
            }
        }
        let scope = match resource.scope {
            Scope::Namespaced => "NamespaceResourceScope",
            Scope::Cluster => "ClusterResourceScope",
        };
        let name = apply_name(root);
        text.push_str(&format!(
            "    {name} = {:?}, {:?}, {scope};\n",
            resource.kind, resource.plural
        ));
    }
    text.push_str("}\n");
    text
}
