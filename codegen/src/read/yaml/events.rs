//! From the parser's events to nodes without serde between them, for the YAML that CRDs are written in.
//!
//! serde-saphyr copies every event several times, hashes every key and asks of every scalar which of all types it might be: half of
//! the time of reading. It is left to what is read here with doubt: anchors, tags, directives, merged and equal keys, keys that
//! are not texts, and errors. What is read here is what serde-saphyr reads, by the same parser.

use granit_parser::{Event, Options, Parser, ScalarStyle};

use super::{Entry, MAX_DOCUMENTS, Node, Yaml, parse_scalar};

/// The documents of a text of so many nodes at most; none where serde-saphyr has to read it, and to refuse what has more.
pub(super) fn read(text: &str, most_nodes: usize) -> Option<Vec<Node>> {
    // The parser's limits are those of serde-saphyr, or lower; it counts neither nodes nor documents.
    let mut options = Options::default();
    options.emit_comments = false;
    let mut documents = Vec::new();
    let mut open: Vec<Open> = Vec::new();
    let mut nodes = 0;
    for event in Parser::new_from_str_with_options(text, options) {
        let event = event.ok()?.0;
        nodes += usize::from(!matches!(event, Event::MappingEnd | Event::SequenceEnd));
        if nodes > most_nodes || documents.len() > MAX_DOCUMENTS {
            return None;
        }
        let done = match event {
            Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_, None)
            | Event::DocumentEnd => continue,
            Event::MappingStart(_, 0, None) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::SequenceStart(_, 0, None) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::Scalar(text, style, 0, None) => match open.last_mut() {
                Some(Open::Map(_, key @ None)) => {
                    *key = Some(read_key(&text, style)?);
                    continue;
                }
                _ => scalar(&text, style)?,
            },
            Event::MappingEnd | Event::SequenceEnd => open.pop()?.close()?,
            _ => return None,
        };
        let node = Node {
            value: done,
            range: 0..0,
        };
        match open.last_mut() {
            Some(open) => open.add(node)?,
            None => documents.push(node),
        }
    }
    Some(documents)
}

/// A list or map whose end has not come.
enum Open {
    List(Vec<Node>),
    /// With the key whose value comes next.
    Map(Vec<Entry>, Option<String>),
}

impl Open {
    fn add(&mut self, value: Node) -> Option<()> {
        match self {
            Self::List(items) => items.push(value),
            // Without a key, a list or map is one.
            Self::Map(entries, key) => entries.push(Entry {
                key: key.take()?,
                range: 0..0,
                value,
            }),
        }
        Some(())
    }

    fn close(self) -> Option<Yaml> {
        match self {
            Self::List(items) => Some(Yaml::List(items)),
            Self::Map(entries, _) => has_distinct_keys(&entries).then_some(Yaml::Map(entries)),
        }
    }
}

/// Whether no key stands twice. Tools write keys in order, so that there is nothing to sort.
fn has_distinct_keys(entries: &[Entry]) -> bool {
    let keys = entries.iter().map(|entry| entry.key.as_str());
    if keys.clone().is_sorted_by(|a, b| a < b) {
        return true;
    }
    let mut keys: Vec<&str> = keys.collect();
    keys.sort_unstable();
    keys.windows(2).all(|pair| pair[0] != pair[1])
}

/// A key that is a text, and merges nothing.
fn read_key(text: &str, style: ScalarStyle) -> Option<String> {
    let is_text = style != ScalarStyle::Plain || is_text(text);
    (is_text && text != "<<").then(|| own(text))
}

/// A copy that takes no more memory than the text: those of the parser have room for more, and descriptions stay for long.
fn own(text: &str) -> String {
    text.to_owned()
}

fn scalar(text: &str, style: ScalarStyle) -> Option<Yaml> {
    if style != ScalarStyle::Plain || is_text(text) {
        return Some(Yaml::String(own(text)));
    }
    match text {
        "true" => return Some(Yaml::Bool(true)),
        "false" => return Some(Yaml::Bool(false)),
        _ => {}
    }
    let is_decimal = text.len() < 19
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.len() == 1 || !text.starts_with('0'));
    match text.parse::<u64>() {
        Ok(number) if is_decimal => Some(Yaml::Number(number.into())),
        _ => parse_scalar(text),
    }
}

/// Whether a plain scalar is a text for certain, in the core schema and YAML 1.1's: no null, boolean or number.
fn is_text(text: &str) -> bool {
    match text.as_bytes() {
        [] | [b'~'] => false,
        [b'0'..=b'9' | b'+' | b'-' | b'.', ..] => !text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte)),
        bytes if bytes.len() > "false".len() => true,
        _ => !WORDS.iter().any(|word| word.eq_ignore_ascii_case(text)),
    }
}

