//! What differs between the versions of a kind.

use std::collections::{BTreeMap, BTreeSet};

use super::kinds::Version;
use crate::emit::fields::Field;

/// A field that is not the same in all versions.
pub(super) struct Difference {
    pub(super) path: String,
    /// The field in each version, in the order of the versions; `None` where there is none.
    pub(super) cells: Vec<Option<String>>,
}

/// The fields that differ, by path. Of an object that a version lacks, only the object itself is listed.
pub(super) fn differences(versions: &[Version]) -> Vec<Difference> {
    let maps: Vec<BTreeMap<&str, &Field>> = versions.iter().map(|it| fields(&it.root)).collect();
    let paths: BTreeSet<&str> = maps.iter().flat_map(|map| map.keys().copied()).collect();
    let mut found: Vec<Difference> = Vec::new();
    for path in paths {
        let cells: Vec<Option<String>> = maps
            .iter()
            .map(|map| map.get(path).map(|field| summary(field)))
            .collect();
        let is_same = cells.windows(2).all(|two| two.first() == two.get(1));
        let is_below = |above: &Difference| {
            let rest = path.strip_prefix(above.path.as_str());
            let absent =
                |cells: &[Option<String>]| cells.iter().map(Option::is_none).collect::<Vec<_>>();
            rest.is_some_and(|rest| rest.starts_with('.'))
                && absent(&above.cells) == absent(&cells)
                && cells.iter().any(Option::is_none)
        };
        if !is_same && !found.iter().any(is_below) {
            let path = path.to_owned();
            found.push(Difference { path, cells });
        }
    }
    found
}

fn fields(root: &Field) -> BTreeMap<&str, &Field> {
    let mut fields = BTreeMap::new();
    root.walk(&mut |field| {
        fields.insert(field.path.as_str(), field);
    });
    fields
}

/// All that is said of a field in a version but its description, on one line.
fn summary(field: &Field) -> String {
    let required = if field.required { ", required" } else { "" };
    let demands = field
        .demands
        .iter()
        .filter(|it| !it.label.starts_with("each") || !it.value.is_empty());
    let demands: String = demands
        .map(|it| format!("; {} {}", it.label, it.value))
        .collect();
    format!("{}{required}{}", field.ty, demands.trim_end())
}
