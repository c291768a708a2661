//! Two versions of one kind.

use codegen_runtime::fake::Object;
use codegen_runtime::kube::api::{ListParams, PostParams};
use codegen_runtime::scheme::Scheme;
use golden_multiversion::apis::shop::{v1, v1beta1};
use golden_multiversion::generated::clientset::{fake, scheme};
use golden_multiversion::generated::informers::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

fn order() -> v1::Order {
    let mut order = v1::Order {
        spec: v1::OrderSpec {
            lines: vec![v1::OrderLine {
                article: "apple".to_owned(),
                count: 3,
            }],
        },
        ..v1::Order::default()
    };
    order.metadata.name = Some("first".to_owned());
    order.metadata.namespace = Some("default".to_owned());
    order
}

#[tokio::test]
async fn each_version_has_its_client() {
    let (clientset, tracker) = fake::Clientset::with_objects([Object::from(order())]);
    let orders = clientset.shop_v1().orders("default");
    assert_eq!(orders.get("first").await.unwrap().spec, order().spec);

    let mut old = v1beta1::Order::default();
    old.metadata.name = Some("second".to_owned());
    let old_orders = clientset.shop_v1beta1().orders("default");
    old_orders
        .create(&old, &PostParams::default())
        .await
        .unwrap();
    let versions: Vec<_> = tracker
        .actions()
        .into_iter()
        .map(|action| action.version)
        .collect();
    assert_eq!(versions, ["v1", "v1beta1"]);
    assert_eq!(
        tracker.actions()[1].body["apiVersion"],
        "shop.example.com/v1beta1"
    );
}

#[tokio::test]
async fn each_version_has_its_informer() {
    let (clientset, _) = fake::Clientset::with_objects([order()]);
    let factory = SharedInformerFactory::builder(clientset.clone()).build();
    let lister = factory.shop().v1().orders().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert!(lister.orders("default").get("first").is_ok());
    stop.cancel();
    factory.shutdown().await;
    let orders = clientset.shop_v1().orders("");
    assert_eq!(
        orders
            .list(&ListParams::default())
            .await
            .unwrap()
            .items
            .len(),
        1
    );
}

#[test]
fn the_scheme_knows_both() {
    let mut known = Scheme::new();
    scheme::add_to_scheme(&mut known).unwrap();
    let kinds: Vec<_> = known
        .kinds()
        .iter()
        .map(|kind| kind.api_version())
        .collect();
    assert_eq!(kinds, ["shop.example.com/v1", "shop.example.com/v1beta1"]);
}

#[test]
fn a_version_refuses_the_other() {
    let value = serde_json::to_value(order()).unwrap();
    assert!(serde_json::from_value::<v1beta1::Order>(value).is_err());
}
