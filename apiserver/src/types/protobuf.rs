//! Decodes the protobuf bodies of typed Go clients (`application/vnd.kubernetes.protobuf`).

use serde_json::{Map, Value, json};

use super::{Cardinality, Empty, Field, Fields, Kind, Special, base64, fields, type_name};

const MAGIC: &[u8] = b"k8s\0";

/// The maximum nesting depth of messages.
const MAX_DEPTH: usize = 100;

/// Decodes an enveloped object of a built-in kind to JSON; `None` if it is malformed or of an
/// unknown kind.
pub(crate) fn decode(bytes: &[u8]) -> Option<Value> {
    let mut envelope = Reader(bytes.strip_prefix(MAGIC)?);
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    while let Some((number, wire)) = envelope.next()? {
        match (number, wire) {
            (1, Wire::Bytes(meta)) => {
                let mut meta = Reader(meta);
                while let Some((number, wire)) = meta.next()? {
                    match (number, wire) {
                        (1, Wire::Bytes(text)) => api_version = text_of(text)?,
                        (2, Wire::Bytes(text)) => kind = text_of(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(content)) => raw = content,
            _ => {}
        }
    }
    let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
    let name = match kind.as_str() {
        "DeleteOptions" => "meta.v1.DeleteOptions".to_owned(),
        _ => type_name(group, version, &kind),
    };
    let mut object = message(fields(&name)?, &mut Vec::new(), raw, 0)?;
    object.insert("apiVersion".into(), json!(api_version));
    object.insert("kind".into(), json!(kind));
    Some(Value::Object(object))
}

fn text_of(bytes: &[u8]) -> Option<String> {
    String::from_utf8(bytes.to_vec()).ok()
}

enum Wire<'a> {
    Varint(u64),
    Fixed(u64),
    Bytes(&'a [u8]),
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (head, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(head)
    }

    /// Returns the next field. The inner `None` is the end of the message, the outer one a
    /// malformed message.
    #[allow(
        clippy::should_implement_trait,
        reason = "an iterator could not distinguish its end from a fault"
    )]
    fn next(&mut self) -> Option<Option<(u64, Wire<'a>)>> {
        if self.0.is_empty() {
            return Some(None);
        }
        let key = self.varint()?;
        let wire = match key & 7 {
            0 => Wire::Varint(self.varint()?),
            1 => Wire::Fixed(u64::from_le_bytes(self.take(8)?.try_into().ok()?)),
            2 => {
                let length = usize::try_from(self.varint()?).ok()?;
                Wire::Bytes(self.take(length)?)
            }
            5 => Wire::Fixed(u64::from(u32::from_le_bytes(
                self.take(4)?.try_into().ok()?,
            ))),
            _ => return None,
        };
        Some(Some((key >> 3, wire)))
    }
}

/// Decodes a message: a struct, or a struct embedded in it under the field numbers `outer`.
fn message(
    known: &Fields,
    outer: &mut Vec<u64>,
    bytes: &[u8],
    depth: usize,
) -> Option<Map<String, Value>> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut map = Map::new();
    let mut reader = Reader(bytes);
    while let Some((number, wire)) = reader.next()? {
        outer.push(number);
        if let Some(field) = known.iter().find(|field| field.numbers == *outer) {
            add(&mut map, field, &wire, depth)?;
        } else if let Wire::Bytes(bytes) = wire
            && known.iter().any(|field| field.numbers.starts_with(outer))
        {
            map.extend(message(known, outer, bytes, depth + 1)?);
        }
        outer.pop();
    }
    Some(map)
}

fn add(map: &mut Map<String, Value>, field: &Field, wire: &Wire<'_>, depth: usize) -> Option<()> {
    match field.cardinality {
        Cardinality::One => {
            let value = value(&field.kind, wire, depth)?;
            // Go's protobuf encoder writes the zero values of non-pointer fields; its JSON encoder
            // omits them.
            let zero = field.empty != Empty::Pointer
                && (value == json!("") || value == json!(0) || value == json!(false));
            if !zero && !value.is_null() {
                map.insert(field.name.to_owned(), value);
            }
        }
        Cardinality::List => {
            let item = value(&field.kind, wire, depth)?;
            if let Value::Array(list) = map
                .entry(field.name.to_owned())
                .or_insert_with(|| json!([]))
            {
                list.push(item);
            }
        }
        Cardinality::Map => {
            let Wire::Bytes(bytes) = wire else {
                return None;
            };
            let mut entry = Reader(bytes);
            let (mut key, mut found) = (String::new(), None);
            while let Some((number, wire)) = entry.next()? {
                match (number, &wire) {
                    (1, Wire::Bytes(text)) => key = text_of(text)?,
                    (2, _) => found = Some(value(&field.kind, &wire, depth)?),
                    _ => {}
                }
            }
            if let Value::Object(inner) = map
                .entry(field.name.to_owned())
                .or_insert_with(|| json!({}))
            {
                inner.insert(key, found.unwrap_or_else(|| json!("")));
            }
        }
    }
    Some(())
}

