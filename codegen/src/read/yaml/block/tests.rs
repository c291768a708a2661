use proptest::prelude::*;

use super::*;
use crate::read::yaml::{mend, parse};

/// Checks that both readers agree on a text, if this one reads it.
#[track_caller]
fn check(text: &str) -> bool {
    let Some(read) = read(text) else {
        return false;
    };
    let slowly = parse(&mend::mend(text), 0);
    let slowly = slowly.map_err(|error| error.to_string());
    assert_eq!(Ok(read), slowly, "{text:?}");
    true
}

/// All strings of up to four characters that matter to numbers, booleans or null, and similar
/// strings.
#[test]
fn scalars_are_what_they_are_to_serde_saphyr() {
    let parts = [
        "", "0", "1", "7", "9", "-", "+", ".", "_", "e", "E", "x", "o", "b", "f", "n", "N", "a",
        "inf", "Inf", "nan", "~", "=", "y", "Y", "yes", "No", "on", "off", "true", "TRUE", "False",
        "null", "Null", "NULL", " ", ":", "<", "é",
    ];
    let mut read = 0;
    for a in parts {
        for b in parts {
            for c in parts {
                read += usize::from(check(&format!("k: {a}{b}{c}\n")));
                check(&format!("k: [{a}{b}{c}]\n"));
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
        check(&format!("k: [{text}]\n- {text}\n"));
        check(&format!("k: {{a: {text}, {text}: b}}\n"));
        check(text);
    }
}

#[test]
fn what_has_no_value_is_where_serde_saphyr_says() {
    for text in [
        "- # ",
        "- # x\n- a\n",
        "-\n-   \n- b\n",
        "- # x\n  a: 1\n",
        "a:\n- # x\n-\n",
        "a: # x\nb:   \n",
    ] {
        assert!(check(text), "{text:?}");
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
        assert_eq!(read(text), None, "{text:?}");
    }
}

#[test]
fn what_is_larger_than_serde_saphyr_reads_is_left_to_it() {
    let documents = |count| "---\na: 1\n".repeat(count);
    assert!(check(&documents(100)));
    assert_eq!(read(&documents(MAX_DOCUMENTS + 1)), None);
    assert_eq!(read(&"a:\n".repeat(MAX_NODES)), None);
    let check = |text: String| crate::threads::run(|| check(&text)).unwrap_or_default();
    let nested = |depth| "- ".repeat(depth) + "a\n";
    assert!(check(nested(MAX_DEPTH - 1)));
    assert_eq!(read(&nested(100_000)), None);
    let flow = |depth| format!("a: {}{}\n", "[".repeat(depth), "]".repeat(depth));
    assert!(check(flow(MAX_DEPTH - 1)));
    assert_eq!(read(&flow(100_000)), None);
}

/// All sequences of content lines, blank lines and other lines within each scalar style.
#[test]
fn scalars_of_several_lines_are_what_they_are_to_serde_saphyr() {
    let lines = [
        "",
        "   ",
        "x",
        " x",
        "  x",
        "  x ",
        "    y",
        "  - x",
        "  # x",
        "  x # y",
        "  x: y",
        "  \\",
        "  \\n \\",
        "  \\x41\\u00e9 \\/",
        "---",
        "b: c",
        "# d",
    ];
    let mut read = 0;
    for (start, end) in [
        ("a: ", ""),
        ("a: w", ""),
        ("a: w # x", ""),
        ("a:", ""),
        ("- ", ""),
        ("- a: w", ""),
        ("a: 'w", "'"),
        ("a: ' ", "  '"),
        ("- '", "\n  '"),
        ("a: \"w ", "\""),
        ("a: \"", "  \" # x"),
        ("a:\n  'w", "'"),
        ("a: |", ""),
        ("a: |-", ""),
        ("a: |+", ""),
        ("- a: |", ""),
        ("a: | ", ""),
        ("a: >", ""),
        ("a: >-", ""),
        ("a: >+", ""),
    ] {
        for one in lines {
            for two in lines {
                for three in lines {
                    for last in ["\n", "\nb: c\n", "\n  b: c\n"] {
                        let text = format!("{start}\n{one}\n{two}\n{three}{end}{last}");
                        read += usize::from(check(&text));
                    }
                }
            }
        }
    }
    assert!(read > 50_000, "{read}");
}

proptest! {
    /// Texts assembled from all elements of the syntax, most of which are not valid YAML.
    #[test]
    fn what_is_read_is_what_serde_saphyr_reads(parts in prop::collection::vec(part(), 0..24)) {
        check(&parts.concat());
    }

    /// Nested block mappings and lists, most of which are valid.
    #[test]
    fn documents_are_what_they_are_to_serde_saphyr(lines in prop::collection::vec((0..4_usize, line()), 1..16)) {
        let lines = lines.iter().map(|(depth, line)| format!("{:1$}{line}\n", "", depth * 2));
        check(&lines.collect::<String>());
    }
}

fn part() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a", "b: ", "c:\n", "- ", "\n", "\n  ", "\n    ", " ", "'", "\"", "|\n", ">-\n", "# ", "#",
        "[", "]", "{", "}", ", ", ",", ":", "? ", "&x ", "*x", "!!str ", "<<: ", "---\n", "...\n",
        "--- ", "1", "0", "~", "null", "true", "\t", "\r\n", "\\n", "é", "\u{feff}", "%",
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
        "t: it's",
        "u: 'it''s",
        "v: \"\\",
        "w: |+",
        "x: >",
        "",
        "  ",
        "y  # z",
        "z: {'a': \"b\", c: [ ]}  # d",
        "- - a: b",
        "- |-",
        "- 'c",
        "...",
        "A: b: c",
        "B: - c",
        "\"C\"",
    ])
}
