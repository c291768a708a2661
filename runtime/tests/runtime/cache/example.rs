//! Tests the examples of caches.

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

#[allow(dead_code, reason = "the example's own main is not called here")]
#[path = "../../../examples/selected_fields.rs"]
mod selected_fields;

#[tokio::test]
async fn a_struct_of_selected_fields_stands_for_the_kind_in_listers_indexes_and_controllers() {
    let server = embedded_apiserver::ApiServer::builder().build().unwrap();
    let said = selected_fields::run(server.client()).await.unwrap();
    assert_eq!(
        said,
        [r#"cached {"nodeName":"node-1"}"#, "web is on node-1"]
    );
}
