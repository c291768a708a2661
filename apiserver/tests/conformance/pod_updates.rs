//! Updates of pods: which fields of a spec can change, in which direction, and what scheduling
//! gates allow.

use crate::harness::cases;
use crate::support::*;

cases![
    a_gated_pod_is_not_scheduled,
    gates_can_only_be_removed,
    a_gated_pod_is_bound_to_no_node,
    a_new_pod_has_no_node_with_its_gates: create_invalid_with(
        PODS,
        json!({"spec": {"containers": container(), "schedulingGates": [{"name": "quota"}], "nodeName": "n"}}),
        "spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared"),
    the_node_selector_of_a_gated_pod_can_grow,
    the_node_affinity_of_a_gated_pod_can_grow,
    a_deadline_can_only_get_shorter,
    a_deadline_is_positive: create_invalid_with(
        PODS, json!({"spec": {"containers": container(), "activeDeadlineSeconds": 0}}),
        "spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive"),
    tolerations_can_only_be_added,
    an_update_may_leave_out_what_admission_adds,
    a_grace_period_stays,
    a_negative_grace_period_is_one_second,
    init_containers_stay,
];

fn container() -> Value {
    json!([{"name": "main", "image": "busybox:1"}])
}

const UNCHANGEABLE: &str =
    "Pod \"a\" is invalid: spec: Forbidden: pod updates may not change fields other than `spec.";

/// Creates a pod `a` in a new namespace, with further fields of its spec.
async fn pod(client: &Client, fields: Value) -> Collection {
    let pods = PODS.fresh(client).await;
    let mut spec = fields;
    spec["containers"] = container();
    pods.given("a", json!({"spec": spec})).await;
    pods
}

async fn change(pods: &Collection, fields: Value) -> wire::Reply {
    pods.merge("a", json!({"spec": fields})).await
}

fn gates(names: &[&str]) -> Value {
    let list: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    json!({"schedulingGates": list})
}

async fn a_gated_pod_is_not_scheduled(client: Client) {
    let pods = pod(&client, gates(&["quota"])).await;
    let found = pods.get("a").await.is(200);
    check!(found,
        "/status/conditions/0/type": "PodScheduled",
        "/status/conditions/0/status": "False",
        "/status/conditions/0/reason": "SchedulingGated",
        "/status/conditions/0/message": "Scheduling is blocked due to non-empty scheduling gates");
    let plain = self::pod(&client, json!({})).await.get("a").await.is(200);
    check_absent(&plain, "/status/conditions");
}

async fn gates_can_only_be_removed(client: Client) {
    let pods = pod(&client, gates(&["quota", "network"])).await;
    let added = change(&pods, gates(&["quota", "network", "late"])).await;
    added.invalid("Pod \"a\" is invalid: spec.schedulingGates[2].name: Forbidden: only deletion is allowed, but found new scheduling gate 'late'");
    let fewer = change(&pods, gates(&["network"])).await.is(200);
    check!(fewer, "/spec/schedulingGates": [{"name": "network"}], "/metadata/generation": 2);
    let free = change(&pods, gates(&[])).await.is(200);
    check_absent(&free, "/spec/schedulingGates");
    let again = change(&pods, gates(&["quota"])).await;
    again.invalid_with("found new scheduling gate 'quota'");
}

async fn a_gated_pod_is_bound_to_no_node(client: Client) {
    let pods = pod(&client, gates(&["quota"])).await;
    let binding = json!({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": "a"},
        "target": {"kind": "Node", "name": "n"}});
    let path = pods.at("a/binding");
    post(&client, &path, &binding).await.conflicts(
        "Operation cannot be fulfilled on pods/binding \"a\": pod a has non-empty .spec.schedulingGates",
    );
    change(&pods, gates(&[])).await.is(200);
    post(&client, &path, &binding).await.is(201);
}

async fn the_node_selector_of_a_gated_pod_can_grow(client: Client) {
    let mut fields = gates(&["quota"]);
    fields["nodeSelector"] = json!({"zone": "a"});
    let pods = pod(&client, fields).await;
    let other = change(&pods, json!({"nodeSelector": {"zone": "b"}})).await;
    other.invalid("Pod \"a\" is invalid: spec.nodeSelector: Invalid value: {\"zone\":\"b\"}: only additions to spec.nodeSelector are allowed (no mutations or deletions)");
    let more = json!({"nodeSelector": {"disk": "ssd"}});
    let grown = change(&pods, more).await.is(200);
    check!(grown, "/spec/nodeSelector": {"zone": "a", "disk": "ssd"});
    change(&pods, gates(&[])).await.is(200);
    let late = change(&pods, json!({"nodeSelector": {"cpu": "arm"}})).await;
    late.invalid_with(UNCHANGEABLE);
}

