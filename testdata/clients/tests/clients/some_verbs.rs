//! Clients with some verbs, or with custom methods, from annotated Rust.

use golden_verbs::apis::fleet::v1::{
    Check, Fleet, FleetSpec, FleetStatus, Region, RegionSpec, RegionStatus, RestartOptions,
};
use golden_verbs::generated::clientset::Clientset;
use golden_verbs::generated::informers::SharedInformerFactory;
use kube::api::{DeleteParams, ListParams, WatchParams};
use kube::{Client, ResourceExt};
use serde_json::json;

use crate::common::{informer_follows, named, next_event, ours, post, refused};
use crate::definitions::{Definition, anything};
use crate::harness::cases;
use crate::support::collection::unique;
use crate::support::{namespace, post as send};

cases![
    regions_are_made_and_not_changed,
    fleets_are_scaled_and_restarted,
    catalogs_are_read,
    checks_have_methods_only,
];

fn properties() -> serde_json::Value {
    json!({"spec": anything(), "status": anything()})
}

async fn regions_are_made_and_not_changed(client: Client) {
    let crd = Definition::new("regions.fleet.example.com", "Region", "v1", properties());
    let crd = crd.cluster_scoped().subresources(json!({"status": {}}));
    crd.install(&client).await;
    let clientset = Clientset::new(client);
    let regions = || clientset.fleet_v1().regions();
    let region = || Region {
        spec: RegionSpec {
            country: "ch".to_owned(),
        },
        ..Region::default()
    };
    let name = unique();
    let mut made = regions()
        .create(&named(region(), &name), &post())
        .await
        .unwrap();
    let params = WatchParams::default().fields(&format!("metadata.name={name}"));
    let from = made.resource_version().unwrap();
    let mut events = regions().watch(&params, &from).await.unwrap();
    made.status = Some(RegionStatus { open: true });
    let updated = regions().update_status(&made, &post()).await.unwrap();
    assert_eq!(updated.status, Some(RegionStatus { open: true }));
    assert_eq!(next_event(&mut events).await.0, "modified");
    assert_eq!(regions().get(&name).await.unwrap(), updated);
    assert_eq!(regions().get_opt("no-such-region").await.unwrap(), None);
    let listed = regions().list(&ours()).await.unwrap();
    assert!(listed.iter().any(|it| it.uid() == updated.uid()));
    informer_follows!(
        SharedInformerFactory,
        clientset,
        "",
        |factory| factory.fleet().v1().regions(),
        regions(),
        region(),
    );
}

async fn fleets_are_scaled_and_restarted(client: Client) {
    let crd = Definition::new("fleets.fleet.example.com", "Fleet", "v1", properties());
    let crd = crd.subresources(json!({
        "status": {},
        "scale": {
            "specReplicasPath": ".spec.size",
            "statusReplicasPath": ".status.size",
            "labelSelectorPath": ".status.selector",
        },
    }));
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = Clientset::new(client);
    let fleets = || clientset.fleet_v1().fleets(&namespace);
    let fleet = || Fleet {
        spec: FleetSpec { size: 3 },
        ..Fleet::default()
    };
    let mut made = fleets()
        .create(&named(fleet(), "trucks"), &post())
        .await
        .unwrap();
    made.status = Some(FleetStatus {
        size: 2,
        selector: "fleet=trucks".to_owned(),
    });
    let mut made = fleets().update_status(&made, &post()).await.unwrap();

    let mut scale = fleets().get_scale("trucks").await.unwrap();
    let status = scale.status.clone().unwrap();
    assert_eq!(
        (status.replicas, status.selector.as_deref()),
        (2, Some("fleet=trucks"))
    );
    assert_eq!(scale.spec.as_ref().and_then(|spec| spec.replicas), Some(3));
    scale.spec.get_or_insert_default().replicas = Some(5);
    fleets()
        .update_scale("trucks", &scale, &post())
        .await
        .unwrap();
    assert!(refused(fleets().update_scale("trucks", &scale, &post()).await).is_conflict());
    assert!(refused(fleets().update(&made, &post()).await).is_conflict());
    made = fleets().get("trucks").await.unwrap();
    assert_eq!(made.spec.size, 5);
    made.spec.size = 6;
    let made = fleets().update(&made, &post()).await.unwrap();
    assert_eq!(made.status.unwrap().size, 2);
    assert_eq!(fleets().get_opt("no-such-fleet").await.unwrap(), None);
    assert_eq!(
        fleets()
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );

    // A CRD cannot define a custom subresource: a server answers that it does not exist.
    let options = RestartOptions { grace_seconds: 30 };
    let refusal = refused(fleets().restart("trucks", &options, &post()).await);
    assert_eq!((refusal.code, refusal.reason.as_str()), (404, "NotFound"));

    let from = made.metadata.resource_version.unwrap();
    let mut events = fleets()
        .watch(&WatchParams::default(), &from)
        .await
        .unwrap();
    fleets()
        .delete("trucks", &DeleteParams::default())
        .await
        .unwrap();
    assert_eq!(next_event(&mut events).await.0, "deleted");
    informer_follows!(
        SharedInformerFactory,
        clientset,
        &namespace,
        |factory| factory.fleet().v1().fleets(),
        fleets(),
        fleet(),
    );
}

async fn catalogs_are_read(client: Client) {
    let sizes = json!({"sizes": {"type": "array", "items": {"type": "string"}}});
    let crd = Definition::new("catalogue.fleet.example.com", "Catalog", "v1", sizes);
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let clientset = Clientset::new(client.clone());
    let catalogs = clientset.fleet_v1().catalogs(&namespace);
    let from = catalogs
        .list(&ListParams::default())
        .await
        .unwrap()
        .metadata;
    let from = from.resource_version.unwrap();
    let mut events = catalogs
        .watch(&WatchParams::default(), &from)
        .await
        .unwrap();
    let path = format!("/apis/fleet.example.com/v1/namespaces/{namespace}/catalogue");
    let object = json!({
        "apiVersion": "fleet.example.com/v1", "kind": "Catalog",
        "metadata": {"name": "all"}, "sizes": ["small", "large"],
    });
    send(&client, &path, &object).await.is(201);
    assert_eq!(next_event(&mut events).await.0, "added");
    assert_eq!(catalogs.get("all").await.unwrap().sizes, ["small", "large"]);
    assert_eq!(catalogs.get_opt("none").await.unwrap(), None);
    let factory = SharedInformerFactory::builder(clientset)
        .namespace(&namespace)
        .build();
    let lister = factory.fleet().v1().catalogs().lister().unwrap();
    factory.start(&tokio_util::sync::CancellationToken::new());
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(
        lister.catalogs(&namespace).get("all").unwrap().sizes.len(),
        2
    );
    factory.shutdown().await;
}

async fn checks_have_methods_only(client: Client) {
    let target = json!({"target": {"type": "string"}});
    let crd = Definition::new("checks.fleet.example.com", "Check", "v1", target);
    crd.install(&client).await;
    let namespace = namespace(&client).await;
    let checks = Clientset::new(client).fleet_v1().checks(&namespace);
    let check = named(
        Check {
            target: "north".to_owned(),
            ..Check::default()
        },
        "now",
    );
    let refusal = refused(checks.probe("now", &check, &post()).await);
    assert_eq!((refusal.code, refusal.reason.as_str()), (404, "NotFound"));
}
