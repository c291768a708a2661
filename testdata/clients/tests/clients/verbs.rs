//! Clients with only some verbs, or with additional ones.

use codegen_runtime::client::Scale;
use codegen_runtime::fake::Reaction;
use codegen_runtime::kube::api::{ListParams, PostParams};
use golden_verbs::apis::fleet::v1::{
    Catalog, Check, CheckResult, Fleet, FleetSpec, Region, RestartOptions, RestartResult,
};
use golden_verbs::generated::clientset::fake;
use golden_verbs::generated::informers::SharedInformerFactory;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn fleet() -> Fleet {
    let mut fleet = Fleet {
        spec: FleetSpec { size: 3 },
        ..Fleet::default()
    };
    fleet.metadata.name = Some("trucks".to_owned());
    fleet.metadata.namespace = Some("default".to_owned());
    fleet
}

#[tokio::test]
async fn a_cluster_scoped_kind_takes_no_namespace() {
    let mut region = Region::default();
    region.metadata.name = Some("north".to_owned());
    let (clientset, _) = fake::Clientset::with_objects([region]);
    let regions = clientset.fleet_v1().regions();
    assert_eq!(
        regions
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );

    let factory = SharedInformerFactory::builder(clientset).build();
    let lister = factory.fleet().v1().regions().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert!(lister.get("north").is_ok());
    assert!(lister.get("south").is_err());
    stop.cancel();
    factory.shutdown().await;
}

#[tokio::test]
async fn scale_is_read_and_written() {
    let (clientset, tracker) = fake::Clientset::with_objects([fleet()]);
    let fleets = clientset.fleet_v1().fleets("default");
    let mut scale: Scale = fleets.get_scale("trucks").await.unwrap();
    assert_eq!(scale.spec.as_ref().and_then(|spec| spec.replicas), Some(3));
    scale.spec.get_or_insert_default().replicas = Some(5);
    fleets
        .update_scale("trucks", &scale, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(fleets.get("trucks").await.unwrap().spec.size, 5);
    let subresources: Vec<_> = tracker
        .actions()
        .into_iter()
        .map(|action| action.subresource)
        .collect();
    assert_eq!(subresources, ["scale", "scale", ""]);
}

#[tokio::test]
async fn a_custom_method_has_its_own_input_and_result() {
    let (clientset, tracker) = fake::Clientset::with_objects([fleet()]);
    tracker.prepend_reactor("create", "fleets/restart", |action| {
        assert_eq!(action.body, json!({ "graceSeconds": 30 }));
        Reaction::Respond(json!({ "restarted": 3 }))
    });
    let fleets = clientset.fleet_v1().fleets("default");
    let options = RestartOptions { grace_seconds: 30 };
    let result: RestartResult = fleets
        .restart("trucks", &options, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(result, RestartResult { restarted: 3 });
}

#[tokio::test]
async fn a_method_without_types_sends_and_gets_the_object() {
    let (clientset, tracker) = fake::Clientset::empty();
    tracker.prepend_reactor("create", "checks/probe", |action| {
        Reaction::Respond(action.body.clone())
    });
    let mut check = Check {
        target: "north".to_owned(),
        ..Check::default()
    };
    check.metadata.name = Some("now".to_owned());
    let checks = clientset.fleet_v1().checks("default");
    let answer = checks
        .probe("now", &check, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(answer, check);
}

#[tokio::test]
async fn what_is_created_may_be_answered_by_another_type() {
    let (clientset, tracker) = fake::Clientset::empty();
    tracker.prepend_reactor("create", "checks", |action| {
        assert_eq!(action.body["target"], "north");
        Reaction::Respond(json!({ "passed": true }))
    });
    let check = Check {
        target: "north".to_owned(),
        ..Check::default()
    };
    let checks = clientset.fleet_v1().checks("default");
    let result: CheckResult = checks.create(&check, &PostParams::default()).await.unwrap();
    assert_eq!(result, CheckResult { passed: true });
}

#[tokio::test]
async fn a_resource_has_the_plural_that_its_marker_gives() {
    let mut catalog = Catalog::default();
    catalog.metadata.name = Some("sizes".to_owned());
    catalog.metadata.namespace = Some("default".to_owned());
    let (clientset, tracker) = fake::Clientset::with_objects([catalog]);
    clientset
        .fleet_v1()
        .catalogs("default")
        .get("sizes")
        .await
        .unwrap();
    assert_eq!(tracker.actions()[0].resource, "catalogue");
}

#[test]
fn a_kind_has_its_crd() {
    use codegen_runtime::kube::core::CustomResourceExt as _;

    let crd = Fleet::crd();
    assert_eq!(crd.metadata.name.as_deref(), Some(Fleet::crd_name()));
    assert_eq!(crd.spec.names.kind, "Fleet");
    assert!(crd.spec.versions[0].storage);
}
