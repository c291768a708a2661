const VALIDATE: &str = "{{validate}}";

fn protected(value: &str) -> {{kind}} {
    use {{crate}}::webhooks::{{webhook_module}}::PROTECTED;
    let mut object = object();
    let annotations = object.metadata.annotations.get_or_insert_default();
    annotations.insert(PROTECTED.to_owned(), value.to_owned());
    object
}

#[tokio::test]
async fn wrong_objects_are_refused() {
    let webhooks = {{crate}}::webhooks::all();
    let reviews = Reviews::at(&webhooks, VALIDATE);
    let wrong = protected("perhaps");
    let created = reviews.create(&wrong).await;
    let updated = reviews.update(&object(), &wrong).await;
    for refused in [created.unwrap_err(), updated.unwrap_err()] {
        assert!(refused.contains("perhaps"), "{refused}");
    }
}

#[tokio::test]
async fn protected_objects_are_not_deleted() {
    let webhooks = {{crate}}::webhooks::all();
    let reviews = Reviews::at(&webhooks, VALIDATE);
    for value in ["true", "false"] {
        let deleted = reviews.delete(&protected(value)).await;
        assert_eq!(deleted.is_err(), value == "true");
    }
}
