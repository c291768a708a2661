//! The webhooks of `Deployment` in `apps/v1`, called without an API server: objects have only what the handlers read.

use codegen_runtime::fake::Reviews;
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;

fn object() -> Deployment {
    let mut object = Deployment::default();
    object.metadata.name = Some("sample".to_owned());
    object
}

const MUTATE: &str = "/mutate-apps-v1-deployment";

#[tokio::test]
async fn a_default_is_set() {
    let webhooks = sample_operator::webhooks::all();
    let reviews = Reviews::at(&webhooks, MUTATE);
    let created = reviews.create(&object()).await.unwrap();
    let labels = created.metadata.labels.unwrap();
    let manager = &labels["app.kubernetes.io/managed-by"];
    assert_eq!(manager, sample_operator::app::NAME);
}

const VALIDATE: &str = "/validate-apps-v1-deployment";

fn protected(value: &str) -> Deployment {
    use sample_operator::webhooks::deployment::PROTECTED;
    let mut object = object();
    let annotations = object.metadata.annotations.get_or_insert_default();
    annotations.insert(PROTECTED.to_owned(), value.to_owned());
    object
}

#[tokio::test]
async fn wrong_objects_are_refused() {
    let webhooks = sample_operator::webhooks::all();
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
    let webhooks = sample_operator::webhooks::all();
    let reviews = Reviews::at(&webhooks, VALIDATE);
    for value in ["true", "false"] {
        let deleted = reviews.delete(&protected(value)).await;
        assert_eq!(deleted.is_err(), value == "true");
    }
}
