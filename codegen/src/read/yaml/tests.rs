use serde_json::json;

use super::*;

/// As sigs.k8s.io/yaml reads them.
#[test]
fn decimal_numbers_may_have_underscores() {
    let text = "a: 1_0.5\nb: [1__0, -1_0, \"1_0\", 1_0 x]\nc: {1_0: 1_0e2}\nd: 1_0\n  more\ne: 1_0  # ten\n";
    let expected = json!({
        "a": 10.5, "b": [10, -10, "1_0", "1_0 x"], "c": {"10": 1000.0}, "d": "1_0 more", "e": 10
    });
    let source = Source::new("text.yaml", text);
    let read = read_documents(&source).expect("valid YAML");
    assert_eq!(read[0].to_json(), expected);
    let source = Source::new("text.yaml", "a: 1_0\nb: 1__0.5\n");
    let read = read_documents(&source).expect("valid YAML");
    let ranges = read[0]
        .entries()
        .iter()
        .map(|entry| &source.text[entry.value.range.clone()]);
    assert_eq!(ranges.collect::<Vec<_>>(), ["1_0", "1__0.5"]);
}

/// Checks the input's JSON form.
#[track_caller]
fn check_json(text: &str, expected: Value) {
    let source = Source::new("text.yaml", text);
    let documents = read_documents(&source).unwrap_or_default();
    let read: Vec<Value> = documents.iter().map(Node::to_json).collect();
    assert_eq!(Value::Array(read), expected, "{text:?}");
}

#[test]
fn quoted_text_goes_on_with_tabs() {
    check_json(
        "a:\n  b: 'one\n\t\ttwo\n \t three'\n  c: \"x\n\n\ty\"\n",
        json!([{"a": {"b": "one two three", "c": "x\ny"}}]),
    );
}

#[test]
fn every_document_may_start_with_a_byte_order_mark() {
    let documents = json!([{"a": 1}, {"b": 2}]);
    check_json("\u{feff}a: 1\n\u{feff}---\nb: 2\n", documents.clone());
    check_json("a: 1\n---\n\u{feff}b: 2\n", documents);
    check_json(
        "a: 'x\n\ty'\n---\n\u{feff}b: 2\n",
        json!([{"a": "x y"}, {"b": 2}]),
    );
}

#[test]
fn json_objects_stand_one_after_another() {
    let documents = json!([{"a": [1]}, {"b": {}}]);
    check_json("{\"a\": [1]}\n{\"b\": {}}\n", documents.clone());
    check_json("{\n\t\"a\": [1]\n}{\"b\": {}}", documents);
    let source = Source::new("text.json", "{\"a\": 1}\n{\n\"b\": 1,\n\"b\": 2}");
    let error = read_documents(&source).unwrap_err();
    assert!(error.message.contains("duplicate"), "{}", error.message);
    assert_eq!(error.labels[0].place.line_column(), (4, 1));
}

/// The names are those of Go's `sigs.k8s.io/yaml`.
#[test]
fn keys_are_named_as_in_json() {
    for (key, name) in [
        ("y", "true"),
        ("No", "false"),
        ("TRUE", "true"),
        ("'on'", "on"),
        ("\"n\"", "n"),
        ("0777", "511"),
        ("'0777'", "0777"),
        ("0x1F", "31"),
        ("+1", "1"),
        ("1_000", "1000"),
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("1e-7", "1e-07"),
        ("16777217.0", "1.6777216e+07"),
        ("2020-01-01", "2020-01-01"),
        ("1.2.3", "1.2.3"),
    ] {
        check_json(&format!("{key}: 1\n"), json!([{ name: 1 }]));
        check_json(&format!("a: {{{key}: 1}}\n"), json!([{"a": { name: 1 }}]));
        check_json(&format!("a:\n  {key}: 1\n"), json!([{"a": { name: 1 }}]));
    }
}

