//! A kind with status and scale.

use codegen_runtime::kube::api::PostParams;
use golden_podset::apis::apps::v1alpha1::{PodSet, PodSetSpec, PodSetStatus};
use golden_podset::generated::clientset::fake;
use golden_podset::generated::informers::SharedInformerFactory;
use tokio_util::sync::CancellationToken;

fn pod_set() -> PodSet {
    let mut set = PodSet {
        spec: PodSetSpec { size: 2 },
        ..PodSet::default()
    };
    set.metadata.name = Some("example".to_owned());
    set.metadata.namespace = Some("default".to_owned());
    set
}

#[tokio::test]
async fn status_and_spec_are_written_apart() {
    let (clientset, tracker) = fake::Clientset::with_objects([pod_set()]);
    let sets = clientset.apps_v1alpha1().pod_sets("default");
    let mut set = sets.get("example").await.unwrap();
    set.spec.size = 7;
    set.status = Some(PodSetStatus {
        size: 2,
        nodes: vec!["a".to_owned(), "b".to_owned()],
    });
    let stored = sets
        .update_status(&set, &PostParams::default())
        .await
        .unwrap();
    assert_eq!(stored.spec.size, 2);
    assert_eq!(stored.status, set.status);
    assert_eq!(tracker.get::<PodSet>("default", "example"), Some(stored));
}

#[tokio::test]
async fn the_lister_reads_the_cache() {
    let (clientset, _) = fake::Clientset::with_objects([pod_set()]);
    let factory = SharedInformerFactory::builder(clientset).build();
    let lister = factory.apps().v1alpha1().pod_sets().lister().unwrap();
    let stop = CancellationToken::new();
    factory.start(&stop);
    factory.wait_for_cache_sync().await.unwrap();
    let set = lister.pod_sets("default").get("example").unwrap();
    assert_eq!(set.spec.size, 2);
    stop.cancel();
    factory.shutdown().await;
}
