//! Tests the messages of rules against those of kube-apiserver 1.36.3.

#![cfg(feature = "cel")]

use serde_json::{Value, json};

use crate::Structural;

/// A kind with every type of rule.
fn schema() -> Structural {
    let spec = json!({
        "type": "object",
        "x-kubernetes-validations": [
            {"rule": "!has(self.max) || self.min <= self.max", "messageExpression": "'min too large'", "fieldPath": ".min",
             "reason": "FieldValueForbidden"},
            {"rule": "self.min == oldSelf.min", "message": " immutable "},
            {"rule": "!has(self.m) || self.m['x'] == 1"},
            {"rule": "self.min != 7", "reason": "FieldValueDuplicate"},
            {"rule": "self.min != 8", "reason": "FieldValueRequired", "message": "needed"},
            {"rule": "self.min / (self.min - 9) != 77"},
            {"rule": "!has(self.list) || self.list[5] == 'a'"},
            {"rule": "!has(self.ios) || self.ios + 1 == 2"},
            {"rule": "!has(self.dur) || self.dur < duration('1m')"},
        ],
        "properties": {
            "min": {"type": "integer", "maximum": 50, "x-kubernetes-validations": [{"rule": "self != 3", "message": "not three"}]},
            "max": {"type": "integer"},
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
            "list": {"type": "array", "items": {"type": "string", "enum": ["a", "b"],
                "x-kubernetes-validations": [{"rule": "self != 'b'"}]}},
            "ios": {"x-kubernetes-int-or-string": true},
            "dur": {"type": "string", "format": "duration"},
        },
    });
    let root = [
        json!({"rule": "self.metadata.name.startsWith('a')", "message": "name must start with a"}),
    ];
    let schema =
        json!({"type": "object", "x-kubernetes-validations": root, "properties": {"spec": spec}});
    Structural::compile(&schema).unwrap()
}

fn object(name: &str, spec: Value) -> Value {
    json!({"apiVersion": "a/v1", "kind": "A", "metadata": {"name": name}, "spec": spec})
}

fn check(object: &Value, expected: &[&str]) {
    let errors = schema().validate(object);
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(shown, expected, "{object}");
}

#[test]
fn rules_refuse_in_the_words_of_the_api_server() {
    let spec = |spec: Value, expected: &[&str]| check(&object("a", spec), expected);
    spec(json!({"min": 5}), &[]);
    spec(
        json!({"min": 5, "max": 1}),
        &["spec.min: Forbidden: min too large"],
    );
    spec(json!({"min": 7}), &["spec: Duplicate value"]);
    spec(json!({"min": 8}), &["spec: Required value: needed"]);
    spec(
        json!({"min": 3}),
        &["spec.min: Invalid value: 3: not three"],
    );
    spec(
        json!({"min": 5, "dur": "2m"}),
        &["spec: Invalid value: failed rule: !has(self.dur) || self.dur < duration('1m')"],
    );
    check(
        &object("b", json!({"min": 5})),
        &["<nil>: Invalid value: name must start with a"],
    );
}

#[test]
fn errors_of_evaluation_are_reported_with_the_type_of_the_value() {
    let spec = |spec: Value, expected: &[&str]| check(&object("a", spec), expected);
    spec(
        json!({"min": 9}),
        &[
            "spec: Invalid value: \"object\": division by zero evaluating rule: self.min / (self.min - 9) != 77",
        ],
    );
    spec(
        json!({"min": 5, "m": {"y": 1}}),
        &[
            "spec: Invalid value: \"object\": no such key: x evaluating rule: !has(self.m) || self.m['x'] == 1",
        ],
    );
    spec(
        json!({"min": 5, "list": ["a", "b"]}),
        &[
            "spec: Invalid value: \"object\": index out of bounds: 5 evaluating rule: !has(self.list) || self.list[5] == 'a'",
            "spec.list[1]: Invalid value: \"b\": failed rule: self != 'b'",
        ],
    );
    spec(
        json!({"min": 5, "ios": "a"}),
        &[
            "spec: Invalid value: \"object\": 'no such overload': call arguments did not match a supported operator, function or macro signature for rule: !has(self.ios) || self.ios + 1 == 2",
        ],
    );
}