async fn the_node_affinity_of_a_gated_pod_can_grow(client: Client) {
    let terms = |terms: Value| json!({"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}});
    let exists = |key: &str| json!({"key": key, "operator": "Exists"});
    let pods = pod(&client, gates(&["quota"])).await;
    let first = json!([{"matchExpressions": [exists("zone")]}]);
    change(&pods, terms(first)).await.is(200);
    let longer = json!([{"matchExpressions": [exists("zone"), exists("disk")]}]);
    change(&pods, terms(longer)).await.is(200);
    let path = "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    let check_refused = async |refused: Value, field: String| {
        let status = change(&pods, terms(refused)).await.refused(422, "Invalid");
        check!(status, "/details/causes/0/field": field);
        assert_eq!(
            at(&status, "/details/causes").as_array().map(Vec::len),
            Some(1)
        );
    };
    let other = json!([{"matchExpressions": [exists("zone"), exists("cpu")]}]);
    check_refused(other, format!("{path}[0]")).await;
    let second = json!([{"matchExpressions": [exists("zone"), exists("disk")]}, {"matchExpressions": [exists("cpu")]}]);
    check_refused(second, path.to_owned()).await;
}

async fn a_deadline_can_only_get_shorter(client: Client) {
    let pods = pod(&client, json!({})).await;
    let deadline = |seconds: Value| json!({"activeDeadlineSeconds": seconds});
    change(&pods, deadline(json!(50))).await.is(200);
    let longer = change(&pods, deadline(json!(60))).await;
    longer.invalid("Pod \"a\" is invalid: spec.activeDeadlineSeconds: Invalid value: 60: must be less than or equal to previous value");
    let none = change(&pods, deadline(Value::Null)).await;
    none.invalid("Pod \"a\" is invalid: spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value");
    let shorter = change(&pods, deadline(json!(40))).await.is(200);
    check!(shorter, "/spec/activeDeadlineSeconds": 40);
}

async fn tolerations_can_only_be_added(client: Client) {
    let own = |effect: &str, seconds: i64| json!({"key": "mine", "operator": "Exists", "effect": effect, "tolerationSeconds": seconds});
    let fields = json!({"tolerations": [own("NoExecute", 10)]});
    let pods = pod(&client, fields).await;
    let mut list = at(&pods.get("a").await.is(200), "/spec/tolerations").clone();
    let message = "Pod \"a\" is invalid: spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds";
    let none = change(&pods, json!({"tolerations": []})).await;
    none.invalid(message);
    list[0] = json!({"key": "mine", "operator": "Exists", "effect": "NoSchedule"});
    let other = change(&pods, json!({"tolerations": list})).await;
    other.invalid(message);
    list[0] = own("NoExecute", 20);
    let more = list.as_array_mut().expect("a list");
    more.push(json!({"key": "new", "operator": "Exists"}));
    let grown = change(&pods, json!({"tolerations": list})).await.is(200);
    check!(grown, "/spec/tolerations": list);
}

async fn an_update_may_leave_out_what_admission_adds(client: Client) {
    let pods = pod(&client, json!({})).await;
    let before = pods.get("a").await.is(200);
    let mut object = before.clone();
    for field in ["tolerations", "priority", "preemptionPolicy"] {
        let spec = object["spec"].as_object_mut().expect("a spec");
        assert!(spec.remove(field).is_some(), "{field}");
    }
    object["spec"]["containers"][0]["image"] = json!("busybox:2");
    let after = pods.replaced("a", &object).await;
    check!(after, "/spec/containers/0/image": "busybox:2");
    for field in ["tolerations", "priority", "preemptionPolicy"] {
        assert_eq!(after["spec"][field], before["spec"][field]);
    }
}

async fn a_grace_period_stays(client: Client) {
    let pods = pod(&client, json!({})).await;
    let shorter = change(&pods, json!({"terminationGracePeriodSeconds": 5})).await;
    shorter.invalid_with(UNCHANGEABLE);
}

async fn a_negative_grace_period_is_one_second(client: Client) {
    let pods = pod(&client, json!({"terminationGracePeriodSeconds": -1})).await;
    let found = pods.get("a").await.is(200);
    check!(found, "/spec/terminationGracePeriodSeconds": 1);
}

async fn init_containers_stay(client: Client) {
    let first = |image: &str| json!([{"name": "first", "image": image}]);
    let pods = pod(&client, json!({"initContainers": first("busybox:1")})).await;
    let none = change(&pods, json!({"initContainers": null})).await;
    none.invalid("Pod \"a\" is invalid: spec.initContainers: Forbidden: pod updates may not add or remove containers");
    let list =
        json!([{"op": "replace", "path": "/spec/initContainers/0/image", "value": "busybox:2"}]);
    let newer = pods.json_patch("a", list).await.is(200);
    check!(newer, "/spec/initContainers/0/image": "busybox:2");
}
