//! Tests the example of informer and lister.

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/informer_lister.rs"]
mod informer_lister;

#[tokio::test]
async fn the_informer_and_lister_example_runs() {
    let server = embedded_apiserver::ApiServer::builder().build().unwrap();
    let said = informer_lister::run(server.client()).await.unwrap();
    let expected = [
        "synced with 0 maps",
        "added example-sky",
        "added example-grass",
        "the lister knows example-sky",
        "example-grass is green",
        "deleted example-sky",
        "deleted example-grass",
        "configmaps \"example-sky\" not found",
    ];
    assert_eq!(said, expected);
}
