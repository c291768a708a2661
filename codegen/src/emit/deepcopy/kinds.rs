//! The objects among generated types, as a list for the codec's macro.
//!
//! ```text
//! codec::kinds! {
//!     "cloudnative.czs" / "v1alpha1";
//!     VirtualMachine, "virtualmachines", NamespaceResourceScope, pub new(VirtualMachineSpec);
//! }
//! ```

use super::{Object, Role};
use crate::{
    emit::{Emit, context::ident, serde_attributes::Presence, types::named},
    generator::Generator,
    model::{Field, Group, Resource, Scope, TypeRef, Version},
    options::Visibility,
};

/// Whether the version's objects are listed: they have generated types, and the `metadata` field that the macro uses.
pub(super) fn are_listed(cx: &Emit<'_>, version: &Version, objects: &[Object<'_>]) -> bool {
    let is_listed = |object: &Object<'_>| {
        let mut fields = object.fields().iter();
        fields.any(|field| field.rust_name == "metadata" && field.json_name == "metadata")
    };
    cx.options.emits(Generator::Types)
        && version.origin.emits_types()
        && !objects.is_empty()
        && objects.iter().all(is_listed)
}

/// The macro call.
pub(super) fn emit(
    cx: &Emit<'_>,
    group: &Group,
    version: &Version,
    objects: &[Object<'_>],
) -> String {
    let mut text = format!(
        "{}::kinds! {{\n    {:?} / {:?};\n",
        cx.codec(),
        group.name,
        version.name
    );
    for object in objects {
        let (Role::Root(resource) | Role::List(resource)) = object.role;
        if let Some(feature) = cx.kind_feature_name(group, version, resource) {
            text.push_str(&format!("    #[cfg(feature = {feature:?})]\n"));
        }
        text.push_str(&format!("    {}\n", entry(cx, object, resource)));
    }
    text.push_str("}\n");
    text
}

/// `VirtualMachine, "virtualmachines", NamespaceResourceScope, pub new(VirtualMachineSpec);`
fn entry(cx: &Emit<'_>, object: &Object<'_>, resource: &Resource) -> String {
    let name = named(&ident(&object.def.name), &resource.kind);
    let scope = match resource.scope {
        Scope::Namespaced => "NamespaceResourceScope",
        Scope::Cluster => "ClusterResourceScope",
    };
    let list = match &resource.list_kind {
        kind if *kind == format!("{}List", resource.kind) => String::new(),
        kind => format!(" in {kind:?}"),
    };
    let visibility = match cx.options.types.visibility {
        Visibility::Public => "pub",
        Visibility::Crate => "pub(crate)",
    };
    let new = spec(object).map(|ty| format!(", {visibility} new({})", ident(ty)));
    let new = new.unwrap_or_default();
    format!("{name}, {:?}, {scope}{list}{new};", resource.plural)
}

/// The type of a kind's spec, which its constructor takes: one of the version, as the field's type or within its `Option`.
fn spec<'a>(object: &'a Object<'_>) -> Option<&'a str> {
    let is_spec = |field: &&Field| field.json_name == "spec" && field.rust_name == "spec";
    let spec = object.fields().iter().find(is_spec)?;
    let is_root = matches!(object.role, Role::Root(_));
    match (&spec.ty, Presence::of(spec)) {
        (TypeRef::Local(name), Presence::Required | Presence::Optional) if is_root => Some(name),
        _ => None,
    }
}