#[test]
fn some_errors_keep_rules_from_being_evaluated() {
    check(
        &object("a", json!({"min": 5, "max": 1, "list": ["c"]})),
        &[
            "spec.list[0]: Unsupported value: \"c\": supported values: \"a\", \"b\"",
            "<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        ],
    );
    check(
        &object("a", json!({"min": 60, "max": 3})),
        &[
            "spec.min: Invalid value: 60: spec.min in body should be less than or equal to 50",
            "spec.min: Forbidden: min too large",
        ],
    );
}

#[test]
fn rules_about_the_old_value_apply_to_updates() {
    let update = |old: Value, new: Value| {
        let errors = schema().validate_update(&object("a", old), &object("a", new));
        errors.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        update(json!({"min": 5}), json!({"min": 6})),
        ["spec: Invalid value: immutable"]
    );
    // Ratcheting: the rule did not hold before either.
    assert!(update(json!({"min": 3}), json!({"min": 3, "max": 4})).is_empty());
}

/// Returns the result of an expression about `{}`: the value by `string()`, or the error.
fn eval(expression: &str) -> String {
    let schema = json!({"type": "object", "x-kubernetes-validations": [
        {"rule": "false", "messageExpression": format!("'=' + string({expression})")},
    ]});
    let errors = Structural::compile(&schema).unwrap().validate(&json!({}));
    let detail = errors.first().map(|error| error.detail.clone());
    detail.unwrap_or_default().replacen('=', "", 1)
}

#[test]
fn functions_of_the_libraries_are_known() {
    #[rustfmt::skip]
    let cases = [
        ("[1, 2, 3].filter(x, x > 1).map(x, x * 2).sum()", "10"),
        ("[3, 1, 2].sort().map(x, string(x)).join('-')", "1-2-3"),
        ("['b', 'a'].sortBy(x, x)[0]", "a"),
        ("{'a': 1, 'b': 2}.all(k, v, v > 0)", "true"),
        ("{'a': 1}.transformMap(k, v, v + 1)['a']", "2"),
        ("[1, 2].exists_one(x, x == 1)", "true"),
        ("'a-b-c'.split('-').size()", "3"),
        ("'abc'.substring(1) + 'ABC'.lowerAscii().charAt(0)", "bca"),
        ("'a1b22'.find('[0-9]+') + 'a1b22'.findAll('[0-9]+')[1]", "122"),
        ("'héllo'.size()", "5"),
        ("url('https://a.io:8443/p?x=1').getPort()", "8443"),
        ("cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true"),
        ("isURL('http://#%blah$#@')", "false"),
        ("ip('::1').family()", "6"),
        ("isIP('1.2.3')", "false"),
        ("cidr('10.1.2.3/8').masked()", "10.0.0.0/8"),
        ("quantity('1Gi').isGreaterThan(quantity('1G'))", "true"),
        ("quantity('1500m').add(quantity('500m')).asInteger()", "2"),
        ("semver('1.2.3').isLessThan(semver('1.10.0'))", "true"),
        ("sets.contains(['a', 'b'], ['b'])", "true"),
        ("optional.of(1).orValue(2) + optional.none().orValue(2)", "3"),
        ("[1, 2][?5].orValue(7)", "7"),
        ("optional.of('x').optMap(v, v + 'y').value()", "xy"),
        ("!format.dns1123Label().validate('A').hasValue()", "false"),
        ("format.named('labelValue').value().validate('-').hasValue()", "true"),
        ("format.dns1123LabelPrefix().validate('a-').hasValue()", "false"),
        ("format.byte().validate('?').value()[0]", "invalid base64"),
        ("'abcabc'.lastIndexOf('bc', 3)", "1"),
        ("'abcabc'.lastIndexOf('bc', 4)", "4"),
        ("'abc'.lastIndexOf('c', 9)", "-1"),
        ("'äbä'.lastIndexOf('ä', 2)", "2"),
        ("duration('90m')", "5400s"),
        ("timestamp('2024-05-06T07:08:09Z').getFullYear()", "2024"),
        ("timestamp('2024-05-06T07:08:09Z') - timestamp('2024-05-06T07:08:08Z')", "1s"),
        ("type(1) == int && type('a') == string", "true"),
        ("(false && 1 / 0 == 1) || (1 / 0 == 1 || true)", "true"),
        ("1 == 1.0 && 2u == 2 && dyn([1]) == dyn([1.0])", "true"),
        ("lists.range(3).flatten().reverse()[0]", "2"),
    ];
    for (expression, expected) in cases {
        assert_eq!(eval(expression), expected, "{expression}");
    }
}

#[test]
fn a_rule_that_needs_an_unknown_function_is_listed() {
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "'%d'.format([1]) == '1'"}]});
    let found = Structural::compile(&schema)
        .unwrap()
        .check(Vec::new(), &json!({}));
    assert!(!found.is_refused());
    assert_eq!(
        found.to_string(),
        "<nil>: rule not evaluated: \"'%d'.format([1]) == '1'\": the function `format` is not supported"
    );
}

