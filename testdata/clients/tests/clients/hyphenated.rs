//! A group with a hyphen, and kinds with acronyms.

use codegen_runtime::kube::api::PostParams;
use codegen_runtime::kube::core::Selector;
use golden_hyphenated::apis::traffic_control::v1alpha2::{
    Filter, HTTPRoute, Mark, Marked, VMIPool,
};
use golden_hyphenated::generated::clientset::fake;
use golden_hyphenated::generated::informers::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

fn route() -> HTTPRoute {
    let mut route = HTTPRoute::default();
    route.metadata.name = Some("front".to_owned());
    route.metadata.namespace = Some("default".to_owned());
    route
}

#[tokio::test]
async fn names_on_the_wire_are_the_api_s() {
    let (clientset, tracker) = fake::Clientset::empty();
    let routes = clientset.traffic_control_v1alpha2().http_routes("default");
    let stored = routes
        .create(&route(), &PostParams::default())
        .await
        .unwrap();
    assert_eq!(stored.spec, route().spec);
    let action = &tracker.actions()[0];
    assert_eq!(action.group, "traffic-control.example.com");
    assert_eq!(action.resource, "httproutes");
    assert_eq!(action.body["spec"]["type"], "exact");
}

#[cfg(unix)]
#[test]
fn a_type_under_a_condition_is_cloned() {
    let socket = golden_hyphenated::apis::traffic_control::v1alpha2::RouteSocket {
        path: "/run/route".to_owned(),
    };
    assert_eq!(socket.clone(), socket);
}

#[test]
fn generic_and_empty_types_are_cloned() {
    let marked = Marked {
        value: "x".to_owned(),
        mark: Mark(),
    };
    assert_eq!(marked.clone(), marked);
}

#[test]
fn the_fields_of_an_object_are_in_camel_case_on_the_wire() {
    let pool = VMIPool {
        held_back: vec!["10.0.0.1".to_owned()],
        ..VMIPool::default()
    };
    let wire = serde_json::to_value(&pool).unwrap();
    assert_eq!(wire["heldBack"][0], "10.0.0.1");
    assert_eq!(serde_json::from_value::<VMIPool>(wire).unwrap(), pool);
}

#[test]
fn the_clone_of_an_enum_has_its_data() {
    let filters = [
        Filter::Pass,
        Filter::Redirect {
            scheme: Some("https".to_owned()),
            host_name: "example.com".to_owned(),
        },
        Filter::Rewrite("/".to_owned()),
    ];
    assert_eq!(filters.clone(), filters);
}

#[tokio::test]
async fn informers_of_both_scopes_run_in_one_factory() {
    let mut pool = VMIPool::default();
    pool.metadata.name = Some("west".to_owned());
    let (clientset, tracker) = fake::Clientset::with_objects([pool]);
    tracker.add(route()).unwrap();
    let factory = SharedInformerFactory::builder(clientset).build();
    let informers = factory.traffic_control().v1alpha2();
    let (routes, pools) = (
        informers.http_routes().lister().unwrap(),
        informers.vmi_pools().lister().unwrap(),
    );
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(routes.list(&Selector::default()).len(), 1);
    assert!(pools.get("west").is_ok());
    stop.cancel();
    factory.shutdown().await;
}
