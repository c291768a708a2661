//! The making of the table's files.

use serde::Serialize;

use crate::row::{Body, Definition, Field, FieldRow, Omission, Row, capital};

/// The two files of the table, from each type's package, name, definition and documentation.
/// Deterministic for types in one order.
#[must_use]
pub fn pack<'a, R: Serialize + Default + PartialEq + 'a>(
    types: impl Iterator<Item = (&'a str, &'a str, &'a Definition<R>, &'a [String])>,
) -> (Vec<u8>, Vec<u8>) {
    let (mut rows, mut all_docs) = (String::new(), String::new());
    for (package, name, definition, docs) in types {
        let last = docs.iter().rposition(|one| !one.is_empty());
        let docs = docs
            .get(..last.map_or(0, |last| last + 1))
            .unwrap_or_default();
        let (Ok(row), Ok(docs)) = (encode(definition), serde_json::to_string(docs)) else {
            continue;
        };
        rows.push_str(&format!("{package}.{name}\t{row}\n"));
        all_docs.push_str(&docs);
        all_docs.push('\n');
    }
    let packed = |text: String| miniz_oxide::deflate::compress_to_vec(text.as_bytes(), 10);
    (packed(rows), packed(all_docs))
}

/// Rules that are not empty.
fn some_rules<R: Default + PartialEq>(rules: &R) -> Option<&R> {
    (*rules != R::default()).then_some(rules)
}

/// The row of a definition, as one line.
fn encode<R: Serialize + Default + PartialEq>(
    definition: &Definition<R>,
) -> Result<String, serde_json::Error> {
    let (f, a, e) = match &definition.body {
        Body::Struct(fields) => (Some(fields.iter().map(FieldRow::of).collect()), None, None),
        Body::Alias(target) => (None, Some(target.clone()), None),
        Body::Enum(values) => (None, None, Some(values.clone())),
    };
    serde_json::to_string(&Row {
        f,
        a,
        e,
        v: some_rules(&definition.rules),
        s: definition.atomic,
        m: definition.marshals,
    })
}

impl<'a, R: Default + PartialEq> FieldRow<&'a R> {
    fn of(field: &'a Field<R>) -> Self {
        let flags = [
            ('r', field.required),
            ('n', field.nullable),
            ('o', field.option),
            ('p', field.pointer),
            ('e', field.omits == Omission::Empty),
            ('z', field.omits == Omission::Zero),
        ];
        let set = flags.into_iter().filter(|(_, on)| *on);
        Self {
            g: (field.go_name != capital(&field.json_name)).then(|| field.go_name.clone()),
            j: field.json_name.clone(),
            t: field.ty.clone(),
            n: field.protobuf.clone(),
            p: field.patch.clone(),
            k: set.map(|(letter, _)| letter).collect(),
            x: field.default.clone(),
            v: some_rules(&field.rules),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn unpack(packed: &[u8]) -> String {
        let text = miniz_oxide::inflate::decompress_to_vec(packed).expect("packed");
        String::from_utf8(text).expect("a text")
    }

    #[test]
    fn what_is_packed_is_what_was_given() {
        let definition: Definition<Value> = crate::find("k8s.io/api/core/v1", "Probe")
            .and_then(|entry| entry.definition())
            .expect("in the table");
        let docs = ["A probe.".to_owned(), String::new()];
        let one = || std::iter::once(("a/b", "Probe", &definition, &docs[..]));
        let (rows, all_docs) = pack(one());
        assert_eq!(pack(one()), (rows.clone(), all_docs.clone()));
        assert_eq!(unpack(&all_docs), "[\"A probe.\"]\n");
        let rows = unpack(&rows);
        let (key, row) = rows.trim_end().split_once('\t').expect("a row");
        assert_eq!(key, "a/b.Probe");
        assert_eq!(crate::row::decode::<Value>(row), Some(definition));
    }
}
