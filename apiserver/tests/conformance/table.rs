//! Table output, as shown by `kubectl get`.

use crate::harness::cases;
use crate::support::watching::Watch;
use crate::support::*;

cases![
    table_of_a_list,
    table_of_one_object,
    table_of_config_maps_counts_data,
    table_of_custom_resources_has_name_and_age,
    table_has_the_printer_columns_of_a_crd,
    table_cells_of_missing_values_are_empty,
    table_rows_hold_metadata,
    table_rows_hold_the_object_on_request,
    table_rows_hold_nothing_on_request,
    table_columns_have_priorities,
    table_of_a_watch,
    table_of_a_page,
    table_of_an_empty_list,
    table_of_deployments,
    table_of_pods,
    table_is_one_of_several_accepted,
    table_of_a_status_stays_a_status,
    table_of_an_unknown_version_falls_back,
    columns_of_built_in_kinds,
    columns_of_built_in_kinds_are_described,
];

pub(crate) const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

pub(crate) fn columns(table: &Value) -> Vec<&str> {
    let columns = at(table, "/columnDefinitions")
        .as_array()
        .into_iter()
        .flatten();
    columns
        .map(|column| column["name"].as_str().unwrap_or_default())
        .collect()
}

async fn table(objects: &Collection, query: &str) -> Value {
    get_accepting(&objects.client, &format!("{}?{query}", objects.path), TABLE)
        .await
        .is(200)
}

async fn table_of_a_list(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let table = table(&secrets, "").await;
    check!(table, "/kind": "Table", "/apiVersion": "meta.k8s.io/v1");
    resource_version(&table);
    assert_eq!(columns(&table), ["Name", "Type", "Data", "Age"]);
    check!(table,
        "/rows/0/cells/0": "a",
        "/rows/0/cells/1": "Opaque",
        "/rows/0/cells/2": 0,
        "/columnDefinitions/0/type": "string",
        "/columnDefinitions/0/format": "name");
    assert!(at(&table, "/columnDefinitions/0/description").is_string());
}

async fn table_of_one_object(client: Client) {
    let secrets = secrets(&client).await;
    let created = secrets.given("a", json!({})).await;
    let table = get_accepting(&client, &secrets.at("a"), TABLE)
        .await
        .is(200);
    check!(table, "/kind": "Table", "/rows/0/cells/0": "a");
    assert_eq!(resource_version(&table), resource_version(&created));
}

async fn table_of_config_maps_counts_data(client: Client) {
    let maps = configmaps(&client).await;
    maps.given(
        "a",
        json!({"data": {"k": "v"}, "binaryData": {"b": "AA=="}}),
    )
    .await;
    let table = table(&maps, "fieldSelector=metadata.name%3Da").await;
    assert_eq!(columns(&table), ["Name", "Data", "Age"]);
    check!(table, "/rows/0/cells/1": 2);
}

async fn table_of_custom_resources_has_name_and_age(client: Client) {
    let things = things(&client, json!({})).await;
    things.given("a", json!({})).await;
    let table = table(&things, "").await;
    assert_eq!(columns(&table), ["Name", "Age"]);
    check!(table, "/rows/0/cells/0": "a");
    assert!(at(&table, "/rows/0/cells/1").is_string());
}

