//! Resolves paths of fields and keys within a schema, such as `.spec.labels['a.b']`, like
//! `ValidFieldPath` of `apiextensions-apiserver/pkg/apiserver/schema/cel`.

use serde_json::Value;

/// Whether a path may contain keys in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Brackets {
    /// `.a['b']` is accepted.
    Allowed,
    /// `.a['b']` is an error.
    Refused,
}

/// Returns the schema at a path.
///
/// # Errors
///
/// Why the path does not exist, in the API server's wording.
pub fn find<'s>(schema: &'s Value, path: &str, brackets: Brackets) -> Result<&'s Value, String> {
    let mut schema = schema;
    let mut rest = path;
    while !rest.is_empty() {
        let key;
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[', ']']).unwrap_or(after.len());
            let (name, after) = after.split_at(end);
            if name.is_empty() && after.is_empty() {
                return Err("unexpected end of JSON path".to_owned());
            }
            key = name.to_owned();
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            if brackets == Brackets::Refused {
                return Err("array notation is not allowed".to_owned());
            }
            (key, rest) = quoted(after)?;
        } else {
            let end = rest.find(['.', '[', ']']).unwrap_or(rest.len()).max(1);
            let shown: String = rest.chars().take(end).collect();
            return Err(format!("expected [ or . but got: {shown}"));
        }
        schema = step(schema, &key).ok_or("does not refer to a valid field")?;
    }
    Ok(schema)
}

fn step<'s>(schema: &'s Value, key: &str) -> Option<&'s Value> {
    match schema.get("properties").and_then(Value::as_object) {
        Some(properties) if !properties.is_empty() => properties.get(key),
        _ => schema
            .get("additionalProperties")
            .filter(|values| values.is_object()),
    }
}

/// Parses `'key']`, and returns the rest.
fn quoted(text: &str) -> Result<(String, &str), String> {
    if text.is_empty() {
        return Err("unexpected end of JSON path".to_owned());
    }
    let end = text.find(['.', '[', ']']).unwrap_or(text.len());
    let expected = || {
        let shown = text.get(..end).unwrap_or(text);
        format!("expected single quoted string but got {shown}")
    };
    let mut key = String::new();
    let mut chars = text.strip_prefix('\'').ok_or_else(expected)?.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => key.extend(chars.next().map(|(_, c)| c)),
            '\'' => {
                // The opening quotation mark is one byte.
                let rest = text.get(at + 2..).unwrap_or_default();
                return match rest.strip_prefix(']') {
                    Some(rest) => Ok((key, rest)),
                    None if rest.is_empty() => Err("unexpected end of JSON path".to_owned()),
                    None => Err(format!("expected ] but got {rest}")),
                };
            }
            c => key.push(c),
        }
    }
    Err(expected())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(path: &str, brackets: Brackets, expected: Result<&str, &str>) {
        let schema = json!({"type": "object", "properties": {
            "a": {"type": "string"},
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
        }});
        let found = find(&schema, path, brackets);
        let found = found.map(|found| found["type"].as_str().unwrap_or_default());
        assert_eq!(found, expected.map_err(str::to_owned), "{path}");
    }

    #[test]
    fn paths_are_read_as_by_the_api_server() {
        use Brackets::{Allowed, Refused};
        rows![check:
            (".a", Refused, Ok("string")),
            (".m.k", Refused, Ok("integer")),
            (".m['k.l']", Allowed, Ok("integer")),
            ("['a']", Allowed, Ok("string")),
            (".m['k']", Refused, Err("array notation is not allowed")),
            ("a", Allowed, Err("expected [ or . but got: a")),
            (".", Allowed, Err("unexpected end of JSON path")),
            (".b", Allowed, Err("does not refer to a valid field")),
            (".a.b", Allowed, Err("does not refer to a valid field")),
            (".m[k]", Allowed, Err("expected single quoted string but got k")),
            (".m['k'", Allowed, Err("unexpected end of JSON path")),
            (".m['k", Allowed, Err("expected single quoted string but got 'k")),
            (".m[", Allowed, Err("unexpected end of JSON path")),
            ("é", Allowed, Err("expected [ or . but got: é")),
        ];
    }
}
