//! Discovery: the groups, versions and resources that a server reports.

use crate::harness::cases;
use crate::support::expect::eventually;
use crate::support::*;

cases![
    version_names_a_release,
    api_lists_the_core_version,
    apis_lists_groups_with_their_versions,
    group_document_names_its_versions,
    core_resources_have_verbs_and_names,
    subresources_are_listed,
    group_resources_have_their_group_version,
    custom_resources_appear_in_discovery,
    custom_resources_with_short_names_and_categories,
    custom_resource_subresources_are_listed,
    deleted_crd_leaves_discovery,
    preferred_version_is_the_newest,
    aggregated_discovery_of_the_core_group,
    aggregated_discovery_of_groups,
    aggregated_discovery_of_a_custom_resource,
    unknown_group_is_not_found,
    unknown_version_is_not_found,
    readyz_and_livez_answer_ok,
    built_in_kinds_are_listed,
    crd_status_tells_its_names,
];

fn resource<'v>(list: &'v Value, name: &str) -> &'v Value {
    let found = list["resources"]
        .as_array()
        .and_then(|all| all.iter().find(|resource| resource["name"] == name));
    found.unwrap_or_else(|| panic!("no resource {name} in {list:#}"))
}

fn sorted_verbs(resource: &Value) -> Vec<String> {
    let mut verbs: Vec<String> = resource["verbs"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|v| v.as_str().unwrap_or_default().to_owned())
        .collect();
    verbs.sort();
    verbs
}

const ALL_VERBS: [&str; 8] = [
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
];

async fn version_names_a_release(client: Client) {
    let version = get(&client, "/version").await.is(200);
    check!(version, "/major": "1");
    for field in [
        "minor",
        "gitVersion",
        "platform",
        "goVersion",
        "buildDate",
        "compiler",
        "gitCommit",
        "gitTreeState",
    ] {
        assert!(version[field].is_string(), "{field} in {version}");
    }
    assert!(
        version["gitVersion"]
            .as_str()
            .is_some_and(|v| v.starts_with("v1.")),
        "{version}"
    );
}

async fn api_lists_the_core_version(client: Client) {
    let versions = get(&client, "/api").await.is(200);
    check!(versions, "/kind": "APIVersions", "/versions": ["v1"]);
}

async fn apis_lists_groups_with_their_versions(client: Client) {
    let groups = get(&client, "/apis").await.is(200);
    check!(groups, "/kind": "APIGroupList", "/apiVersion": "v1");
    let groups = groups["groups"].as_array().cloned().unwrap_or_default();
    let apps = groups
        .iter()
        .find(|group| group["name"] == "apps")
        .expect("the group apps");
    check!(apps,
        "/versions": [{"groupVersion": "apps/v1", "version": "v1"}],
        "/preferredVersion": {"groupVersion": "apps/v1", "version": "v1"});
    for name in [
        "batch",
        "coordination.k8s.io",
        "rbac.authorization.k8s.io",
        "events.k8s.io",
        "apiextensions.k8s.io",
    ] {
        assert!(groups.iter().any(|group| group["name"] == name), "{name}");
    }
}

async fn group_document_names_its_versions(client: Client) {
    let group = get(&client, "/apis/apps").await.is(200);
    check!(group,
        "/kind": "APIGroup",
        "/apiVersion": "v1",
        "/name": "apps",
        "/preferredVersion/groupVersion": "apps/v1");
}

async fn core_resources_have_verbs_and_names(client: Client) {
    let list = get(&client, "/api/v1").await.is(200);
    check!(list, "/kind": "APIResourceList", "/groupVersion": "v1");
    let maps = resource(&list, "configmaps");
    check!(maps,
        "/kind": "ConfigMap",
        "/singularName": "configmap",
        "/namespaced": true,
        "/shortNames": ["cm"]);
    assert_eq!(sorted_verbs(maps), ALL_VERBS);
    let namespaces = resource(&list, "namespaces");
    check!(namespaces, "/namespaced": false, "/shortNames": ["ns"]);
    assert_eq!(
        sorted_verbs(namespaces),
        [
            "create", "delete", "get", "list", "patch", "update", "watch"
        ]
    );
    check!(resource(&list, "pods"), "/categories": ["all"]);
}

