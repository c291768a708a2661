//! Validating admission policies: which requests they see, and what they say.

use crate::harness::cases;
use crate::support::cleanup::delete_at_end;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    a_write_that_a_policy_denies_is_invalid,
    messages_may_be_computed,
    the_reason_decides_the_code,
    variables_are_evaluated_when_they_are_read,
    a_failing_expression_denies_unless_failures_are_ignored,
    conditions_choose_the_requests,
    rules_choose_operations_and_names,
    a_binding_may_only_warn,
    a_binding_narrows_what_a_policy_is_about,
    parameters_are_objects_that_the_binding_names,
    missing_parameters_deny_if_the_binding_says_so,
    updates_see_the_old_object,
    the_namespace_is_an_object,
];

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";
const POLICIES: Resource<'_> = Resource(
    GROUP,
    "validatingadmissionpolicies",
    "ValidatingAdmissionPolicy",
);
const BINDINGS: Resource<'_> = Resource(
    GROUP,
    "validatingadmissionpolicybindings",
    "ValidatingAdmissionPolicyBinding",
);

/// Config maps of a new namespace with a policy about them.
struct Scene {
    maps: Collection,
    name: String,
}

impl Scene {
    /// Installs a policy with these fields of its spec and these of its binding's, and waits until
    /// it takes effect: it denies the data `probe` as well.
    async fn start(client: &Client, policy: Value, binding: Value) -> Self {
        let maps = configmaps(client).await;
        let namespace = maps.namespace.clone().unwrap_or_default();
        let name = format!("{namespace}-policy");
        let mut spec = json!({
            "matchConstraints": {
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
                "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                    "operations": ["CREATE", "UPDATE"]}],
            },
        });
        merge(&mut spec, policy);
        let probe = json!({"expression": "!has(object.data) || !('probe' in object.data)", "message": "probe"});
        if let Some(list) = spec["validations"].as_array_mut() {
            list.insert(0, probe);
        }
        let mut bound = json!({"policyName": name, "validationActions": ["Deny"]});
        merge(&mut bound, binding);
        for (resource, spec) in [(POLICIES, spec), (BINDINGS, bound)] {
            let objects = resource.everywhere(client);
            objects.creation(&name, json!({"spec": spec})).await.is(201);
            delete_at_end(objects.at(&name));
        }
        let scene = Self { maps, name };
        eventually("the policy takes effect", async || {
            let probe = json!({"data": {"probe": ""}});
            let probe = scene.maps.creation_with("dryRun=All", "probe", probe).await;
            (probe.code != 201 || !probe.warnings().is_empty()).then_some(())
        })
        .await;
        scene
    }

    async fn creates(&self, name: &str, fields: Value) {
        self.maps.creation(name, fields).await.is(201);
    }

    /// Expects the creation of a config map `a` to be denied with this message.
    async fn denies(&self, fields: Value, message: &str) {
        let denied = self.maps.creation("a", fields).await;
        denied.fails(422, "Invalid", &self.message("configmaps \"a\"", message));
    }

    fn message(&self, object: &str, message: &str) -> String {
        format!(
            "{object} is forbidden: ValidatingAdmissionPolicy '{0}' with binding '{0}' denied request: {message}",
            self.name
        )
    }
}

fn merge(spec: &mut Value, more: Value) {
    if let (Some(spec), Value::Object(more)) = (spec.as_object_mut(), more) {
        spec.extend(more);
    }
}

/// Config maps whose data has a key.
fn data(key: &str, value: &str) -> Value {
    json!({"data": {key: value}})
}

fn validations(list: Value) -> Value {
    json!({"validations": list})
}

async fn a_write_that_a_policy_denies_is_invalid(client: Client) {
    let list = json!([
        {"expression": " object.data.size != 'large' ", "message": "  not so large "},
        {"expression": "object.data.size != 'small'"},
    ]);
    let scene = Scene::start(&client, validations(list), json!({})).await;
    scene.creates("b", data("size", "medium")).await;
    scene.denies(data("size", "large"), "not so large").await;
    let why = "failed expression: object.data.size != 'small'";
    scene.denies(data("size", "small"), why).await;
    let denied = scene.maps.creation("a", data("size", "large")).await.json();
    let message = scene.message("configmaps \"a\"", "not so large");
    let cause = message.split_once("forbidden: ").map_or("", |(_, why)| why);
    check!(denied, "/details/causes/0/message": cause);
    check!(denied, "/details/kind": "configmaps");
}

