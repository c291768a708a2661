//! The requests of typed clients, and their handling of the answers.

use codegen_runtime::client::{Scale, TypedClient};
use futures::StreamExt;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use kube::Error;
use kube::api::{
    DeleteParams, ListParams, Patch, PatchParams, PostParams, WatchEvent, WatchParams,
};
use serde_json::{Value, json};

use super::support::objects::{cm, list, typed};
use super::support::{Call, Server};

/// Runs `request` while the test answers its only call.
async fn exchange<T>(
    server: &Server,
    request: impl Future<Output = T>,
    answer: impl FnOnce(Call),
) -> T {
    let (result, ()) = tokio::join!(request, async { answer(server.next().await) });
    result
}

fn check(call: &Call, method: &str, path: &str) {
    assert_eq!((call.method.as_str(), call.path.as_str()), (method, path));
}

#[tokio::test]
async fn short_forms_send_the_parameters_of_the_client() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default")
        .defaults()
        .field_manager("tester")
        .dry_run();
    let object = typed(&cm("a", 1));
    let answer = |method: &'static str, parameters: [Option<&'static str>; 2]| {
        move |call: Call| {
            assert_eq!(call.method, method);
            assert_eq!(
                ["dryRun", "fieldManager"].map(|it| call.query(it)),
                parameters
            );
            call.json(&cm("a", 2));
        }
    };
    let set = [Some("All"), Some("tester")];
    exchange(&server, maps.create(&object), answer("POST", set))
        .await
        .unwrap();
    exchange(&server, maps.update(&object), answer("PUT", set))
        .await
        .unwrap();
    exchange(&server, maps.get("a"), answer("GET", [None, None]))
        .await
        .unwrap();
}

#[tokio::test]
async fn each_verb_sends_its_method_and_path() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let object = typed(&cm("a", 1));
    let (pp, path) = (
        PostParams::default(),
        "/api/v1/namespaces/default/configmaps",
    );
    let one = format!("{path}/a");
    let answer = |method: &'static str, path: String| {
        move |call: Call| {
            check(&call, method, &path);
            call.json(&cm("a", 2));
        }
    };
    exchange(
        &server,
        maps.create(&object, &pp),
        answer("POST", path.into()),
    )
    .await
    .unwrap();
    exchange(
        &server,
        maps.update(&object, &pp),
        answer("PUT", one.clone()),
    )
    .await
    .unwrap();
    exchange(
        &server,
        maps.update_status(&object, &pp),
        answer("PUT", format!("{one}/status")),
    )
    .await
    .unwrap();
    exchange(&server, maps.get("a"), answer("GET", one.clone()))
        .await
        .unwrap();
    let patch = Patch::Merge(json!({"data": null}));
    let params = PatchParams::default();
    exchange(
        &server,
        maps.patch("a", &params, &patch),
        answer("PATCH", one.clone()),
    )
    .await
    .unwrap();
    exchange(
        &server,
        maps.patch_status("a", &params, &patch),
        answer("PATCH", format!("{one}/status")),
    )
    .await
    .unwrap();
    let deleted = exchange(
        &server,
        maps.delete("a", &DeleteParams::default()),
        answer("DELETE", one),
    )
    .await
    .unwrap();
    assert!(deleted.is_left());
}

#[tokio::test]
async fn verbs_of_collections_send_their_parameters() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let path = "/api/v1/namespaces/default/configmaps";
    let (everything, some, dp) = (
        ListParams::default(),
        ListParams::default().labels("x=y"),
        DeleteParams::default(),
    );
    let listed = exchange(&server, maps.list(&everything), |call| {
        check(&call, "GET", path);
        call.json(&list(7, &[cm("a", 1)]));
    });
    assert_eq!(listed.await.unwrap().items.len(), 1);
    let collection = exchange(&server, maps.delete_collection(&dp, &some), |call| {
        check(&call, "DELETE", path);
        assert_eq!(call.query("labelSelector"), Some("x=y"));
        call.json(&list(7, &[]));
    });
    assert!(collection.await.unwrap().is_left());
}

#[tokio::test]
async fn an_empty_namespace_means_all_and_cluster_scope_has_none() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "");
    exchange(&server, maps.list(&ListParams::default()), |call| {
        check(&call, "GET", "/api/v1/configmaps");
        call.json(&list(7, &[]));
    })
    .await
    .unwrap();
    let nodes = TypedClient::<Node>::cluster(server.client());
    let missing = exchange(&server, nodes.get_opt("n"), |call| {
        check(&call, "GET", "/api/v1/nodes/n");
        call.fail(404, "NotFound", "nodes \"n\" not found");
    });
    assert!(missing.await.unwrap().is_none());
    assert_eq!((maps.namespace(), nodes.namespace()), ("", ""));
}

#[tokio::test]
async fn an_update_without_a_name_is_refused_before_it_is_sent() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let error = maps
        .update(&ConfigMap::default(), &PostParams::default())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::BuildRequest(_)), "{error}");
    assert!(server.is_idle().await);
}

#[tokio::test]
async fn a_watch_gives_events_and_ends_with_the_server() {
    let server = Server::new();
    let maps = TypedClient::<ConfigMap>::namespaced(server.client(), "default");
    let params = WatchParams::default();
    let events = exchange(&server, maps.watch(&params, "5"), |call| {
        assert_eq!((call.is_watch(), call.version()), (true, Some("5")));
        call.stream().added(&cm("a", 6)).deleted(&cm("a", 7));
    });
    let events: Vec<_> = events.await.unwrap().collect().await;
    assert!(matches!(
        events[..],
        [Ok(WatchEvent::Added(_)), Ok(WatchEvent::Deleted(_))]
    ));
}

#[tokio::test]
async fn subresources_take_any_input_and_give_any_result() {
    let server = Server::new();
    let deployments = TypedClient::<Deployment>::namespaced(server.client(), "default");
    let scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "web"}, "spec": {"replicas": 3}});
    let path = "/apis/apps/v1/namespaces/default/deployments/web/scale";
    let answer = |method: &'static str| {
        let scale = scale.clone();
        move |call: Call| {
            check(&call, method, path);
            call.json(&scale);
        }
    };
    let read: Scale = exchange(&server, deployments.get_scale("web"), answer("GET"))
        .await
        .unwrap();
    assert_eq!(read.spec.as_ref().unwrap().replicas, Some(3));
    exchange(
        &server,
        deployments.update_scale("web", &read, &PostParams::default()),
        answer("PUT"),
    )
    .await
    .unwrap();
    let patch = Patch::Merge(json!({"spec": {"replicas": 4}}));
    exchange(
        &server,
        deployments.patch_scale("web", &PatchParams::default(), &patch),
        answer("PATCH"),
    )
    .await
    .unwrap();
    let posted: Value = exchange(
        &server,
        deployments.create_subresource("web", "scale", &json!({"any": 1}), &PostParams::default()),
        answer("POST"),
    )
    .await
    .unwrap();
    assert_eq!(posted["kind"], "Scale");
}
