//! Boxes the fields that the options list.

use std::collections::BTreeSet;

use crate::{
    diag::{Diagnostic, Diagnostics},
    model::{ApiSet, Field, TypeDef, TypeKind, TypeRef, Version},
};

/// Boxes the fields at the paths (`VirtualMachine.spec.template`). A path that does not exist is an
/// error, as for renames.
pub(super) fn add(paths: &BTreeSet<String>, api: &mut ApiSet, diagnostics: &mut Diagnostics) {
    for path in paths {
        let versions = api.groups.iter_mut().flat_map(|group| &mut group.versions);
        let mut found = Found::Nothing;
        for version in versions.filter(|version| version.origin.emits_types()) {
            found = found.max(add_to(version, path));
        }
        let error = Diagnostic::error(format!("boxed field {path}: {}", found.fault()));
        let help = "write the kind and the properties that lead to an object, such as `VirtualMachine.spec.template`, or remove the box";
        if found < Found::Object {
            diagnostics.push(error.help(help));
        }
    }
}

/// The field at a path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    Nothing,
    NoObject,
    Object,
}

impl Found {
    const fn fault(self) -> &'static str {
        match self {
            Self::Nothing => "no kind has this path",
            _ => "the value is not an object",
        }
    }
}

fn add_to(version: &mut Version, path: &str) -> Found {
    let mut segments = path.split('.');
    let kind = segments.next().unwrap_or_default();
    let Some(resource) = version.resources.iter().find(|it| it.kind == kind) else {
        return Found::Nothing;
    };
    let properties: Vec<&str> = segments.collect();
    let Some((last, before)) = properties.split_last() else {
        return Found::Nothing;
    };
    let owner = before
        .iter()
        .try_fold(resource.root.clone(), |owner, property| {
            let mut defs = version.types.iter();
            let def = defs.find(|def| def.name == owner)?;
            let field = fields(def).iter().find(|it| it.json_name == **property)?;
            field.ty.local().map(str::to_owned)
        });
    let is_struct = |def: &&TypeDef| matches!(def.kind, TypeKind::Struct(_));
    let structs = version.types.iter().filter(is_struct);
    let structs: BTreeSet<String> = structs.map(|def| def.name.clone()).collect();
    let mut defs = version.types.iter_mut();
    let def = owner.and_then(|owner| defs.find(|def| def.name == owner));
    let field = def.and_then(|def| match &mut def.kind {
        TypeKind::Struct(body) => body.fields.iter_mut().find(|it| it.json_name == *last),
        _ => None,
    });
    match field {
        None => Found::Nothing,
        Some(field) if is_object(field, &structs) => {
            field.ty = TypeRef::Boxed(Box::new(field.ty.clone()));
            Found::Object
        }
        Some(field) if matches!(field.ty, TypeRef::Boxed(_)) => Found::Object,
        Some(_) => Found::NoObject,
    }
}

fn fields(def: &TypeDef) -> &[Field] {
    match &def.kind {
        TypeKind::Struct(body) => &body.fields,
        _ => &[],
    }
}

/// Whether the value can be boxed: a struct of the version, or a foreign type that need not have a
/// default.
fn is_object(field: &Field, structs: &BTreeSet<String>) -> bool {
    match &field.ty {
        TypeRef::Local(name) => structs.contains(name),
        TypeRef::Known(_) | TypeRef::External(_) => field.option,
        _ => false,
    }
}