async fn messages_may_be_computed(client: Client) {
    let list = json!([
        {"expression": "object.data.size != 'a'", "messageExpression": "'not ' + object.data.size"},
        {"expression": "object.data.size != 'b'", "message": "fixed", "messageExpression": "string(object.data.none)"},
        {"expression": "object.data.size != 'c'", "message": "fixed", "messageExpression": "' '"},
        {"expression": "object.data.size != 'd'", "message": "fixed", "messageExpression": "'two\\nlines'"},
    ]);
    let scene = Scene::start(&client, validations(list), json!({})).await;
    scene.denies(data("size", "a"), "not a").await;
    for size in ["b", "c", "d"] {
        scene.denies(data("size", size), "fixed").await;
    }
}

async fn the_reason_decides_the_code(client: Client) {
    let rows = [
        ("Forbidden", 403),
        ("Invalid", 422),
        ("RequestEntityTooLarge", 413),
    ];
    let list: Vec<Value> = rows
        .iter()
        .map(|(reason, _)| {
            let expression = format!("object.data.why != '{reason}'");
            json!({"expression": expression, "message": "no", "reason": reason})
        })
        .collect();
    let scene = Scene::start(&client, validations(json!(list)), json!({})).await;
    for (reason, code) in rows {
        let denied = scene.maps.creation("a", data("why", reason)).await;
        denied.fails(code, reason, &scene.message("configmaps \"a\"", "no"));
    }
}

async fn variables_are_evaluated_when_they_are_read(client: Client) {
    let policy = json!({
        "variables": [
            {"name": "size", "expression": "int(object.data.size)"},
            {"name": "double", "expression": "variables.size * 2"},
            {"name": "lists", "expression": "[variables.double, 1]"},
        ],
        "validations": [
            {"expression": "'free' in object.data || variables.lists.sum() < 10",
                "messageExpression": "'double is ' + string(variables.double)"},
        ],
    });
    let scene = Scene::start(&client, policy, json!({})).await;
    scene.creates("b", data("size", "4")).await;
    scene.creates("c", data("free", "yes")).await;
    scene.denies(data("size", "5"), "double is 10").await;
}

async fn a_failing_expression_denies_unless_failures_are_ignored(client: Client) {
    let list = json!([{"expression": "int(object.data.size) < 5", "message": "no"}]);
    let scene = Scene::start(&client, validations(list.clone()), json!({})).await;
    let why = "expression 'int(object.data.size) < 5' resulted in error: no such key: size";
    scene.denies(data("other", "1"), why).await;
    let policy = json!({"validations": list, "failurePolicy": "Ignore"});
    let scene = Scene::start(&client, policy, json!({})).await;
    scene.creates("b", data("other", "1")).await;
    scene.denies(data("size", "6"), "no").await;
}

async fn conditions_choose_the_requests(client: Client) {
    let policy = json!({
        "matchConditions": [{"name": "unnamed", "expression": "!object.metadata.name.startsWith('free')"}],
        "validations": [{"expression": "false", "message": "nothing"}],
    });
    let scene = Scene::start(&client, policy, json!({})).await;
    scene.creates("free-1", json!({})).await;
    scene.denies(json!({}), "nothing").await;
}

async fn rules_choose_operations_and_names(client: Client) {
    let rule = |more: Value| {
        let mut rule = json!({"apiGroups": [""], "apiVersions": ["*"], "resources": ["configmaps"], "operations": ["*"]});
        merge(&mut rule, more);
        rule
    };
    let namespace = namespace(&client).await;
    let policy = json!({
        "matchConstraints": {
            "namespaceSelector": {"matchExpressions": [{"key": "kubernetes.io/metadata.name",
                "operator": "NotIn", "values": [namespace, "kube-system", "kube-public", "default"]}]},
            "objectSelector": {"matchLabels": {"policy": "names"}},
            "resourceRules": [rule(json!({"resourceNames": ["a"]}))],
            "excludeResourceRules": [rule(json!({"operations": ["UPDATE"]}))],
        },
        "validations": [{"expression": "request.operation == 'DELETE'", "message": "nothing"}],
    });
    let probe = json!({"metadata": {"labels": {"policy": "names"}}});
    let labelled = |more: Value| {
        let mut fields = probe.clone();
        merge(&mut fields, more);
        fields
    };
    let maps = configmaps(&client).await;
    let name = format!("{}-policy", maps.namespace.clone().unwrap_or_default());
    let bound = json!({"policyName": name, "validationActions": ["Deny"]});
    for (resource, spec) in [(POLICIES, policy), (BINDINGS, bound)] {
        let objects = resource.everywhere(&client);
        objects.creation(&name, json!({"spec": spec})).await.is(201);
        delete_at_end(objects.at(&name));
    }
    eventually("the policy takes effect", async || {
        let probe = maps
            .creation_with("dryRun=All", "a", labelled(json!({})))
            .await;
        (probe.code == 422).then_some(())
    })
    .await;
    maps.creation("b", labelled(json!({}))).await.is(201);
    maps.creation("a", json!({})).await.is(201);
    let updated = maps.object("a", labelled(json!({})));
    maps.put("a", &updated).await.is(200);
    maps.delete("a").await.is(200);
    let elsewhere = CONFIG_MAPS.within(&client, &namespace);
    elsewhere.creation("a", labelled(json!({}))).await.is(201);
}

