#[tokio::test]
async fn a_default_is_set() {
    let server = server();
    let api = api(&server);
    let mut object = api.get(SAMPLE).await.unwrap();
    object.metadata = Default::default();
    object.metadata.name = Some("another".to_owned());
    let created = api.create(&Default::default(), &object).await.unwrap();
    let labels = created.metadata.labels.unwrap();
    let manager = &labels["app.kubernetes.io/managed-by"];
    assert_eq!(manager, {{crate}}::app::NAME);
}