#[allow(
    clippy::cast_possible_wrap,
    reason = "protobuf integers are two's complement"
)]
fn value(kind: &Kind, wire: &Wire<'_>, depth: usize) -> Option<Value> {
    Some(match (kind, wire) {
        (Kind::Bool, Wire::Varint(n)) => json!(*n != 0),
        (Kind::Int32 | Kind::Int64, Wire::Varint(n)) => json!(*n as i64),
        (Kind::Double, Wire::Fixed(bits)) => json!(f64::from_bits(*bits)),
        (Kind::Text(_), Wire::Bytes(text)) => json!(text_of(text)?),
        (Kind::Bytes, Wire::Bytes(bytes)) => json!(base64::encode(bytes)),
        (Kind::Struct(name), Wire::Bytes(bytes)) => {
            Value::Object(message(fields(name)?, &mut Vec::new(), bytes, depth + 1)?)
        }
        (Kind::Special(special), Wire::Bytes(bytes)) => special_value(*special, bytes)?,
        _ => return None,
    })
}

#[allow(
    clippy::cast_possible_wrap,
    reason = "protobuf integers are two's complement"
)]
fn special_value(special: Special, bytes: &[u8]) -> Option<Value> {
    let mut reader = Reader(bytes);
    let (mut numbers, mut texts) = ([0_i64; 4], [&[][..]; 4]);
    while let Some((number, wire)) = reader.next()? {
        let at = usize::try_from(number).ok().filter(|n| *n < 4)?;
        match wire {
            Wire::Varint(n) => numbers[at] = n as i64,
            Wire::Bytes(text) => texts[at] = text,
            Wire::Fixed(_) => return None,
        }
    }
    Some(match special {
        // An empty message is the zero time.
        Special::Time | Special::MicroTime if bytes.is_empty() => Value::Null,
        Special::Time | Special::MicroTime => {
            let nanos = i32::try_from(numbers[2]).ok()?;
            let time = jiff::Timestamp::new(numbers[1], nanos).ok()?;
            json!(if special == Special::Time {
                super::scalars::rfc3339(time)
            } else {
                format!("{time:.6}")
            })
        }
        Special::Quantity => json!(text_of(texts[1])?),
        Special::IntOrString if numbers[1] == 0 => json!(numbers[2]),
        Special::IntOrString => json!(text_of(texts[3])?),
        Special::Raw | Special::Extension => serde_json::from_slice(texts[1]).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let mut bytes = vec![number << 3 | 2, u8::try_from(content.len()).unwrap()];
        bytes.extend_from_slice(content);
        bytes
    }

    fn envelope(kind: &str, raw: &[u8]) -> Vec<u8> {
        let meta = [field(1, b"v1"), field(2, kind.as_bytes())].concat();
        [MAGIC.to_vec(), field(1, &meta), field(2, raw)].concat()
    }

    #[test]
    fn a_config_map_is_read_from_protobuf() {
        let metadata = field(1, &field(1, b"a"));
        let data = field(2, &[field(1, b"k"), field(2, b"v")].concat());
        let binary = field(3, &[field(1, b"b"), field(2, b"\x01")].concat());
        let bytes = envelope("ConfigMap", &[metadata, data, binary].concat());
        assert_eq!(
            decode(&bytes).unwrap(),
            json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"},
                "binaryData": {"b": "AQ=="}})
        );
    }

    #[test]
    fn the_fields_of_embedded_structs_are_read_from_messages_of_their_own() {
        // spec.containers[0].livenessProbe.handler.tcpSocket.host, and .periodSeconds next to
        // handler.
        let handler = field(1, &field(3, &field(2, b"h")));
        let probe = field(10, &[handler, vec![4 << 3, 7]].concat());
        let container = field(2, &[field(1, b"c"), probe].concat());
        assert_eq!(
            decode(&envelope("Pod", &field(2, &container))).unwrap()["spec"],
            json!({"containers": [{"name": "c",
                "livenessProbe": {"tcpSocket": {"host": "h"}, "periodSeconds": 7}}]})
        );
    }

    #[test]
    fn malformed_bytes_are_refused() {
        assert!(decode(b"").is_none());
        assert!(decode(b"k8s\0\x0a\xff").is_none());
        assert!(decode(&envelope("Unknown", b"")).is_none());
        assert!(decode(&envelope("ConfigMap", b"\x0a\x7f")).is_none());
    }
}
