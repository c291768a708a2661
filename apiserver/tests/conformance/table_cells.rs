//! The cells of built-in kinds in tables.

use crate::harness::cases;
use crate::support::collection::unique;
use crate::support::*;
use crate::table::{TABLE, columns};

cases![
    cells_of_an_autoscaler,
    cells_of_a_quota,
    cells_of_endpoints,
    cells_of_policies_and_revisions,
    cells_of_classes,
];

/// Expects the cells between the name and the age of an object, which is created from `fields`.
async fn check_cells(objects: &Collection, fields: Value, expected: Value) {
    let name = unique();
    objects.given(&name, fields).await;
    check_shown(objects, &name, expected).await;
}

async fn check_shown(objects: &Collection, name: &str, expected: Value) {
    let table = get_accepting(&objects.client, &objects.at(name), TABLE).await;
    let table = table.is(200);
    let cells = at(&table, "/rows/0/cells").as_array().expect("cells");
    let columns = columns(&table);
    let shown: Vec<&Value> = columns
        .iter()
        .zip(cells)
        .filter(|(column, _)| !matches!(**column, "Name" | "Age"))
        .map(|(_, cell)| cell)
        .collect();
    assert_eq!(json!(shown), expected, "{}", objects.path);
}

async fn cells_of_an_autoscaler(client: Client) {
    let autoscalers = Resource(
        "/apis/autoscaling/v2",
        "horizontalpodautoscalers",
        "HorizontalPodAutoscaler",
    );
    let autoscalers = autoscalers.fresh(&client).await;
    let scaled = |metrics: Value| {
        let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
        json!({"spec": {"minReplicas": 2, "maxReplicas": 5, "scaleTargetRef": target, "metrics": metrics}})
    };
    let cpu = json!({"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}});
    autoscalers.given("a", scaled(json!([cpu]))).await;
    check_shown(
        &autoscalers,
        "a",
        json!(["Deployment/d", "cpu: <unknown>/50%", "2", 5, 0]),
    )
    .await;
    let used = json!({"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": 20, "averageValue": "10m"}}});
    let status = json!({"currentReplicas": 3, "desiredReplicas": 3, "currentMetrics": [used]});
    autoscalers
        .merged("a/status", json!({"status": status}))
        .await;
    check_shown(
        &autoscalers,
        "a",
        json!(["Deployment/d", "cpu: 20%/50%", "2", 5, 3]),
    )
    .await;
    let metrics = json!([
        {"type": "External", "external": {"metric": {"name": "e"}, "target": {"type": "AverageValue", "averageValue": "5"}}},
        {"type": "Pods", "pods": {"metric": {"name": "p"}, "target": {"type": "AverageValue", "averageValue": "10"}}},
        cpu,
    ]);
    let shown = "<unknown>/5 (avg), <unknown>/10 + 1 more...";
    check_cells(
        &autoscalers,
        scaled(metrics),
        json!(["Deployment/d", shown, "2", 5, 0]),
    )
    .await;
}

async fn cells_of_a_quota(client: Client) {
    let quotas = Resource("/api/v1", "resourcequotas", "ResourceQuota");
    let quotas = quotas.fresh(&client).await;
    quotas
        .given("a", json!({"spec": {"hard": {"pods": "1"}}}))
        .await;
    let status =
        json!({"hard": {"pods": "1", "limits.cpu": "2", "count/x": "5"}, "used": {"pods": "1"}});
    quotas.merged("a/status", json!({"status": status})).await;
    check_shown(
        &quotas,
        "a",
        json!(["count/x: 0/5, pods: 1/1", "limits.cpu: 0/2"]),
    )
    .await;
}

async fn cells_of_endpoints(client: Client) {
    let endpoints = Resource("/api/v1", "endpoints", "Endpoints");
    let endpoints = endpoints.fresh(&client).await;
    let subset = json!({"addresses": [{"ip": "10.1.2.3"}, {"ip": "fd00::1"}],
        "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81}]});
    let shown = "10.1.2.3:80,[fd00::1]:80,10.1.2.3:81 + 1 more...";
    check_cells(&endpoints, json!({"subsets": [subset]}), json!([shown])).await;
    check_cells(&endpoints, json!({}), json!(["<none>"])).await;
    let slices = Resource(
        "/apis/discovery.k8s.io/v1",
        "endpointslices",
        "EndpointSlice",
    );
    let slices = slices.fresh(&client).await;
    let slice = json!({"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}], "ports": [{"port": 80}]});
    check_cells(&slices, slice, json!(["IPv4", "80", "10.1.2.3"])).await;
    let empty = json!({"addressType": "IPv4", "endpoints": []});
    check_cells(&slices, empty, json!(["IPv4", "<unset>", "<unset>"])).await;
}

async fn cells_of_policies_and_revisions(client: Client) {
    let policies = Resource(
        "/apis/networking.k8s.io/v1",
        "networkpolicies",
        "NetworkPolicy",
    );
    let policies = policies.fresh(&client).await;
    let everything = json!({"spec": {"podSelector": {}}});
    check_cells(&policies, everything, json!(["<none>"])).await;
    let terms = json!({"matchLabels": {"b": "c", "z": "y"},
        "matchExpressions": [{"key": "k", "operator": "In", "values": ["y", "x"]}]});
    let shown = json!(["b=c,k in (x,y),z=y"]);
    check_cells(&policies, json!({"spec": {"podSelector": terms}}), shown).await;
    let revisions = Resource("/apis/apps/v1", "controllerrevisions", "ControllerRevision");
    let revisions = revisions.fresh(&client).await;
    let leases = LEASES.within(&client, revisions.namespace.as_deref().unwrap_or_default());
    let lease = leases.given("l", json!({"spec": {}})).await;
    let owner = json!({"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "name": "l",
        "uid": at(&lease, "/metadata/uid"), "controller": true});
    let fields = json!({"revision": 3, "data": {}, "metadata": {"ownerReferences": [owner]}});
    check_cells(
        &revisions,
        fields,
        json!(["lease.coordination.k8s.io/l", 3]),
    )
    .await;
}

async fn cells_of_classes(client: Client) {
    let classes = Resource("/apis/storage.k8s.io/v1", "storageclasses", "StorageClass");
    let classes = classes.everywhere(&client);
    let name = unique();
    let annotation = json!({"storageclass.kubernetes.io/is-default-class": "true"});
    let fields = json!({"provisioner": "p", "metadata": {"annotations": annotation}});
    cleanup::delete_at_end(classes.at(&name));
    classes.given(&name, fields).await;
    let table = get_accepting(&client, &classes.at(&name), TABLE)
        .await
        .is(200);
    check!(table, "/rows/0/cells/0": format!("{name} (default)"));
    check_shown(&classes, &name, json!(["p", "Delete", "Immediate", false])).await;
    let priorities = Resource(
        "/apis/scheduling.k8s.io/v1",
        "priorityclasses",
        "PriorityClass",
    );
    let priorities = priorities.everywhere(&client);
    let name = unique();
    cleanup::delete_at_end(priorities.at(&name));
    priorities.given(&name, json!({"value": 7})).await;
    check_shown(
        &priorities,
        &name,
        json!([7, false, "PreemptLowerPriority"]),
    )
    .await;
}