#[test]
fn a_rule_that_runs_away_is_stopped() {
    let list: Vec<i64> = (0..2000).collect();
    let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": "self.a.all(x, self.a.all(y, x + y >= 0))"}],
        "properties": {"a": {"type": "array", "items": {"type": "integer"}}}});
    let errors = Structural::compile(&schema)
        .unwrap()
        .validate(&json!({"a": list}));
    assert_eq!(
        errors[0].to_string(),
        "<nil>: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self.a.all(x, self.a.all(y, x + y >= 0))"
    );
}

/// A comparison would visit 2^40 items that lists share; a list of lists of numbers would have
/// 10^9.
#[test]
fn what_no_memory_or_patience_holds_is_stopped() {
    let doubled = ".map(x, [x, x])".repeat(40);
    for rule in [
        format!("[[1]]{doubled}.all(x, x == x)"),
        "lists.range(1000).map(x, lists.range(1000000)).size() > 0".to_owned(),
    ] {
        let schema = json!({"type": "object", "x-kubernetes-validations": [{"rule": rule}]});
        let errors = Structural::compile(&schema).unwrap().validate(&json!({}));
        assert!(
            errors[0].detail.contains("cost limit exceeded"),
            "{errors:?}"
        );
    }
}

#[test]
fn names_that_cannot_be_written_are_escaped() {
    let schema = json!({"type": "object", "properties": {
            "a-b": {"type": "integer"}, "in": {"type": "integer"}, "x__y": {"type": "integer"}, "c.d/e": {"type": "integer"}},
        "x-kubernetes-validations": [{"rule": "self.a__dash__b + self.__in__ + self.x__underscores__y + self.c__dot__d__slash__e == 10"}]});
    let object = json!({"a-b": 1, "in": 2, "x__y": 3, "c.d/e": 4});
    assert!(
        Structural::compile(&schema)
            .unwrap()
            .validate(&object)
            .is_empty()
    );
}

#[test]
fn deep_and_long_rules_fit_the_stack_of_a_worker() {
    let deep = format!("{}false{}", "!(".repeat(120), ")".repeat(120));
    let long = vec!["self.size() == 9"; 240].join(" || ");
    let rules = [deep, long].map(|rule| json!({"rule": rule, "message": "no"}));
    let schema = json!({"type": "object", "x-kubernetes-validations": rules});
    let validate = move || {
        Structural::compile(&schema)
            .unwrap()
            .check(Vec::new(), &json!({}))
    };
    // The stack size of Tokio's worker threads.
    let thread = std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(validate);
    let found = thread.unwrap().join().unwrap();
    assert_eq!(found.unevaluated().count(), 0, "{found}");
    assert_eq!(found.errors().len(), 2, "{found}");
}
