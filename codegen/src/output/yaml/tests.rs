use std::{env, fs, path::Path};

use serde_json::{Value, json};

use super::{Branch, LARGE, Part, document, to_yaml};
use crate::{read::yaml::read_documents, source::Source, threads};

/// Go's results, one per line: a JSON value, a tab, and its YAML as a JSON string. `hack/yaml.sh`
/// generates the table, and longer ones for `YAML_TABLE`.
const TABLE: &str = include_str!("go.tsv");

#[test]
fn yaml_is_gos_byte_for_byte() {
    let table = match env::var("YAML_TABLE") {
        Ok(path) => fs::read_to_string(path).unwrap(),
        Err(_) => TABLE.to_owned(),
    };
    let mut different = 0;
    for line in table.lines() {
        let (value, expected) = line.split_once('\t').unwrap();
        let expected: String = serde_json::from_str(expected).unwrap();
        let written = to_yaml(&serde_json::from_str::<Value>(value).unwrap());
        if written != expected {
            different += 1;
            if different < 6 {
                report(value, &expected, &written);
            }
        }
    }
    assert!(table.lines().count() > 100, "the table is short");
    assert_eq!(different, 0, "lines that differ");
}

#[allow(clippy::print_stderr, reason = "the message of a failed test")]
fn report(value: &str, expected: &str, written: &str) {
    eprintln!("{value}\n--- Go\n{expected:?}\n--- ours\n{written:?}\n");
}

struct Shared(Value);

impl Branch for Shared {
    fn part(&self) -> Part<'_> {
        Part::Map(Part::members(&self.0))
    }
}

/// A shared branch is printed as if it occurred only once, at the same and at different
/// indentations.
#[test]
fn branches_are_printed_wherever_they_stand() {
    let long = "word ".repeat(40) + "end";
    for shared in [
        json!({}),
        json!({"a": 1}),
        json!({"text": "one\ntwo\n", "list": [{"a": [], "b": long}]}),
        json!({"z": long, "a": {"b": null}}),
    ] {
        let shared = Shared(shared);
        let branch = || Part::Branch(&shared);
        let whole = Part::Map(
            [
                ("a", branch()),
                ("b", branch()),
                (
                    "below",
                    Part::Map([("c", branch()), ("a longer key", branch())].into()),
                ),
                (
                    "list",
                    Part::List(vec![branch(), branch(), Part::Text("é")]),
                ),
            ]
            .into(),
        );
        let alone = whole.to_json();
        assert_eq!(document(&whole), format!("---\n{}", to_yaml(&alone)));
        assert_eq!(whole.json_bytes(), alone.to_string().len(), "{alone}");
    }
}

/// CRDs published by projects, as controller-gen wrote them.
#[test]
fn what_controller_gen_wrote_is_printed_alike() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../testdata/crds");
    let mut files = 0;
    for project in ["cert-manager", "gateway-api"] {
        for file in fs::read_dir(root.join(project)).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let text = fs::read_to_string(&file).unwrap();
            let body = text.rsplit_once("\n---\n").map_or(&*text, |(_, body)| body);
            let source = Source::new("crd.yaml", body);
            let documents = read_documents(&source).unwrap();
            assert_eq!(documents.len(), 1);
            let written = to_yaml(&documents[0].to_json());
            assert!(written == body, "{} is printed otherwise", file.display());
            files += 1;
        }
    }
    assert!(files > 10, "{files} files");
}

/// Writing the halves of a large mapping on two threads gives the same output as writing it on one.
#[test]
fn large_mappings_are_written_as_small_ones() {
    let texts = [
        "a",
        "",
        "two\nlines\n",
        "two\nlines",
        " space",
        "- a: b",
        "#",
    ];
    let values = texts.map(Value::from).into_iter().chain([
        json!({}),
        json!([]),
        json!({"a": {"b": ["c", {"d": "e\nf\n"}]}}),
        json!([["a"], [{}]]),
    ]);
    for value in values {
        for count in [LARGE - 1, LARGE, LARGE + 1] {
            let names = (0..count).map(|index| format!("key{index:03}"));
            let members = names.map(|name| (name, value.clone()));
            let large = Value::Object(members.collect());
            let both = json!({"k".repeat(200): large, "list": [large, large], "text": value});
            let alone: String = large
                .as_object()
                .into_iter()
                .flatten()
                .map(|(name, value)| to_yaml(&json!({ name: value })))
                .collect();
            assert_eq!(to_yaml(&large), alone, "{count} of {value}");
            let on_threads = threads::run(|| (to_yaml(&large), to_yaml(&both))).expect("threads");
            assert_eq!(on_threads.0, alone, "{count} of {value}");
            assert_eq!(on_threads.1, to_yaml(&both), "{count} of {value}");
            let read: Value = serde_saphyr::from_str(&on_threads.1).expect("YAML");
            assert_eq!(read, both, "{count} of {value}");
        }
    }
}