async fn subresources_are_listed(client: Client) {
    let list = get(&client, "/api/v1").await.is(200);
    let status = resource(&list, "pods/status");
    check!(status, "/kind": "Pod", "/namespaced": true);
    assert_eq!(sorted_verbs(status), ["get", "patch", "update"]);
    let list = get(&client, "/apis/apps/v1").await.is(200);
    let scale = resource(&list, "deployments/scale");
    check!(scale, "/kind": "Scale", "/group": "autoscaling", "/version": "v1");
}

async fn group_resources_have_their_group_version(client: Client) {
    let list = get(&client, "/apis/apps/v1").await.is(200);
    check!(list, "/groupVersion": "apps/v1");
    let deployments = resource(&list, "deployments");
    check!(deployments, "/kind": "Deployment", "/shortNames": ["deploy"], "/categories": ["all"]);
}

async fn custom_resources_appear_in_discovery(client: Client) {
    let things = things(&client, json!({})).await;
    let list = get(&client, &format!("/apis/{}", things.api_version))
        .await
        .is(200);
    check!(list, "/groupVersion": things.api_version);
    let thing = resource(&list, "things");
    check!(thing, "/kind": "Thing", "/singularName": "thing", "/namespaced": true);
    assert_eq!(sorted_verbs(thing), ALL_VERBS);
}

async fn custom_resources_with_short_names_and_categories(client: Client) {
    let mut crd = Crd::new(json!({"type": "object"}));
    crd.body["spec"]["names"]["shortNames"] = json!(["tg"]);
    crd.body["spec"]["names"]["categories"] = json!(["stuff"]);
    let things = crd.install(&client).await;
    let list = get(&client, &format!("/apis/{}", things.api_version))
        .await
        .is(200);
    check!(resource(&list, "things"), "/shortNames": ["tg"], "/categories": ["stuff"]);
}

async fn custom_resource_subresources_are_listed(client: Client) {
    let scale =
        json!({"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"});
    let things = things_with(
        &client,
        json!({"replicas": {"type": "integer"}}),
        json!({"status": {}, "scale": scale}),
    )
    .await;
    let list = get(&client, &format!("/apis/{}", things.api_version))
        .await
        .is(200);
    check!(resource(&list, "things/status"), "/kind": "Thing");
    check!(resource(&list, "things/scale"), "/kind": "Scale", "/group": "autoscaling");
}

async fn deleted_crd_leaves_discovery(client: Client) {
    let crd = Crd::new(json!({"type": "object"}));
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    delete(&client, &crd.path()).await.is(200);
    eventually("the CRD is gone", || async {
        (get(&client, &crd.path()).await.code == 404).then_some(())
    })
    .await;
    let path = format!("/apis/{}", things.api_version);
    eventually("the group version is gone", || async {
        (get(&client, &path).await.code == 404).then_some(())
    })
    .await;
    assert_eq!(things.get("a").await.code, 404);
}

async fn preferred_version_is_the_newest(client: Client) {
    let schema = json!({"type": "object"});
    let crd = Crd::new(schema.clone())
        .and_version("v2beta1", schema.clone())
        .and_version("v2", schema);
    crd.install(&client).await;
    let path = format!("/apis/{}", crd.group);
    let group = eventually("discovery has three versions", || async {
        let group = get(&client, &path).await.json();
        (group["versions"].as_array().map(Vec::len) == Some(3)).then_some(group)
    })
    .await;
    let versions: Vec<&str> = group["versions"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|v| v["version"].as_str())
        .collect();
    assert_eq!(versions, ["v2", "v1", "v2beta1"]);
    check!(group, "/preferredVersion/version": "v2");
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn aggregated<'v>(list: &'v Value, group: &str, resource: &str) -> Option<&'v Value> {
    let group = list["items"]
        .as_array()?
        .iter()
        .find(|item| item["metadata"]["name"].as_str().unwrap_or_default() == group)?;
    let version = group["versions"].as_array()?.first()?;
    version["resources"]
        .as_array()?
        .iter()
        .find(|found| found["resource"] == resource)
}

