//! Properties of fields in Kubernetes' own structs that JSON does not show: protobuf numbers and
//! patch strategies.

use std::collections::{BTreeMap, VecDeque};

use kube_builtin_types::Patch;

use super::{cx::Cx, json_tag::JsonTag, well_known};
use crate::read::go::{Field, Package, Type};

/// The protobuf number and patch strategy of a field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Native {
    /// Its protobuf numbers, from the outermost embedded struct to its own.
    pub protobuf: Vec<u64>,
    /// How patches merge it.
    pub patch: Option<Patch>,
}

/// The maximum depth of embedded structs.
const MAX_DEPTH: usize = 64;

/// Returns the fields of a struct by JSON name, including those of embedded structs; of equal
/// names, the least deeply embedded.
pub(super) fn fields(
    cx: &Cx<'_>,
    package: &Package,
    sources: &[Field],
) -> BTreeMap<String, Native> {
    let mut found = BTreeMap::new();
    let mut queue = VecDeque::from([(package, sources, Some(Vec::new()), 0)]);
    while let Some((package, sources, numbers, depth)) = queue.pop_front() {
        for source in sources {
            let tag = JsonTag::of(source);
            let own = source.tag.as_ref().and_then(|tag| tag.protobuf);
            let numbers: Option<Vec<u64>> = numbers
                .as_ref()
                .zip(own)
                .map(|(outer, own)| outer.iter().copied().chain([own]).collect());
            let embeds = source.embedded && tag.name.is_none() && depth < MAX_DEPTH;
            if let Some((inner, fields)) = embeds.then(|| embedded(cx, package, source)).flatten() {
                queue.push_back((inner, fields, numbers, depth + 1));
                continue;
            }
            let name = tag.name.unwrap_or(&source.name).to_owned();
            found.entry(name).or_insert_with(|| Native {
                protobuf: numbers.unwrap_or_default(),
                patch: patch(source),
            });
        }
    }
    found
}

/// Returns the fields of an embedded struct, with their package.
fn embedded<'a>(
    cx: &'a Cx<'_>,
    package: &'a Package,
    source: &'a Field,
) -> Option<(&'a Package, &'a [Field])> {
    let (package, name) = cx.named(package, &source.ty)?;
    if well_known::special(package, name).is_some() {
        return None;
    }
    let end = cx.underlying(package, name)?;
    match &end.decl.ty {
        Type::Struct(fields) => Some((end.pkg.package, fields)),
        _ => None,
    }
}

fn patch(source: &Field) -> Option<Patch> {
    let tag = source.tag.as_ref()?;
    let patch = Patch {
        strategy: tag.patch_strategy.clone().unwrap_or_default(),
        key: tag.patch_merge_key.clone().unwrap_or_default(),
    };
    (patch != Patch::default()).then_some(patch)
}
