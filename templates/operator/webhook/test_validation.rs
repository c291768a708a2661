fn protect(object: &mut {{kind}}, value: &str) {
    use {{crate}}::webhooks::{{webhook_module}}::PROTECTED;
    let annotations = object.metadata.annotations.get_or_insert_default();
    annotations.insert(PROTECTED.to_owned(), value.to_owned());
}

#[tokio::test]
async fn wrong_objects_are_refused() {
    let server = server();
    let api = api(&server);
    let mut object = api.get(SAMPLE).await.unwrap();
    protect(&mut object, "perhaps");
    let updated = api.replace(SAMPLE, &Default::default(), &object).await;
    let refused = updated.unwrap_err().to_string();
    assert!(refused.contains("perhaps"), "{refused}");
    object.metadata = Default::default();
    object.metadata.name = Some("another".to_owned());
    protect(&mut object, "perhaps");
    let created = api.create(&Default::default(), &object).await;
    let refused = created.unwrap_err().to_string();
    assert!(refused.contains("perhaps"), "{refused}");
}

#[tokio::test]
async fn protected_objects_are_not_deleted() {
    let server = server();
    let api = api(&server);
    for value in ["true", "false"] {
        let mut object = api.get(SAMPLE).await.unwrap();
        protect(&mut object, value);
        let updated = api.replace(SAMPLE, &Default::default(), &object).await;
        updated.unwrap();
        let deleted = api.delete(SAMPLE, &Default::default()).await;
        assert_eq!(deleted.is_err(), value == "true");
    }
}
