//! Kubernetes' own types as their Go sources define them: JSON names, presence, defaults, rules,
//! protobuf numbers, patch strategies.
//!
//! One table for whoever needs them: the generator expands schemas from it and recognises types by
//! it, the embedded API server decodes, merges and patches objects by it. `hack/builtin-types.sh`
//! makes it with the generator's reader of Go, packed, and the build script unpacks it. A type is
//! decoded when it is asked for. [`KINDS`] lists the kinds that clients watch. Start reading at
//! [`find`].

mod kinds;
#[cfg(feature = "pack")]
mod pack;
mod row;
mod text;

use std::cmp::Ordering;

use serde::de::DeserializeOwned;

pub use kinds::{KINDS, Kind, package_of};
#[cfg(feature = "pack")]
pub use pack::pack;
pub use row::{Body, Definition, Field, Marshals, Omission, Patch};
pub use text::Type;

/// A type of the table, still encoded.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The Go package: `k8s.io/api/core/v1`.
    pub package: &'static str,
    /// The name in that package: `PodSpec`.
    pub name: &'static str,
    row: &'static str,
    #[cfg(feature = "docs")]
    docs: &'static str,
}

impl Entry {
    /// The definition, with rules of the caller's type: `R` names those keys of a JSON schema that
    /// it wants to know. None if the rules do not read as `R`.
    #[must_use]
    pub fn definition<R: DeserializeOwned + Default>(&self) -> Option<Definition<R>> {
        row::decode(self.row)
    }

    /// The documentation: of the type, and of each of its fields or values in order. It ends early
    /// where no more follows.
    #[cfg(feature = "docs")]
    #[must_use]
    pub fn docs(&self) -> Vec<String> {
        serde_json::from_str(self.docs).unwrap_or_default()
    }
}

/// The rows, one after the other, sorted by `package.Name`.
static ROWS: &str = include_str!(concat!(env!("OUT_DIR"), "/types"));

/// The documentation of the rows, in their order.
#[cfg(feature = "docs")]
static DOCS: &str = include_str!(concat!(env!("OUT_DIR"), "/docs"));

/// Where each row ends in [`ROWS`] and in [`DOCS`]: two little-endian numbers of four bytes a row.
/// A search reads a few rows; a map would read all of them, and the documentation too.
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/index"));

/// The bytes of [`INDEX`] for a row.
const INDEX_BYTES: usize = 8;

/// The part of a text, by its column in [`INDEX`], that belongs to a row.
fn part(text: &'static str, column: usize, row: usize) -> Option<&'static str> {
    let end_of = |row: usize| {
        let at = row * INDEX_BYTES + column * 4;
        let bytes = INDEX.get(at..at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_le_bytes(bytes)).ok()
    };
    let start = match row.checked_sub(1) {
        Some(before) => end_of(before)?,
        None => 0,
    };
    text.get(start..end_of(row)?)
}

/// The `package.Name` of a row, and its definition.
fn key_and_row(row: usize) -> Option<(&'static str, &'static str)> {
    part(ROWS, 0, row)?.split_once('\t')
}

fn entry(number: usize) -> Option<Entry> {
    let (key, row) = key_and_row(number)?;
    let (package, name) = key.rsplit_once('.')?;
    Some(Entry {
        package,
        name,
        row,
        #[cfg(feature = "docs")]
        docs: part(DOCS, 1, number)?,
    })
}

/// The type of a Go package and name (`k8s.io/api/core/v1`, `PodSpec`).
#[must_use]
pub fn find(package: &str, name: &str) -> Option<Entry> {
    let wanted = format!("{package}.{name}");
    let (mut from, mut to) = (0, INDEX.len() / INDEX_BYTES);
    while from < to {
        let middle = from.midpoint(to);
        match key_and_row(middle)?.0.cmp(&wanted) {
            Ordering::Less => from = middle + 1,
            Ordering::Equal => return entry(middle),
            Ordering::Greater => to = middle,
        }
    }
    None
}

/// Every type of the table, sorted by package and name.
pub fn all() -> impl Iterator<Item = Entry> {
    (0..INDEX.len() / INDEX_BYTES).filter_map(entry)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[derive(Debug, Default, PartialEq, serde::Deserialize, serde::Serialize)]
    #[serde(rename_all = "camelCase", default)]
    struct Rules {
        list_map_keys: Vec<String>,
    }

    #[track_caller]
    fn field(package: &str, name: &str, json_name: &str) -> Field<Rules> {
        let found: Definition<Rules> = find(package, name)
            .and_then(|entry| entry.definition())
            .expect("in the table");
        let Body::Struct(fields) = found.body else {
            panic!("not a struct");
        };
        let mut fields = fields.into_iter();
        fields
            .find(|field| field.json_name == json_name)
            .expect("a field")
    }

    #[test]
    fn every_row_decodes_and_names_types_of_the_table() {
        let packages: BTreeSet<&str> = all().map(|entry| entry.package).collect();
        for entry in all() {
            let Some(found) = entry.definition::<Rules>() else {
                panic!("{}.{}", entry.package, entry.name);
            };
            let Body::Struct(fields) = found.body else {
                continue;
            };
            for field in fields {
                // A type that reads and writes itself needs no fields.
                if let (Type::Named(package, name), None) = (field.ty.innermost(), found.marshals) {
                    let known = find(package, name).is_some();
                    // Structs of the package runtime that are no API have interfaces as fields.
                    let no_api =
                        package.ends_with("/pkg/runtime") || !packages.contains(package.as_str());
                    assert!(
                        known || no_api,
                        "{}.{}: {name}",
                        entry.name,
                        field.json_name
                    );
                }
            }
        }
        assert!(all().count() > 1_400, "{}", all().count());
    }

    #[test]
    fn a_type_is_found_by_its_whole_package_and_name() {
        assert!(find("k8s.io/api/core/v1", "Pod").is_some());
        assert!(find("k8s.io/api/core/v1", "Nothing").is_none());
        assert!(find("k8s.io/api/core", "Pod").is_none());
    }

    #[test]
    fn the_fields_of_embedded_structs_know_the_way_through_protobuf() {
        let core = "k8s.io/api/core/v1";
        assert_eq!(field(core, "Probe", "httpGet").protobuf, [1, 2]);
        assert_eq!(field(core, "Probe", "periodSeconds").protobuf, [4]);
        assert_eq!(field(core, "Pod", "kind").protobuf, [0_u64; 0]);
    }

    #[test]
    fn lists_know_their_keys_and_how_patches_merge_them() {
        let ports = field("k8s.io/api/core/v1", "Container", "ports");
        assert_eq!(ports.rules.list_map_keys, ["containerPort", "protocol"]);
        let patch = ports.patch.expect("a strategy");
        assert_eq!(
            (patch.strategy.as_str(), patch.key.as_str()),
            ("merge", "containerPort")
        );
        let protocol = field("k8s.io/api/core/v1", "ContainerPort", "protocol");
        assert_eq!(protocol.default, Some("TCP".into()));
    }

    #[test]
    fn what_is_atomic_is_not_so_by_what_it_embeds() {
        let atomic = |name: &str| {
            let found: Option<Definition<Rules>> =
                find("k8s.io/api/core/v1", name).and_then(|entry| entry.definition());
            found.expect("in the table").atomic
        };
        assert!(atomic("LocalObjectReference"));
        assert!(!atomic("ConfigMapEnvSource"));
    }
}