/// As in Go, of which kubectl and Helm are made.
#[test]
fn the_last_value_of_a_repeated_key_counts() {
    let text = "a:\n  true: 1\n  b: [{c: 1, c: 2}]\n  on: 3\n---\nd: 1\nd: {e: 1}\n";
    let source = Source::new("text.yaml", text);
    let (documents, repeated) = read_repeated(&source).unwrap_or_default();
    let read: Vec<Value> = documents.iter().map(Node::to_json).collect();
    let expected = [
        json!({"a": {"true": 3, "b": [{"c": 2}]}}),
        json!({"d": {"e": 1}}),
    ];
    assert_eq!(read, expected);
    let found: Vec<_> = repeated
        .iter()
        .map(|one| (one.key.as_str(), one.of_document))
        .collect();
    assert_eq!(found, [("true", false), ("c", false), ("d", true)]);
    assert_eq!(&text[repeated[0].range.clone()], "on");
    let error = read_documents(&source).unwrap_err();
    assert_eq!(
        error.message,
        "the YAML cannot be read: duplicate mapping key: true"
    );
    assert_eq!(error.labels[0].place.line_column(), (4, 3));
}

/// A key that a merged map has too is none of them.
#[test]
fn merged_keys_are_not_repeated() {
    for text in [
        "a: &a {b: 1, c: 1}\nd: {<<: *a, b: 2}\n",
        "a: &a {b: 1, c: 1}\nd:\n  b: 2\n  <<: [*a, *a]\n",
    ] {
        check_json(
            text,
            json!([{"a": {"b": 1, "c": 1}, "d": {"b": 2, "c": 1}}]),
        );
    }
}

#[test]
fn a_null_key_is_named_so() {
    check_json("~: 1\nb: 2\n", json!([{"null": 1, "b": 2}]));
}

#[test]
fn places_of_json_objects_are_those_of_the_text() {
    let source = Source::new("text.json", "{\"a\": 1}\n{\"bc\": 2}\n");
    let documents = read_documents(&source).unwrap_or_default();
    let entry = &documents[1].entries()[0];
    assert_eq!(&source.text[entry.range.clone()], "\"bc\"");
}

/// Texts whose quotes do not start scalars are borrowed, since they need no mending.
#[test]
fn texts_that_the_parser_takes_are_left_alone() {
    for text in [
        "a: |\n  b: 'open\n c\nd: 1\n",
        "- a: >-\n    b: \"open\n- c: 1\n",
        "- a: |\n    it's\n  b: it's\n  c: 1\n",
        "# a: 'open\na: 1 # b: 'open\nb: 2\n",
        "a: plain\n  'no quote, it's\nb: x, 'y\nc: 1\n",
        "a: 'one\n  two'\nb: \"c\\\n  d\"\n",
        "a: {b: 'c\n  d', e: [\"f\", 'g']}\nh: 'it''s'\n",
        "a: &x 'b'\nc: !!str \"d\"\n",
        "{\"a\": \"b\",\n\"c\": \"d\"}\n",
        "--- 'a\n  b'\n--- |\n 'c\n",
    ] {
        assert!(!mend::mend(text).is_changed(), "{text}");
    }
}

#[test]
fn places_of_a_mended_text_are_those_of_the_source() {
    let text = "\u{feff}a: 'one\ntwo\n\t three'\nkey: 'x\n\u{feff}y'\nlast: 1\n";
    let source = Source::new("text.yaml", text);
    let documents = read_documents(&source).unwrap_or_default();
    let entries = documents[0].entries();
    assert_eq!(entries[0].value.as_str(), Some("one two three"));
    let names: Vec<&str> = entries
        .iter()
        .map(|entry| &text[entry.range.clone()])
        .collect();
    assert_eq!(names, ["a", "key", "last"]);
    let broken = Source::new("text.yaml", "a: 'one\ntwo'\nb: [1\nc: 2\n");
    let plain = Source::new("text.yaml", "a: 'one\n two'\nb: [1\nc: 2\n");
    let place = |source| {
        read_documents(source).unwrap_err().labels[0]
            .place
            .line_column()
    };
    assert_eq!(place(&broken), place(&plain));
}

#[test]
fn places_are_those_of_the_text() {
    let source = Source::new("text.yaml", "a: 1\nbé:\n  - x\n");
    let documents = read_documents(&source).unwrap_or_default();
    let entries = documents[0].entries();
    assert_eq!(&source.text[entries[1].range.clone()], "bé");
    assert_eq!(&source.text[entries[1].value.items()[0].range.clone()], "x");
}
