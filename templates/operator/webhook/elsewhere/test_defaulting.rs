const MUTATE: &str = "{{mutate}}";

#[tokio::test]
async fn a_default_is_set() {
    let webhooks = {{crate}}::webhooks::all();
    let reviews = Reviews::at(&webhooks, MUTATE);
    let created = reviews.create(&object()).await.unwrap();
    let labels = created.metadata.labels.unwrap();
    let manager = &labels["app.kubernetes.io/managed-by"];
    assert_eq!(manager, {{crate}}::app::NAME);
}
