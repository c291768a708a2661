//! CEL rules that are rejected when the CRD is written: invalid, too costly, or misplaced rules.

use crate::harness::cases;
use crate::support::crd::spec_schema;
use crate::support::*;

cases![
    field_must_be_declared,
    function_must_be_known,
    types_must_fit,
    rule_must_be_a_condition,
    rule_must_parse: refuses(
        json!({"rule": "self.n >"}), &["compilation failed: ERROR: <input>:1:9: Syntax error: "]),
    rules_are_checked_beside_names_and_columns,
    pattern_of_a_rule_must_compile: refuses(
        json!({"rule": "self.short.matches('[a')"}), &["invalid matches argument"]),
    cost_of_a_rule_is_bounded: refuses(
        json!({"rule": "self.list.all(x, self.list.all(y, x == y))"}),
        &[&format!("{RULES}.rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"), &format!("{RULES}.rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema"), "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x"]),
    cost_of_all_rules_is_bounded,
    message_must_be_a_text: refuses(
        json!({"rule": "self.n > 0", "messageExpression": "self.n"}),
        &["x-kubernetes-validations[0].messageExpression: Invalid value: ",
            ": messageExpression must evaluate to a string"]),
    old_self_needs_identity: refused(
        Crd::new(spec_schema(json!({"l": {"type": "array", "maxItems": 5,
            "items": {"type": "string", "maxLength": 5, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}))),
        &["spec.validation.openAPIV3Schema.properties[spec].properties[l].items.x-kubernetes-validations[0].rule: Invalid value: \"self == oldSelf\": oldSelf cannot be used on the uncorrelatable portion of the schema within spec.validation.openAPIV3Schema.properties[spec].properties[l]"]),
    old_self_within_an_atomic_map_is_taken,
    optional_old_self_needs_old_self: refuses_at(
        json!({"rule": "self.n > 0", "optionalOldSelf": true}),
        ".optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule"),
    rule_must_be_given: refuses_at(
        json!({"rule": " "}), ".rule: Required value: rule is not specified"),
    message_must_be_one_line: refuses_at(
        json!({"rule": "self.n > 0", "message": "a\nb"}),
        ".message: Invalid value: \"a\\nb\": must not contain line breaks"),
    long_rule_needs_a_message: refuses_at(
        json!({"rule": "self.n\n> 0"}),
        ".message: Required value: message must be specified if rule contains line breaks"),
    reason_must_be_known: refuses_at(
        json!({"rule": "self.n > 0", "reason": "Bad"}),
        ".reason: Unsupported value: \"Bad\": supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", \"FieldValueInvalid\", \"FieldValueRequired\""),
    field_path_must_be_declared: refuses_at(
        json!({"rule": "self.n > 0", "fieldPath": ".m"}),
        ".fieldPath: Invalid value: \".m\": must be a valid path"),
    values_without_type_have_no_rules: refused(
        Crd::new(spec_schema(json!({"any": {"x-kubernetes-preserve-unknown-fields": true,
            "x-kubernetes-validations": [{"rule": "self != null"}]}}))),
        &["spec.validation.openAPIV3Schema.properties[spec].properties[any].x-kubernetes-validations: Internal error: internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"]),
    rules_of_one_version_are_reported_there,
    update_is_checked_too,
];

const RULES: &str = "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0]";

/// Returns a CRD whose spec has these properties and this rule.
fn ruled(properties: Value, rule: Value) -> Crd {
    let mut schema = spec_schema(properties);
    schema["properties"]["spec"]["x-kubernetes-validations"] = json!([rule]);
    Crd::new(schema)
}

fn fields() -> Value {
    json!({
        "n": {"type": "integer"},
        "text": {"type": "string"},
        "short": {"type": "string", "maxLength": 10},
        "list": {"type": "array", "items": {"type": "string"}},
    })
}

async fn refused(client: Client, crd: Crd, parts: &[&str]) {
    for part in parts {
        post(&client, crd::CRDS, &crd.body).await.invalid_with(part);
    }
}

/// Expects a rule to be rejected, with these parts in the message.
async fn refuses(client: Client, rule: Value, parts: &[&str]) {
    refused(client, ruled(fields(), rule), parts).await;
}

/// Expects a rule to be rejected with an error at its path.
async fn refuses_at(client: Client, rule: Value, rest: &str) {
    refuses(client, rule, &[&format!("{RULES}{rest}")]).await;
}

async fn field_must_be_declared(client: Client) {
    let shown = r#"{"Rule":"self.m \u003e 0","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}"#;
    let error = "ERROR: <input>:1:5: undefined field 'm'\n | self.m > 0\n | ....^";
    let rest = format!(".rule: Invalid value: {shown}: compilation failed: {error}");
    refuses_at(client, json!({"rule": "self.m > 0"}), &rest).await;
}

async fn function_must_be_known(client: Client) {
    let part = "ERROR: <input>:1:20: undeclared reference to 'startWith' (in container '')\n | self.text.startWith('a')\n | ...................^";
    let rule = json!({"rule": "self.text.startWith('a')"});
    refuses(client.clone(), rule, &[part]).await;
    let parts = [
        "ERROR: <input>:2:4: undeclared reference to 'sets' (in container '')\n |    sets.contain([1], [1])\n | ...^",
        "ERROR: <input>:2:16: undeclared reference to 'contain' (in container '')\n |    sets.contain([1], [1])\n | ...............^",
    ];
    let rule = json!({"rule": "'ü' == 'ü' &&\n   sets.contain([1], [1])", "message": "m"});
    refuses(client, rule, &parts).await;
}

async fn types_must_fit(client: Client) {
    #[rustfmt::skip]
    let cases = [
        ("self.text > 1", "1:11: found no matching overload for '_>_' applied to '(string, int)'"),
        ("size(self.n) > 1", "1:5: found no matching overload for 'size' applied to '(int)'"),
        ("'ü' + 1 == 'a'",
            "1:5: found no matching overload for '_+_' applied to '(string, int)'\n | 'ü' + 1 == 'a'\n | .．..^"),
        ("has(self.text.a)", "1:4: type 'string' does not support field selection"),
        ("self.n > 0 && self.n", "1:19: expected type 'bool' but found 'int'"),
        ("[1, 'a'].size() == 2", "1:5: expected type 'int' but found 'string'"),
        ("self.text.all(c, true)", "1:5: expression of type 'string' cannot be range"),
        ("duration('1d') > duration('1s')", "1:10: invalid duration argument"),
    ];
    for (rule, part) in cases {
        let part = format!("ERROR: <input>:{part}");
        refuses(client.clone(), json!({"rule": rule}), &[&part]).await;
    }
}

async fn rule_must_be_a_condition(client: Client) {
    let shown = r#"{"Rule":"self.n","Message":"a","MessageExpression":"","Reason":"FieldValueInvalid","FieldPath":".n","OptionalOldSelf":false}"#;
    let rest = format!(".rule: Invalid value: {shown}: cel expression must evaluate to a bool");
    let rule = json!({"rule": "self.n", "message": "a", "reason": "FieldValueInvalid", "fieldPath": ".n", "optionalOldSelf": false});
    refuses_at(client, rule, &rest).await;
}

async fn rules_are_checked_beside_names_and_columns(client: Client) {
    let columns = json!([{"name": "X", "type": "colour", "jsonPath": ".spec.n"}]);
    let mut crd =
        ruled(fields(), json!({"rule": "self.n == 'x'"})).with("additionalPrinterColumns", columns);
    crd.body["spec"]["scope"] = json!("Everywhere");
    let parts = [
        "spec.scope: Unsupported value: \"Everywhere\"",
        "compilation failed",
        "spec.additionalPrinterColumns[0].type: Invalid value: \"colour\"",
    ];
    refused(client.clone(), crd.clone(), &parts).await;
    // Errors in the schema itself hide errors in rules.
    crd.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["other"] = json!({});
    let other =
        "properties[other].type: Required value: must not be empty for specified object fields";
    refused(client.clone(), crd.clone(), &[parts[0], other, parts[2]]).await;
    let answer = post(&client, crd::CRDS, &crd.body).await;
    assert!(!answer.text.contains(parts[1]), "{}", answer.text);
}

async fn cost_of_all_rules_is_bounded(client: Client) {
    let rule = json!({"rule": "self.list.all(x, x.size() < 5)"});
    let mut crd = ruled(fields(), rule.clone());
    let rules =
        &mut crd.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
    rules["x-kubernetes-validations"] = json!(vec![rule; 50]);
    let contributed = "Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema";
    let all = "spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of ";
    refused(client, crd, &[contributed, all]).await;
}

async fn old_self_within_an_atomic_map_is_taken(client: Client) {
    let field =
        json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self == oldSelf"}]});
    let map =
        json!({"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"n": field}});
    let crd = Crd::new(spec_schema(json!({"m": map})));
    crd.install(&client).await;
}

async fn rules_of_one_version_are_reported_there(client: Client) {
    let mut second = spec_schema(fields());
    second["properties"]["spec"]["x-kubernetes-validations"] = json!([{"rule": "self.n"}]);
    let crd = Crd::new(spec_schema(fields())).and_version("v2", second);
    let part = "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value: ";
    refused(client, crd, &[part]).await;
}

async fn update_is_checked_too(client: Client) {
    let mut crd = ruled(fields(), json!({"rule": "self.n > 0"}));
    crd.install(&client).await;
    crd.body["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"]["x-kubernetes-validations"]
        [0]["rule"] = json!("self.n");
    let body = json!({"spec": {"versions": crd.body["spec"]["versions"]}});
    patch(&client, &crd.path(), wire::patch_type::MERGE, &body)
        .await
        .invalid_with("cel expression must evaluate to a bool");
}
