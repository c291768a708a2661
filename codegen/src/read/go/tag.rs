//! Struct tags: `json:"name,omitempty" protobuf:"…"`, parsed like Go's package reflect does.

use std::borrow::Cow;

use super::{literal::unquote, package::Tag};

/// Parses the tag in a literal. On an error, returns the keys before it along with the error, since
/// reflect stops there too.
pub(super) fn parse(literal: &str) -> (Tag, Option<String>) {
    let mut tag = Tag::default();
    let Some(text) = unquote(literal) else {
        return (tag, Some("the struct tag is not a string".to_owned()));
    };
    for pair in pairs(&text) {
        let (key, value) = match pair {
            Ok(pair) => pair,
            Err(problem) => return (tag, Some(problem.to_owned())),
        };
        let slot = match key {
            "json" => &mut tag.json,
            "patchStrategy" => &mut tag.patch_strategy,
            "patchMergeKey" => &mut tag.patch_merge_key,
            "protobuf" => {
                tag.protobuf = tag.protobuf.or_else(|| protobuf_number(&value));
                continue;
            }
            _ => continue,
        };
        // The first of several equal keys counts.
        slot.get_or_insert_with(|| value.into_owned());
    }
    (tag, None)
}

/// Returns only the value of `json`.
pub(super) fn json(literal: &str) -> Option<String> {
    let text = unquote(literal)?;
    let mut pairs = pairs(&text).map_while(Result::ok);
    let found = pairs.find(|(key, _)| *key == "json");
    found.map(|(_, value)| value.into_owned())
}

/// Returns the keys and values up to the first error.
fn pairs(text: &str) -> impl Iterator<Item = Result<(&str, Cow<'_, str>), &'static str>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(' ');
        if rest.is_empty() {
            return None;
        }
        let found = pair(rest);
        rest = found.as_ref().map_or("", |(.., behind)| *behind);
        Some(found.map(|(key, value, _)| (key, value)))
    })
}

/// Returns the number in `bytes,1,opt,name=metadata`.
fn protobuf_number(value: &str) -> Option<u64> {
    value.split(',').nth(1)?.parse().ok()
}

/// Parses `key:"value"`; returns the rest as well.
fn pair(text: &str) -> Result<(&str, Cow<'_, str>, &str), &'static str> {
    let is_key = |byte: u8| byte > b' ' && byte != b':' && byte != b'"' && byte != 0x7f;
    let end = text
        .bytes()
        .position(|byte| !is_key(byte))
        .ok_or("the key in the struct tag has no value")?;
    let (key, rest) = text.split_at_checked(end).unwrap_or((text, ""));
    if key.is_empty() {
        return Err("a key is missing in the struct tag");
    }
    let rest = rest
        .strip_prefix(':')
        .ok_or("the key in the struct tag has no value")?;
    if !rest.starts_with('"') {
        return Err("the value in the struct tag is not in double quotes");
    }
    let mut escaped = false;
    let close = rest.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    let close = close.ok_or("the value in the struct tag is not terminated")?;
    let (value, behind) = rest.split_at_checked(close + 2).unwrap_or((rest, ""));
    let value = unquote(value).ok_or("the value in the struct tag has an invalid escape")?;
    Ok((key, value, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(literal: &str, json: Option<&str>, problem: Option<&str>) {
        let (tag, found) = parse(literal);
        assert_eq!(super::json(literal), tag.json, "{literal}");
        assert_eq!(
            (tag.json.as_deref(), found.as_deref()),
            (json, problem),
            "{literal}"
        );
    }

    #[test]
    fn tags_are_read_as_reflect_reads_them() {
        check("``", None, None);
        check(r#"`json:"a,omitempty"`"#, Some("a,omitempty"), None);
        check(r#""json:\"a\"""#, Some("a"), None);
        check(
            r#"`protobuf:"bytes,1,opt,name=a" json:"-,"`"#,
            Some("-,"),
            None,
        );
        check(r#"`json:"a"yaml:"b"`"#, Some("a"), None);
        check(r#"`json:"a" json:"b"`"#, Some("a"), None);
        check(r#"`json:""`"#, Some(""), None);
        check(r#"`json:"a\"b"`"#, Some("a\"b"), None);
        let (tag, _) = parse(r#"`json:"a" patchStrategy:"merge" patchMergeKey:"name"`"#);
        assert_eq!(tag.patch_strategy.as_deref(), Some("merge"));
        assert_eq!(tag.patch_merge_key.as_deref(), Some("name"));
        let (tag, _) = parse(r#"`json:"a" protobuf:"varint,12,opt,name=a"`"#);
        assert_eq!(tag.protobuf, Some(12));
        assert_eq!(parse(r#"`protobuf:"-"`"#).0.protobuf, None);
    }

    #[test]
    fn what_reflect_stops_at_is_told() {
        let no_value = Some("the key in the struct tag has no value");
        check("`json`", None, no_value);
        check(r#"`json "a"`"#, None, no_value);
        check(r#"`json:"a",omitempty`"#, Some("a"), no_value);
        let quotes = Some("the value in the struct tag is not in double quotes");
        check("`json:a`", None, quotes);
        check(r#"`json: "a"`"#, None, quotes);
        check(
            r#"`json:"a`"#,
            None,
            Some("the value in the struct tag is not terminated"),
        );
        check(
            r#"`:"a"`"#,
            None,
            Some("a key is missing in the struct tag"),
        );
        check(
            r#"`json:"\q"`"#,
            None,
            Some("the value in the struct tag has an invalid escape"),
        );
    }
}