async fn printed(client: &Client) -> Collection {
    let properties = json!({"size": {"type": "integer"}, "on": {"type": "boolean"}, "tags": {"type": "array", "items": {"type": "string"}}});
    Crd::new(crd::spec_schema(properties))
        .with(
            "additionalPrinterColumns",
            json!([
                {"name": "Size", "type": "integer", "jsonPath": ".spec.size", "description": "how big"},
                {"name": "On", "type": "boolean", "jsonPath": ".spec.on", "priority": 1},
                {"name": "Tag", "type": "string", "jsonPath": ".spec.tags[0]"},
                {"name": "Made", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
            ]),
        )
        .install(client)
        .await
}

async fn table_has_the_printer_columns_of_a_crd(client: Client) {
    let things = printed(&client).await;
    things
        .given(
            "a",
            json!({"spec": {"size": 3, "on": true, "tags": ["x", "y"]}}),
        )
        .await;
    let table = table(&things, "").await;
    assert_eq!(columns(&table), ["Name", "Size", "On", "Tag", "Made"]);
    check!(table,
        "/rows/0/cells/1": 3,
        "/rows/0/cells/2": true,
        "/rows/0/cells/3": "x",
        "/columnDefinitions/1/description": "how big",
        "/columnDefinitions/1/type": "integer");
}

async fn table_cells_of_missing_values_are_empty(client: Client) {
    let things = printed(&client).await;
    things.given("a", json!({})).await;
    let table = table(&things, "").await;
    check!(table, "/rows/0/cells/1": Value::Null, "/rows/0/cells/3": Value::Null);
}

async fn table_rows_hold_metadata(client: Client) {
    let secrets = secrets(&client).await;
    secrets
        .given("a", json!({"metadata": {"labels": {"l": "1"}}}))
        .await;
    let table = table(&secrets, "").await;
    check!(table,
        "/rows/0/object/kind": "PartialObjectMetadata",
        "/rows/0/object/apiVersion": "meta.k8s.io/v1",
        "/rows/0/object/metadata/labels/l": "1");
    check_absent(&table, "/rows/0/object/type");
}

async fn table_rows_hold_the_object_on_request(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let table = table(&secrets, "includeObject=Object").await;
    check!(table, "/rows/0/object/kind": "Secret", "/rows/0/object/type": "Opaque");
}

async fn table_rows_hold_nothing_on_request(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    let table = table(&secrets, "includeObject=None").await;
    check!(table, "/rows/0/object": Value::Null);
}

async fn table_columns_have_priorities(client: Client) {
    let things = printed(&client).await;
    let table = table(&things, "").await;
    check!(table, "/columnDefinitions/1/priority": 0, "/columnDefinitions/2/priority": 1);
}

async fn table_of_a_watch(client: Client) {
    let secrets = secrets(&client).await;
    let version = secrets.version().await;
    let path = format!("{}?watch=true&resourceVersion={version}", secrets.path);
    let mut watch = Watch::start_accepting(&client, &path, TABLE).await;
    secrets.given("a", json!({})).await;
    secrets.delete("a").await.is(200);
    let first = watch.next().await.expect("an event");
    check!(first, "/type": "ADDED", "/object/kind": "Table", "/object/rows/0/cells/0": "a");
    assert_eq!(
        columns(at(&first, "/object")),
        ["Name", "Type", "Data", "Age"]
    );
    let second = watch.next().await.expect("an event");
    check!(second, "/type": "DELETED", "/object/rows/0/cells/0": "a");
}

async fn table_of_a_page(client: Client) {
    let secrets = secrets(&client).await;
    secrets.given("a", json!({})).await;
    secrets.given("b", json!({})).await;
    let table = table(&secrets, "limit=1").await;
    assert_eq!(at(&table, "/rows").as_array().map(Vec::len), Some(1));
    check!(table, "/metadata/remainingItemCount": 1);
    assert!(at(&table, "/metadata/continue").is_string());
}

async fn table_of_an_empty_list(client: Client) {
    let table = table(&secrets(&client).await, "").await;
    check!(table, "/rows": []);
    assert_eq!(columns(&table).len(), 4);
}

async fn table_of_deployments(client: Client) {
    let deployments = DEPLOYMENTS.fresh(&client).await;
    let template = json!({"metadata": {"labels": {"app": "a"}}, "spec": {"containers": [{"name": "c", "image": "i:1"}]}});
    deployments.given("a", json!({"spec": {"replicas": 2, "selector": {"matchLabels": {"app": "a"}}, "template": template}})).await;
    let table = table(&deployments, "").await;
    assert_eq!(
        columns(&table),
        [
            "Name",
            "Ready",
            "Up-to-date",
            "Available",
            "Age",
            "Containers",
            "Images",
            "Selector"
        ]
    );
    check!(table, "/rows/0/cells/1": "0/2", "/rows/0/cells/6": "i:1", "/rows/0/cells/7": "app=a");
}

async fn table_of_pods(client: Client) {
    let pods = PODS.fresh(&client).await;
    pods.given(
        "a",
        json!({"spec": {"containers": [{"name": "c", "image": "i:1"}]}}),
    )
    .await;
    let table = table(&pods, "").await;
    let expected = [
        "Name",
        "Ready",
        "Status",
        "Restarts",
        "Age",
        "IP",
        "Node",
        "Nominated Node",
        "Readiness Gates",
    ];
    assert_eq!(columns(&table), expected);
    check!(table,
        "/rows/0/cells/1": "0/1",
        "/rows/0/cells/2": "Pending",
        "/rows/0/cells/5": "<none>");
    pods.delete_with("a", &json!({"gracePeriodSeconds": 0}))
        .await;
}

async fn table_is_one_of_several_accepted(client: Client) {
    let secrets = secrets(&client).await;
    let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
    check!(get_accepting(&client, &secrets.path, accept).await.is(200), "/kind": "Table");
}

async fn table_of_a_status_stays_a_status(client: Client) {
    let secrets = secrets(&client).await;
    let reply = get_accepting(&client, &secrets.at("missing"), TABLE).await;
    reply.not_found("secrets \"missing\" not found");
}

async fn table_of_an_unknown_version_falls_back(client: Client) {
    let secrets = secrets(&client).await;
    let accept = "application/json;as=Table;v=v9;g=meta.k8s.io,application/json";
    check!(get_accepting(&client, &secrets.path, accept).await.is(200), "/kind": "SecretList");
    let reply = get_accepting(
        &client,
        &secrets.path,
        "application/json;as=Table;v=v9;g=meta.k8s.io",
    )
    .await;
    reply.refused(406, "NotAcceptable");
}

#[rustfmt::skip]
const COLUMNS: &[(&str, &str)] = &[
    ("/api/v1/namespaces", "Name, Status, Age"),
    ("/api/v1/nodes",
        "Name, Status, Roles, Age, Version, +Internal-IP, +External-IP, +OS-Image, +Kernel-Version, +Container-Runtime"),
    ("/api/v1/services", "Name, Type, Cluster-IP, External-IP, Port(s), Age, +Selector"),
    ("/api/v1/serviceaccounts", "Name, Age"),
    ("/api/v1/events", "Last Seen, Type, Reason, Object, +Subobject, +Source, Message, +First Seen, +Count, +Name"),
    ("/api/v1/persistentvolumes",
        "Name, Capacity, Access Modes, Reclaim Policy, Status, Claim, StorageClass, VolumeAttributesClass, Reason, Age, +VolumeMode"),
    ("/api/v1/persistentvolumeclaims",
        "Name, Status, Volume, Capacity, Access Modes, StorageClass, VolumeAttributesClass, Age, +VolumeMode"),
    ("/apis/apps/v1/replicasets", "Name, Desired, Current, Ready, Age, +Containers, +Images, +Selector"),
    ("/apis/apps/v1/statefulsets", "Name, Ready, Age, +Containers, +Images"),
    ("/apis/apps/v1/daemonsets",
        "Name, Desired, Current, Ready, Up-to-date, Available, Node Selector, Age, +Containers, +Images, +Selector"),
    ("/apis/batch/v1/jobs", "Name, Status, Completions, Duration, Age, +Containers, +Images, +Selector"),
    ("/apis/batch/v1/cronjobs",
        "Name, Schedule, Timezone, Suspend, Active, Last Schedule, Age, +Containers, +Images, +Selector"),
    ("/apis/coordination.k8s.io/v1/leases", "Name, Holder, Age"),
    ("/api/v1/endpoints", "Name, Endpoints, Age"),
    ("/api/v1/resourcequotas", "Name, Request, Limit, Age"),
    ("/api/v1/podtemplates", "Name, Containers, Images, Pod Labels"),
    ("/apis/apps/v1/controllerrevisions", "Name, Controller, Revision, Age"),
    ("/apis/autoscaling/v2/horizontalpodautoscalers", "Name, Reference, Targets, MinPods, MaxPods, Replicas, Age"),
    ("/apis/autoscaling/v1/horizontalpodautoscalers", "Name, Reference, Targets, MinPods, MaxPods, Replicas, Age"),
    ("/apis/discovery.k8s.io/v1/endpointslices", "Name, AddressType, Ports, Endpoints, Age"),
    ("/apis/networking.k8s.io/v1/ingressclasses", "Name, Controller, Parameters, Age"),
    ("/apis/networking.k8s.io/v1/networkpolicies", "Name, Pod-Selector, Age"),
    ("/apis/scheduling.k8s.io/v1/priorityclasses", "Name, Value, Global-Default, Age, PreemptionPolicy"),
    ("/apis/storage.k8s.io/v1/storageclasses",
        "Name, Provisioner, ReclaimPolicy, VolumeBindingMode, AllowVolumeExpansion, Age"),
    ("/apis/storage.k8s.io/v1/csidrivers",
        "Name, AttachRequired, PodInfoOnMount, StorageCapacity, TokenRequests, RequiresRepublish, Modes, Age"),
    ("/apis/storage.k8s.io/v1/csinodes", "Name, Drivers, Age"),
    ("/apis/storage.k8s.io/v1/volumeattachments", "Name, Attacher, PV, Node, Attached, Age"),
    ("/apis/storage.k8s.io/v1/volumeattributesclasses", "Name, DriverName, Age"),
    ("/apis/certificates.k8s.io/v1/certificatesigningrequests",
        "Name, Age, SignerName, Requestor, RequestedDuration, Condition"),
    ("/apis/apiregistration.k8s.io/v1/apiservices", "Name, Service, Available, Age"),
    ("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies", "Name, Validations, ParamKind, Age"),
    ("/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", "Name, PolicyName, ParamRef, Age"),
    ("/apis/rbac.authorization.k8s.io/v1/roles", "Name, Created At"),
    ("/apis/rbac.authorization.k8s.io/v1/rolebindings", "Name, Role, Age, +Users, +Groups, +ServiceAccounts"),
    ("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "Name, Created At"),
];

async fn columns_of_built_in_kinds(client: Client) {
    for (path, expected) in COLUMNS {
        let table = get_accepting(&client, &format!("{path}?limit=1"), TABLE)
            .await
            .is(200);
        let columns = at(&table, "/columnDefinitions")
            .as_array()
            .cloned()
            .unwrap_or_default();
        let shown: Vec<String> = columns
            .iter()
            .map(|column| {
                format!(
                    "{}{}",
                    if column["priority"] == 0 { "" } else { "+" },
                    column["name"].as_str().unwrap_or_default()
                )
            })
            .collect();
        assert_eq!(shown.join(", "), *expected, "{path}");
    }
}

async fn columns_of_built_in_kinds_are_described(client: Client) {
    let table = table(&configmaps(&client).await, "").await;
    check!(table, "/columnDefinitions/1/description": "Data contains the configuration data. Each key must consist of alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The keys stored in Data must not overlap with the keys in the BinaryData field, this is enforced during validation process.");
}
