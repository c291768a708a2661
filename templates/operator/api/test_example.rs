
#[tokio::test]
async fn objects_are_checked_by_their_definition() {
    let server = server();
    let api = api(&server);
    let mut object = api.get(SAMPLE).await.unwrap();
    object.metadata = ObjectMeta {
        name: Some("another".to_owned()),
        ..ObjectMeta::default()
    };
    let params = PostParams::default();
    let created = api.create(&params, &object).await.unwrap();
    assert_eq!(created.spec, object.spec);
    object.metadata.name = Some("wrong".to_owned());
    object.spec.size = -1;
    let refused = api.create(&params, &object).await.unwrap_err();
    assert!(refused.to_string().contains("spec.size"), "{refused}");
}
