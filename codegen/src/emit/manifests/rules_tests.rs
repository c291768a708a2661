use std::{collections::BTreeMap, path::Path, sync::Arc};

use kube_schema::cel::{
    decl::{Decl, Level},
    examine::{OldSelf, Verdict, examine},
};

use super::{super::schema::RULES, findings, *};

fn testdata(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../testdata")
        .join(path)
}

/// Parses a schema as written in a CRD.
fn read(value: &Value) -> Schema {
    let mut schema = Schema::default();
    for (word, value) in value.as_object().into_iter().flatten() {
        match word.as_str() {
            "properties" => {
                let properties = value.as_object().into_iter().flatten();
                schema.properties = properties
                    .map(|(k, v)| (k.clone(), read(v).into()))
                    .collect();
            }
            "required" => {
                let names = value.as_array().into_iter().flatten();
                schema.required = names.map(|it| it.as_str().unwrap().to_owned()).collect();
            }
            "items" => schema.items = Some(read(value).into()),
            "additionalProperties" if value.is_object() => {
                schema.additional = Some(read(value).into());
            }
            _ => schema.words.set(word.clone().leak(), value.clone()),
        }
    }
    schema
}

/// The schema at a path such as `.spec.list[]`.
fn within<'s>(mut schema: &'s mut Schema, place: &str) -> &'s mut Schema {
    for segment in place.split('.').filter(|segment| !segment.is_empty()) {
        let (name, items) = segment.split_once('[').unwrap_or((segment, ""));
        schema = Arc::make_mut(schema.properties.get_mut(name).unwrap());
        for _ in items.matches(']') {
            let below = schema.items.as_mut().or(schema.additional.as_mut());
            schema = Arc::make_mut(below.unwrap());
        }
    }
    schema
}

