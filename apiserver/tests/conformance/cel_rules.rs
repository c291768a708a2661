//! CEL rules of CRDs (`x-kubernetes-validations`): the values they reject, and the messages.

use crate::harness::cases;
use crate::schema_validation::refuses;
use crate::support::crd::spec_schema;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    message_expression_is_the_message: refuses_seven(
        json!({"rule": "self.n < 5", "message": "static", "messageExpression": "self.n > 6 ? 'must be far less' : 'must be less'"}),
        "spec.o: Invalid value: must be far less"),
    reason_and_field_path_are_those_of_the_rule: refuses_seven(
        json!({"rule": "self.n < 5", "message": "too large", "reason": "FieldValueForbidden", "fieldPath": ".n"}),
        "spec.o.n: Forbidden: too large"),
    error_of_evaluation_is_reported: refuses_ruled(
        json!({"n": number()}), json!([{"rule": "self.n == 1"}]), json!({}),
        "spec.o: Invalid value: \"object\": no such key: n evaluating rule: self.n == 1"),
    values_of_lists_and_maps_are_checked: refuses(
        json!({"m": {"type": "object", "additionalProperties": {"type": "array", "maxItems": 9,
            "items": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [{"rule": "self.startsWith('a')"}]}}, "maxProperties": 9}}),
        json!({"m": {"k": ["a", "b"]}}),
        "spec.m[k][1]: Invalid value: \"b\": failed rule: self.startsWith('a')"),
    invalid_values_keep_rules_from_being_checked: refuses_ruled(
        json!({"n": number(), "e": {"type": "string", "enum": ["a"]}}), json!([{"rule": "self.n < 5"}]),
        json!({"n": 7, "e": "b"}),
        "[spec.o.e: Unsupported value: \"b\": supported values: \"a\", <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation]"),
    optional_old_self_holds_for_new_objects,
    unchanged_values_are_forgiven,
    items_with_keys_have_old_values,
    union_of_optional_fields: refuses_ruled(
        json!({"a": number(), "b": number(), "c": number()}),
        json!([{"rule": "[has(self.a), has(self.b), has(self.c)].filter(x, x).size() == 1",
            "message": "exactly one of a, b and c"}]),
        json!({"a": 1, "c": 2}), "spec.o: Invalid value: exactly one of a, b and c"),
    metadata_is_visible_at_the_root,
    libraries_are_known,
];

/// Returns the schema of objects with these fields and rules.
fn ruled(properties: Value, rules: Value) -> Value {
    json!({"type": "object", "properties": properties, "x-kubernetes-validations": rules})
}

fn number() -> Value {
    json!({"type": "integer"})
}

/// Expects a rule to reject an object whose number is 7, with a message.
async fn refuses_seven(client: Client, rule: Value, message: &str) {
    let properties = json!({"n": number()});
    refuses_ruled(client, properties, json!([rule]), json!({"n": 7}), message).await;
}

/// Expects rules to reject an object, with a message.
async fn refuses_ruled(client: Client, fields: Value, rules: Value, object: Value, message: &str) {
    let properties = json!({"o": ruled(fields, rules)});
    refuses(client, properties, json!({"o": object}), message).await;
}

async fn optional_old_self_holds_for_new_objects(client: Client) {
    let rules = json!([{"rule": "self > oldSelf.orValue(0)", "message": "must grow", "optionalOldSelf": true}]);
    let schema = json!({"type": "integer", "x-kubernetes-validations": rules});
    let things = things(&client, json!({"n": schema})).await;
    let reply = things.creation("b", json!({"spec": {"n": 0}})).await;
    reply.invalid_with("spec.n: Invalid value: 0: must grow");
    things.given("a", json!({"spec": {"n": 1}})).await;
    let reply = things.merge("a", json!({"spec": {"n": 1, "x": 1}})).await;
    reply.invalid_with("spec.n: Invalid value: 1: must grow");
    things.merged("a", json!({"spec": {"n": 2}})).await;
}

