//! Types on the wire, as far as markers depend on them.

use super::cx::Cx;
use crate::{
    model::{Marshals, TypeRef, WireType},
    read::go::{Package, Type},
};

const MAX_DEPTH: usize = 16;

/// Returns the JSON form of a type that a package refers to.
pub(super) fn of(cx: &Cx<'_>, package: &Package, ty: &TypeRef) -> WireType {
    WireType::of(ty, |name| declared(cx, package, name, MAX_DEPTH))
}

/// Returns the JSON form of the items, if the type is a list.
pub(super) fn of_items(cx: &Cx<'_>, package: &Package, ty: &TypeRef) -> WireType {
    match ty {
        TypeRef::List(inner) => of(cx, package, inner),
        TypeRef::Optional(inner) | TypeRef::Boxed(inner) => of_items(cx, package, inner),
        _ => WireType::Unknown,
    }
}

fn declared(cx: &Cx<'_>, package: &Package, name: &str, depth: usize) -> WireType {
    let found = package
        .types
        .iter()
        .find(|decl| cx.rust_name(&package.path, &decl.name) == name);
    let (Some(decl), Some(depth)) = (found, depth.checked_sub(1)) else {
        return WireType::Unknown;
    };
    match cx
        .pkg(&package.path)
        .and_then(|pkg| pkg.marshals(&decl.name))
    {
        Some(Marshals::Text) => return WireType::String,
        Some(Marshals::Json) => return WireType::Unknown,
        None => {}
    }
    match &decl.ty {
        Type::Local(name, _) => declared(cx, package, &cx.rust_name(&package.path, name), depth),
        Type::Struct(_) | Type::Map(..) => WireType::Object,
        Type::Slice(_) | Type::Array(..) => WireType::List,
        Type::Basic(name) => {
            super::well_known::basic(name).map_or(WireType::Unknown, |ty| of(cx, package, &ty))
        }
        _ => WireType::Unknown,
    }
}
