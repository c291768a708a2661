//! Uses hash maps if the options request it.

use crate::{
    builtin::is_exact_by_codec,
    model::{ApiSet, Field, Origin, TypeKind, TypeRef},
};

/// Marks the fields of CRDs that are maps. The codec writes hash maps in key order with the values'
/// own serde, so maps whose values the codec itself reads and writes are left unchanged.
pub(super) fn hash(api: &mut ApiSet) {
    let versions = api.groups.iter_mut().flat_map(|group| &mut group.versions);
    let of_crds = versions.filter(|version| version.origin == Origin::Crd);
    for def in of_crds.flat_map(|version| &mut version.types) {
        if let TypeKind::Struct(body) = &mut def.kind {
            for field in &mut body.fields {
                field.hashed = is_plain_map(field);
            }
        }
    }
}

fn is_plain_map(field: &Field) -> bool {
    let is_coded = field.sparse || field.ty.is_encoded() || is_exact_by_codec(&field.ty);
    matches!(field.ty, TypeRef::Map(_)) && !is_coded
}