/// Each rule of the table gets the same verdict as from the API server, as recorded by `hack/rules.sh`.
#[test]
fn verdicts_are_those_of_the_api_server() {
    let schema = std::fs::read_to_string(testdata("rules/schema.json")).unwrap();
    let schema = read(&serde_json::from_str(&schema).unwrap());
    let table = std::fs::read_to_string(testdata("rules/rules.tsv")).unwrap();
    let mut wrong = Vec::new();
    for row in table.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [place, expected, reason, rule, rest @ ..] = columns.as_slice() else {
            panic!("{row}");
        };
        let mut schema = schema.clone();
        let mut own = serde_json::json!({"rule": rule});
        if let [message] = rest {
            own["messageExpression"] = (*message).into();
        }
        let words = &mut within(&mut schema, place).words;
        words.set(RULES, Value::Array(vec![own]));
        let found = findings(&schema);
        let got = if found.is_empty() {
            "accepted"
        } else {
            "refused"
        };
        let factor = reason.strip_prefix("factor of ");
        let factor = factor.map(|it| format!("factor of {}", it.trim_end_matches('x')));
        let has_factor = factor.is_none_or(|factor| found.iter().any(|it| it.contains(&factor)));
        if got != *expected || !has_factor {
            wrong.push(format!("{row}: {found:#?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[track_caller]
fn check(place: &str, rule: &str, expected: &[&str]) {
    let schema = std::fs::read_to_string(testdata("rules/schema.json")).unwrap();
    let mut schema = read(&serde_json::from_str(&schema).unwrap());
    let words = &mut within(&mut schema, place).words;
    words.set(RULES, serde_json::json!([{"rule": rule}]));
    assert_eq!(findings(&schema), expected, "{rule}");
}

#[test]
fn a_fault_says_what_to_write_instead() {
    #[rustfmt::skip]
    let cases = [
        ("self.mni > 0", "there is no field `mni`; did you mean `min`?"),
        ("min > 0", "there is no variable `min`; the value is `self`: write `self.min`"),
        ("oldself.min > 0", "there is no variable `oldself`; did you mean `oldSelf`?"),
        ("self.text.startWith('a')", "there is no function `startWith`; did you mean `startsWith`?"),
        ("sets.contain([1], [1])", "there is no function `sets.contain`; did you mean `sets.contains`?"),
        ("self.list.name == ''", "`name` is a field of a list; only objects and maps have fields"),
        ("self.any == 1",
            "rules cannot read the field `any`; its schema has no type: rules only see values whose type the schema specifies"),
        ("self.text > 1",
            "`>` does not take (string, int); among others it takes (int, int), (uint, uint), (double, double), (bool, bool)"),
        ("self.text == null",
            "`==` does not take (string, null); only objects, times and durations can be null: ask `has(…)` whether a field is there"),
        ("self.min.startsWith('a')", "`startsWith` does not take int.(string); it takes string.(string)"),
        ("self.text",
            "a rule must be of type bool, found type string; write a condition, such as `self.min <= self.max`"),
    ];
    for (rule, expected) in cases {
        let expected = format!("the API server refuses a rule of `.spec`: {expected}");
        check(".spec", rule, &[&expected]);
    }
}

#[test]
fn a_rule_that_costs_too_much_is_told_what_to_bound() {
    let check = |place: &str, rule: &str, at: &str, bounds: &str| {
        let schema = std::fs::read_to_string(testdata("rules/schema.json")).unwrap();
        let mut schema = read(&serde_json::from_str(&schema).unwrap());
        let words = &mut within(&mut schema, place).words;
        words.set(RULES, serde_json::json!([{"rule": rule}]));
        let found = findings(&schema).join("\n");
        assert!(found.contains(&format!("a rule of `{at}`")), "{found}");
        assert!(
            found.ends_with(&format!("; simplify the rule, or add {bounds}")),
            "{found}"
        );
    };
    check(
        ".spec",
        "self.list.all(x, self.list.exists(y, y.name == x.name))",
        ".spec",
        "MaxItems of `.spec.list`",
    );
    check(
        ".spec",
        "self.list.all(x, x.value.matches('^[a-z]*$'))",
        ".spec",
        "MaxItems of `.spec.list`, MaxLength of `.spec.list[].value`",
    );
    check(
        ".spec.list[]",
        "self.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
        ".spec.list",
        "MaxItems of `.spec.list`",
    );
}

/// The rules of a version are too expensive together, though none is by itself.
#[test]
fn rules_are_also_too_expensive_together() {
    let schema = std::fs::read_to_string(testdata("rules/schema.json")).unwrap();
    let mut schema = read(&serde_json::from_str(&schema).unwrap());
    let rule = serde_json::json!({"rule": "self.list.all(x, x.name.startsWith('a'))"});
    let words = &mut within(&mut schema, ".spec").words;
    words.set(RULES, Value::Array(vec![rule; 100]));
    let found = findings(&schema);
    assert!(
        matches!(found.as_slice(), [one] if one.contains("together their estimated cost")),
        "{found:?}"
    );
}

/// API servers have accepted the published CRDs.
#[test]
fn rules_of_published_crds_have_no_fault() {
    let mut count = 0;
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for project in std::fs::read_dir(testdata("crds")).unwrap() {
        let project = project.unwrap().path();
        // The CRDs of `features` are artificial: no API server has accepted them.
        if !project.is_dir() || project.ends_with("features") {
            continue;
        }
        let files = std::fs::read_dir(&project).unwrap();
        for file in files {
            let file = file.unwrap().path();
            let text = std::fs::read_to_string(&file).unwrap();
            for crd in text.split("\n---\n") {
                let Ok(crd) = serde_saphyr::from_str::<Value>(crd) else {
                    continue;
                };
                for version in crd["spec"]["versions"].as_array().into_iter().flatten() {
                    let schema = &version["schema"]["openAPIV3Schema"];
                    if !schema.is_object() {
                        continue;
                    }
                    count += schema.to_string().matches("\"rule\":").count();
                    let found = findings(&read(schema));
                    if !found.is_empty() {
                        wrong.insert(file.display().to_string(), found);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 50, "{count}");
}

#[test]
fn no_text_makes_the_parser_or_the_checks_panic() {
    let schema = std::fs::read_to_string(testdata("rules/schema.json")).unwrap();
    let schema = read(&serde_json::from_str(&schema).unwrap());
    let decl = Decl::of(&schema, Level::Object, "").unwrap();
    let faults = |text: &str| match examine(text, Purpose::Rule, OldSelf::Value, &decl) {
        Verdict::Faults(faults) => faults.len(),
        _ => 0,
    };
    assert_eq!(faults(&"(".repeat(100_000)), 1);
    // Each call copies the previous list.
    let chain = ".optMap(x, x)".repeat(100);
    assert_eq!(faults(&format!("self.?spec{chain}.hasValue()")), 0);
    let words = [
        "self",
        ".spec",
        ".list",
        ".text",
        ".all(x, ",
        ".map(x, ",
        ".filter(x, ",
        "x",
        ".name",
        ")",
        "(",
        "[0]",
        "[",
        "]",
        " == ",
        " + ",
        " && ",
        " ? ",
        " : ",
        "1",
        "'a'",
        "null",
        "{",
        "}",
        ", ",
        ".?min",
        ".optMap(x, ",
        ".join()",
        ".orValue(",
        "size(",
        "dyn(",
        "has(",
        "type",
        "-",
        "!",
    ];
    let expression = proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..14);
    proptest::proptest!(|(parts in expression, text in "[a-z0-9_.()\\[\\]{}'\"\\\\?:,+!=<>&| \\n\u{e9}]{0,40}")| {
        faults(&parts.concat());
        faults(&text);
    });
}
