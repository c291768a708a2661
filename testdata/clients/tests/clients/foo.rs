//! sample-controller's `Foo`, with a hand-written list type.

use codegen_runtime::k8s_openapi::{Metadata as _, Resource as _};
use codegen_runtime::kube::api::{ListParams, PostParams};
use codegen_runtime::kube::core::Selector;
use golden_foo::apis::samplecontroller::v1alpha1::{Foo, FooList, FooSpec};
use golden_foo::generated::clientset::fake;
use golden_foo::generated::informers::SharedInformerFactory;
use serde_json::json;
use tokio_util::sync::CancellationToken;

fn foo() -> Foo {
    let mut foo = Foo {
        spec: FooSpec {
            deployment_name: "example-foo".to_owned(),
            replicas: Some(1),
        },
        ..Foo::default()
    };
    foo.metadata.name = Some("example-foo".to_owned());
    foo.metadata.namespace = Some("default".to_owned());
    foo
}

#[tokio::test]
async fn the_client_works() {
    let (clientset, tracker) = fake::Clientset::empty();
    let foos = clientset.samplecontroller_v1alpha1().foos("default");
    foos.create(&foo(), &PostParams::default()).await.unwrap();
    assert_eq!(
        foos.list(&ListParams::default()).await.unwrap().items.len(),
        1
    );
    let action = &tracker.actions()[0];
    assert_eq!((action.verb, action.resource.as_str()), ("create", "foos"));
    assert_eq!(
        action.body["spec"],
        json!({ "deploymentName": "example-foo", "replicas": 1 })
    );
}

#[tokio::test]
async fn the_lister_reads_the_cache() {
    let (clientset, _) = fake::Clientset::with_objects([foo()]);
    let factory = SharedInformerFactory::builder(clientset).build();
    let lister = factory
        .samplecontroller()
        .v1alpha1()
        .foos()
        .lister()
        .unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert_eq!(lister.foos("default").list(&Selector::default()).len(), 1);
    stop.cancel();
    factory.shutdown().await;
}

#[test]
fn the_list_is_an_object_of_its_own() {
    let mut list = FooList {
        items: vec![foo()],
        ..FooList::default()
    };
    list.metadata_mut().resource_version = Some("7".to_owned());
    let value = serde_json::to_value(&list).unwrap();
    assert_eq!(value["kind"], FooList::KIND);
    assert_eq!(value["items"][0]["kind"], "Foo");
    assert_eq!(
        serde_json::from_value::<FooList>(value).unwrap(),
        list.clone()
    );
}