async fn aggregated_discovery_of_the_core_group(client: Client) {
    let reply = get_accepting(&client, "/api", AGGREGATED).await;
    let list = reply.is(200);
    check!(list, "/kind": "APIGroupDiscoveryList", "/apiVersion": "apidiscovery.k8s.io/v2");
    assert_eq!(reply.header("content-type"), Some(AGGREGATED));
    let pods = aggregated(&list, "", "pods").expect("pods");
    check!(pods,
        "/scope": "Namespaced",
        "/responseKind": {"group": "", "version": "", "kind": "Pod"});
    assert!(
        pods["subresources"]
            .as_array()
            .is_some_and(|all| all.iter().any(|sub| sub["subresource"] == "status")),
        "{pods}"
    );
}

async fn aggregated_discovery_of_groups(client: Client) {
    let list = get_accepting(&client, "/apis", AGGREGATED).await.is(200);
    let deployments = aggregated(&list, "apps", "deployments").expect("deployments");
    check!(deployments, "/singularResource": "deployment", "/shortNames": ["deploy"]);
    assert_eq!(sorted_verbs(deployments), ALL_VERBS);
}

async fn aggregated_discovery_of_a_custom_resource(client: Client) {
    let things = things(&client, json!({})).await;
    let group = things.api_version.trim_end_matches("/v1").to_owned();
    let thing = eventually("the group is in the aggregated document", || async {
        let list = get_accepting(&client, "/apis", AGGREGATED).await.is(200);
        aggregated(&list, &group, "things").cloned()
    })
    .await;
    check!(thing,
        "/responseKind": {"group": group, "version": "v1", "kind": "Thing"},
        "/singularResource": "thing");
}

async fn unknown_group_is_not_found(client: Client) {
    assert_eq!(get(&client, "/apis/conformance.missing").await.code, 404);
}

async fn unknown_version_is_not_found(client: Client) {
    assert_eq!(get(&client, "/apis/apps/v9").await.code, 404);
}

async fn readyz_and_livez_answer_ok(client: Client) {
    for path in ["/readyz", "/livez", "/healthz"] {
        let reply = get(&client, path).await;
        assert_eq!((reply.code, reply.text.as_str()), (200, "ok"), "{path}");
    }
}

async fn built_in_kinds_are_listed(client: Client) {
    #[rustfmt::skip]
    let cases = [
        ("/api/v1",
            vec!["pods", "services", "configmaps", "secrets", "serviceaccounts", "events", "nodes", "persistentvolumes", "persistentvolumeclaims"]),
        ("/apis/apps/v1", vec!["deployments", "replicasets", "statefulsets", "daemonsets"]),
        ("/apis/batch/v1", vec!["jobs", "cronjobs"]),
        ("/apis/coordination.k8s.io/v1", vec!["leases"]),
        ("/apis/events.k8s.io/v1", vec!["events"]),
        ("/apis/rbac.authorization.k8s.io/v1", vec!["roles", "rolebindings", "clusterroles", "clusterrolebindings"]),
        ("/apis/apiextensions.k8s.io/v1", vec!["customresourcedefinitions"]),
    ];
    for (path, resources) in cases {
        let list = get(&client, path).await.is(200);
        for name in resources {
            assert!(
                resource(&list, name)["verbs"]
                    .as_array()
                    .is_some_and(|verbs| verbs.len() >= 7),
                "{path} {name}"
            );
        }
    }
}

async fn crd_status_tells_its_names(client: Client) {
    let crd = Crd::new(json!({"type": "object"}));
    crd.install(&client).await;
    let found = get(&client, &crd.path()).await.is(200);
    check!(found,
        "/status/acceptedNames": {"kind": "Thing", "listKind": "ThingList", "plural": "things", "singular": "thing"},
        "/status/storedVersions": ["v1"]);
    let conditions = found["status"]["conditions"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    for (kind, reason) in [
        ("NamesAccepted", "NoConflicts"),
        ("Established", "InitialNamesAccepted"),
    ] {
        let condition = conditions
            .iter()
            .find(|condition| condition["type"] == kind)
            .expect(kind);
        check!(condition, "/status": "True", "/reason": reason);
    }
}
