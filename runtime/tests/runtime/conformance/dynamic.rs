//! Informers of resources that are known only at run time, and that appear and disappear while
//! informers run.

use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::object::Cacheable;
use kube::api::{ApiResource, GroupVersionKind};
use kube::discovery::Scope;
use kube::{Client, ResourceExt};
use serde_json::{Value, json};

use super::common::{Running, Told, until};
use crate::harness::cases;
use crate::support::crd::{CRDS, spec_schema};
use crate::support::{Crd, cleanup, namespace, post};

cases![
    a_dynamic_informer_holds_whole_objects,
    a_dynamic_metadata_informer_holds_metadata,
    an_informer_waits_for_its_crd,
    the_end_of_a_crd_empties_the_cache,
];

fn resource(crd: &Crd) -> ApiResource {
    ApiResource::from_gvk_with_plural(&GroupVersionKind::gvk(&crd.group, "v1", "Thing"), "things")
}

fn things_of_size() -> Crd {
    Crd::new(spec_schema(json!({"size": {"type": "integer"}})))
}

fn factory(client: &Client, namespace: Option<&str>) -> SharedInformerFactory {
    SharedInformerFactory::builder(client.clone())
        .namespace(namespace.unwrap_or_default())
        .build()
}

async fn synced<K: Cacheable>(running: Running<K>) -> Running<K> {
    running.synced().await;
    running
}

async fn a_dynamic_informer_holds_whole_objects(client: Client) {
    let crd = things_of_size();
    let things = crd.install(&client).await;
    things.given("a", json!({"spec": {"size": 3}})).await;
    let factory = factory(&client, things.namespace.as_deref());
    let running = Running::run(factory.dynamic_informer(&resource(&crd), Scope::Namespaced));
    let running = synced(running).await;
    let size = || -> Value {
        let objects = running.informer.store().list();
        let object = objects.iter().find(|object| object.name_any() == "a");
        object.map(|it| it.data["spec"]["size"].clone()).into()
    };
    assert_eq!(size(), 3);
    things
        .merge("a", json!({"spec": {"size": 4}}))
        .await
        .is(200);
    until("the change is cached", || size() == 4).await;
}

async fn a_dynamic_metadata_informer_holds_metadata(client: Client) {
    let crd = things_of_size();
    let things = crd.install(&client).await;
    things
        .given("a", json!({"metadata": {"labels": {"x": "y"}}}))
        .await;
    let factory = factory(&client, things.namespace.as_deref());
    let running =
        Running::run(factory.dynamic_metadata_informer(&resource(&crd), Scope::Namespaced));
    let running = synced(running).await;
    assert_eq!(running.informer.store().list()[0].labels()["x"], "y");
    things.delete("a").await.is(200);
    until("the delete is cached", || running.names().is_empty()).await;
}

async fn an_informer_waits_for_its_crd(client: Client) {
    let crd = things_of_size();
    let factory = factory(&client, None);
    let informer = factory.dynamic_informer(&resource(&crd), Scope::Namespaced);
    let told = Told::default();
    told.add_to(&informer);
    let running = Running::run(informer);
    until("the first list fails", || {
        running.informer.stats().reflector.errors > 0
    })
    .await;
    assert!(!running.informer.has_synced());
    let things = crd.install(&client).await;
    running.synced().await;
    things.given("a", json!({})).await;
    told.becomes(&["+a"]).await;
}

async fn the_end_of_a_crd_empties_the_cache(client: Client) {
    let crd = things_of_size();
    let things = crd.install(&client).await;
    things.given("a", json!({})).await;
    let running =
        Running::run(factory(&client, None).dynamic_informer(&resource(&crd), Scope::Namespaced));
    let running = synced(running).await;
    assert_eq!(running.names(), ["a"]);
    crate::support::delete(&client, &crd.path()).await.is(200);
    until("the cache is empty", || running.names().is_empty()).await;
    // The resource and its objects reappear.
    let namespace = namespace(&client).await;
    crate::support::expect::eventually("the CRD can be made anew", || async {
        (post(&client, CRDS, &crd.body).await.code == 201).then_some(())
    })
    .await;
    cleanup::delete_at_end(crd.path());
    crd.wait_until_served(&client).await;
    let things = crd.things(&client, &namespace, "v1");
    things.given("b", json!({})).await;
    until("the new one is cached", || running.names() == ["b"]).await;
}