async fn a_binding_may_only_warn(client: Client) {
    let list = json!([{"expression": "object.data.size != 'large'", "message": "large"}]);
    let binding = json!({"validationActions": ["Warn", "Audit"]});
    let scene = Scene::start(&client, validations(list), binding).await;
    let created = scene.maps.creation("b", data("size", "large")).await;
    created.is(201);
    let name = &scene.name;
    let warning = format!(
        "Validation failed for ValidatingAdmissionPolicy '{name}' with binding '{name}': large"
    );
    assert_eq!(created.warnings(), [warning]);
}

async fn a_binding_narrows_what_a_policy_is_about(client: Client) {
    let list = json!([{"expression": "!has(object.data)", "message": "no data"}]);
    let binding = json!({"matchResources": {"objectSelector": {"matchExpressions": [
        {"key": "free", "operator": "DoesNotExist"}]}}});
    let scene = Scene::start(&client, validations(list), binding).await;
    let mut free = data("a", "b");
    free["metadata"] = json!({"labels": {"free": "yes"}});
    scene.creates("b", free).await;
    scene.denies(data("a", "b"), "no data").await;
}

/// The spec of a policy about parameters, which are config maps.
fn limited() -> Value {
    json!({
        "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConditions": [{"name": "others", "expression": "!object.metadata.name.startsWith('limit')"}],
        "validations": [{"expression": "params == null || int(object.data.size) <= int(params.data.most)",
            "messageExpression": "'at most ' + params.data.most"}],
    })
}

async fn parameters_are_objects_that_the_binding_names(client: Client) {
    let limits = configmaps(&client).await;
    let mut limit = data("most", "3");
    limit["metadata"] = json!({"labels": {"limit": "yes"}});
    limits.given("limit", limit).await;
    let namespace = limits.namespace.clone().unwrap_or_default();
    for reference in [
        json!({"name": "limit", "namespace": namespace, "parameterNotFoundAction": "Deny"}),
        json!({"selector": {"matchLabels": {"limit": "yes"}}, "namespace": namespace, "parameterNotFoundAction": "Deny"}),
    ] {
        let scene = Scene::start(&client, limited(), json!({"paramRef": reference})).await;
        scene.creates("b", data("size", "3")).await;
        // The real server's caches of parameters start with the policy.
        eventually("the parameter is known", async || {
            let denied = scene
                .maps
                .creation_with("dryRun=All", "a", data("size", "4"))
                .await;
            denied.text.contains("at most 3").then_some(())
        })
        .await;
        scene.denies(data("size", "4"), "at most 3").await;
    }
}

async fn missing_parameters_deny_if_the_binding_says_so(client: Client) {
    let reference =
        |action: &str| json!({"paramRef": {"name": "none", "parameterNotFoundAction": action}});
    let scene = Scene::start(&client, limited(), reference("Deny")).await;
    let why = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    scene.denies(data("size", "4"), why).await;
}

async fn updates_see_the_old_object(client: Client) {
    let list = json!([{"expression": "oldObject == null || oldObject.data.size == object.data.size", "message": "fixed"}]);
    let scene = Scene::start(&client, validations(list), json!({})).await;
    scene.creates("a", data("size", "1")).await;
    let denied = scene.maps.merge("a", data("size", "2")).await;
    denied.fails(422, "Invalid", &scene.message("configmaps \"a\"", "fixed"));
    scene.maps.merge("a", data("more", "2")).await.is(200);
}

async fn the_namespace_is_an_object(client: Client) {
    let list = json!([{"expression": "namespaceObject.metadata.name == object.data.namespace", "message": "elsewhere"}]);
    let scene = Scene::start(&client, validations(list), json!({})).await;
    let own = scene.maps.namespace.clone().unwrap_or_default();
    scene.creates("b", data("namespace", &own)).await;
    scene
        .denies(data("namespace", "default"), "elsewhere")
        .await;
}
