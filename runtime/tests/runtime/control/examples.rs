//! Tests the examples.

use embedded_apiserver::ApiServer;

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/builder_controller.rs"]
mod builder_controller;
#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/classic_controller.rs"]
mod classic_controller;
#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/clusters.rs"]
mod clusters;
#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/leader_election.rs"]
mod leader_election;

fn client() -> kube::Client {
    ApiServer::builder().build().unwrap().client()
}

#[tokio::test]
async fn the_classic_controller_example_runs() {
    let said = classic_controller::run(client()).await.unwrap();
    let expected = [
        "the mirror says hello",
        "the mirror says world",
        "0 items are left in the queue",
    ];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn the_builder_controller_example_runs() {
    let said = builder_controller::run(client()).await.unwrap();
    assert_eq!(
        said,
        [
            "removed b, c from example-quota",
            "cleaned up after example-quota"
        ]
    );
}

#[tokio::test]
async fn the_clusters_example_runs() {
    let clusters = [client(), client(), client()];
    let said = clusters::run(client(), clusters).await.unwrap();
    let expected = ["west says hello", "east says hello", "north says hello"];
    assert_eq!(said, expected);
}

#[tokio::test]
async fn the_leader_election_example_runs() {
    let said = leader_election::run(client()).await.unwrap();
    assert_eq!(
        said,
        [
            "first leads, epoch 1",
            "first stops",
            "second leads, epoch 2",
            "second stops"
        ]
    );
}