/// What else is no text, in any case of letters; none is longer than `false`.
const WORDS: [&str; 9] = ["true", "yes", "y", "on", "false", "no", "n", "off", "null"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::read::yaml::{MAX_NODES, mend, parse, without_nulls};

    /// What both readers make of a text, if this one reads it.
    #[track_caller]
    fn check(text: &str) -> bool {
        let Some(read) = read(text, MAX_NODES) else {
            return false;
        };
        let slowly = parse::<false>(&mend::as_it_is(text), 0);
        let slowly = slowly.map_err(|error| error.to_string());
        assert_eq!(Ok(without_nulls(read)), slowly, "{text:?}");
        true
    }

    /// Every text of up to four characters that matter to numbers, booleans or null, and what is most like them.
    #[test]
    fn scalars_are_what_they_are_to_serde_saphyr() {
        let parts = [
            "", "0", "1", "7", "9", "-", "+", ".", "_", "e", "E", "x", "o", "b", "f", "n", "N",
            "a", "inf", "Inf", "nan", "~", "=", "y", "Y", "yes", "No", "on", "off", "true", "TRUE",
            "False", "null", "Null", "NULL", " ", ":", "<", "é",
        ];
        let mut read = 0;
        for a in parts {
            for b in parts {
                for c in parts {
                    read += usize::from(check(&format!("k: {a}{b}{c}\n")));
                }
                read += usize::from(check(&format!("- {a}{b}\n- {b}\n")));
                read += usize::from(check(&format!("{a}{b}: {b}\n")));
            }
        }
        assert!(read > 30_000, "{read}");
        for text in [
            "18446744073709551615",
            "18446744073709551616",
            "9223372036854775807",
            "999999999999999999",
            "1000000000000000000",
            "-9223372036854775808",
            "-9223372036854775809",
            "00",
            "0777",
            "08",
            "0o17",
            "0x1F",
            "0b11",
            "1_000",
            "1e3",
            "1e999",
            "2024-01-01",
            "1.5",
            "-.inf",
            ".NaN",
            "+1",
            "-0",
            "---a",
            "10s",
            "0.17.0",
            "12:30",
            "1,5",
            "'1'",
            "\"true\"",
            "|\n 1",
            ">-\n 1\n 2",
            "a\n b",
        ] {
            check(&format!("k: {text}\n"));
            check(&format!("k: [{text}]\n"));
            check(text);
        }
    }

    #[test]
    fn what_is_doubtful_is_left_to_serde_saphyr() {
        for text in [
            "a: 1\na: 2\n",
            "b: 1\na: 2\nb: 3\n",
            "a: 1\n'a': 2\n",
            "a: &x 1\nb: *x\n",
            "<<: {a: 1}\n",
            "a: !!str 1\n",
            "? [a]\n: 1\n",
            "? {a: 1}\n: 1\n",
            "1: a\n",
            "yes: a\n",
            "~: a\n",
            "%YAML 1.2\n---\na: 1\n",
            "a: [1\n",
            "k: .inf\n",
        ] {
            assert_eq!(read(text, MAX_NODES), None, "{text:?}");
        }
    }

    #[test]
    fn what_is_larger_than_serde_saphyr_reads_is_left_to_it() {
        let read = |text: &str, most| read(text, most).is_some();
        // With the start and end of the stream and of the document.
        assert!(read("a: [1, 2, 3]\n", 20) && !read("a: [1, 2, 3]\n", 5));
        let documents = |count| "--- a\n".repeat(count);
        assert!(read(&documents(MAX_DOCUMENTS), MAX_NODES));
        assert!(!read(&documents(MAX_DOCUMENTS + 1), MAX_NODES));
    }

    proptest! {
        /// Texts of all that the syntax is made of, most of which are no YAML.
        #[test]
        fn what_is_read_is_what_serde_saphyr_reads(parts in prop::collection::vec(part(), 0..24)) {
            check(&parts.concat());
        }

        /// Nested block mappings and lists, most of which are.
        #[test]
        fn documents_are_what_they_are_to_serde_saphyr(lines in prop::collection::vec((0..4_usize, line()), 1..16)) {
            let lines = lines.iter().map(|(depth, line)| format!("{:1$}{line}\n", "", depth * 2));
            check(&lines.collect::<String>());
        }
    }

    fn part() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a", "b: ", "c:\n", "- ", "\n", "\n  ", "\n    ", " ", "'", "\"", "|\n", ">-\n", "# ",
            "#", "[", "]", "{", "}", ", ", ",", ":", "? ", "&x ", "*x", "!!str ", "<<: ", "---\n",
            "...\n", "--- ", "1", "0", "~", "null", "true", "\t", "\r\n", "\\n", "é", "\u{feff}",
            "%",
        ])
    }

    fn line() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "a: 1",
            "b: text",
            "c:",
            "d: |",
            "e: >-",
            "- f: x",
            "- g",
            "-",
            "h: 'i",
            "j'",
            "k: \"l\"",
            "m: [n, 1, {o: p}]",
            "q: {}",
            "# r",
            "a: 2",
            "s: t",
            "u: it's",
            "---",
            "\"v\": w",
            "x y z",
            "null",
            "a: &n x",
            "b: *n",
        ])
    }
}
