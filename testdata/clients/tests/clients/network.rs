//! A kind without status has no `update_status`; everything else works.

use codegen_runtime::kube::api::{DeleteParams, ListParams, PostParams};
use golden_network::apis::samplecrd::v1::{Network, NetworkSpec};
use golden_network::generated::clientset::fake;
use golden_network::generated::informers::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

fn network(name: &str) -> Network {
    let mut network = Network {
        spec: NetworkSpec {
            cidr: "192.168.0.0/16".to_owned(),
            gateway: "192.168.0.1".to_owned(),
        },
        ..Network::default()
    };
    network.metadata.name = Some(name.to_owned());
    network.metadata.namespace = Some("default".to_owned());
    network
}

#[tokio::test]
async fn the_client_works() {
    let (clientset, tracker) = fake::Clientset::with_objects([network("old")]);
    let networks = clientset.samplecrd_v1().networks("default");
    networks
        .create(&network("new"), &PostParams::default())
        .await
        .unwrap();
    let list = networks.list(&ListParams::default()).await.unwrap();
    let names: Vec<_> = list
        .iter()
        .flat_map(|network| network.metadata.name.clone())
        .collect();
    assert_eq!(names, ["new", "old"]);
    networks
        .delete_collection(&DeleteParams::default(), &ListParams::default())
        .await
        .unwrap();
    assert!(tracker.list::<Network>("").is_empty());
}

#[tokio::test]
async fn the_lister_reads_the_cache() {
    let (clientset, _) = fake::Clientset::with_objects([network("example")]);
    let factory = SharedInformerFactory::builder(clientset).build();
    let networks = factory.samplecrd().v1().networks();
    let lister = networks.lister().unwrap();
    let informer = networks.informer();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    assert!(informer.has_synced());
    let network = lister.networks("default").get("example").unwrap();
    assert_eq!(network.spec.gateway, "192.168.0.1");
    stop.cancel();
    factory.shutdown().await;
}