async fn unchanged_values_are_forgiven(client: Client) {
    let rule = |text: &str| json!([{"rule": text}]);
    let schema =
        |text: &str| json!({"o": ruled(json!({"n": number(), "m": number()}), rule(text))});
    let crd = Crd::new(spec_schema(schema("self.n < 9")));
    let things = crd.install(&client).await;
    things.given("a", json!({"spec": {"o": {"n": 7}}})).await;
    let path = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/o/x-kubernetes-validations/0/rule";
    let body = json!([{"op": "replace", "path": path, "value": "self.n < 5"}]);
    patch(&client, &crd.path(), wire::patch_type::JSON, &body)
        .await
        .is(200);
    eventually("the new rule holds", || async {
        let reply = things
            .creation_with("dryRun=All", "b", json!({"spec": {"o": {"n": 7}}}))
            .await;
        (reply.code == 422).then_some(())
    })
    .await;
    things
        .merged("a", json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    let reply = things
        .merge("a", json!({"spec": {"o": {"n": 7, "m": 1}}}))
        .await;
    reply.invalid_with("spec.o: Invalid value: failed rule: self.n < 5");
}

async fn items_with_keys_have_old_values(client: Client) {
    let mut item = ruled(
        json!({"k": {"type": "string"}, "n": number()}),
        json!([{"rule": "self.n >= oldSelf.n", "message": "must not shrink"}]),
    );
    item["required"] = json!(["k", "n"]);
    let list = json!({"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]});
    let things = things(&client, json!({"l": list})).await;
    things
        .given(
            "a",
            json!({"spec": {"l": [{"k": "a", "n": 1}, {"k": "b", "n": 2}]}}),
        )
        .await;
    things
        .merged(
            "a",
            json!({"spec": {"l": [{"k": "c", "n": 0}, {"k": "b", "n": 3}]}}),
        )
        .await;
    let reply = things
        .merge("a", json!({"spec": {"l": [{"k": "b", "n": 1}]}}))
        .await;
    reply.invalid_with("spec.l[0]: Invalid value: must not shrink");
}

async fn metadata_is_visible_at_the_root(client: Client) {
    let rules = json!([{"rule": "self.apiVersion.endsWith('/v1') && size(self.metadata.name) > 3", "message": "the name is too short"}]);
    let things = Crd::new(ruled(json!({"spec": {"type": "object"}}), rules))
        .install(&client)
        .await;
    let reply = things.creation("abc", json!({})).await;
    reply.invalid_with("<nil>: Invalid value: the name is too short");
    things.given("abcd", json!({})).await;
}

/// Expressions, with a string for which each is true; all are false for `no`.
#[rustfmt::skip]
const LIBRARIES: [(&str, &str); 16] = [
    ("10.1.2.3", "isIP(self) && cidr('10.0.0.0/8').containsIP(ip(self)) && ip(self).family() == 4"),
    ("10.0.0.0/8", "isCIDR(self) && cidr(self).prefixLength() == 8"),
    ("https://a.io:1/p", "isURL(self) && url(self).getHost() == 'a.io:1'"),
    ("1500m", "isQuantity(self) && quantity(self).compareTo(quantity('1.5')) == 0"),
    ("1.2.3", "isSemver(self) && semver(self).minor() == 2"),
    ("a1b22", "self.find('[0-9]+') == '1' && self.findAll('[0-9]+') == ['1', '22']"),
    ("a-b", "self.split('-') == ['a', 'b'] && self.replace('-', '+') == 'a+b'"),
    ("aBc", "self.lowerAscii() == 'abc' && self.substring(1, 2) == 'B' && self.indexOf('c') == 2"),
    ("90m", "self.matches('^[0-9]+m$') && duration(self) == duration('1h30m')"),
    ("2024-05-06T07:08:09Z", "self.matches('Z$') && timestamp(self).getHours() == 7"),
    ("b", "self in ['a', 'b'] && self in {'b': 1} && sets.contains(['a', 'b'], [self])"),
    ("bb", "self.size() == 2 && optional.of(self).orValue('x') == 'bb' && ['x'][?1].orValue(self) == 'bb'"),
    ("é", "size(self) == 1 && bytes(self).size() == 2"),
    ("7", "self.matches('^[0-9]$') && int(self) * 2 == 14 && double(self) / 2.0 == 3.5 && string(int(self)) == self"),
    ("3,1",
        "self.contains(',') && self.split(',').map(x, int(x)).isSorted() == false && self.split(',').map(x, int(x)).max() == 3"),
    ("a.b", "!format.dns1123Subdomain().validate(self).hasValue() && format.dns1123Label().validate(self).hasValue()"),
];

async fn libraries_are_known(client: Client) {
    let property = |(i, (_, rule)): (usize, &(&str, &str))| {
        let schema = json!({"type": "string", "maxLength": 40, "x-kubernetes-validations": [{"rule": rule, "message": format!("rule {i}")}]});
        (format!("f{i}"), schema)
    };
    let properties: serde_json::Map<_, _> = LIBRARIES.iter().enumerate().map(property).collect();
    let things = things(&client, properties.into()).await;
    let good: serde_json::Map<_, _> = LIBRARIES
        .iter()
        .enumerate()
        .map(|(i, (text, _))| (format!("f{i}"), json!(text)))
        .collect();
    things.given("good", json!({"spec": good})).await;
    for (i, (_, rule)) in LIBRARIES.iter().enumerate() {
        let spec = json!({"spec": {format!("f{i}"): "no"}});
        let reply = things.creation("bad", spec).await;
        let message = format!("spec.f{i}: Invalid value: \"no\": rule {i}");
        assert_eq!(reply.code, 422, "{rule}");
        reply.invalid_with(&message);
    }
}
