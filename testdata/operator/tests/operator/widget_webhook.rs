//! The webhooks of `Widget` in `batch.example.com/v1alpha1`.

use codegen_runtime::fake::ApiServer;
use codegen_runtime::kube::Api;

use sample_operator::apis::batch::v1alpha1::Widget;

use crate::support::server;

/// The name of the object in `config/samples`.
const SAMPLE: &str = "sample";

fn api(server: &ApiServer) -> Api<Widget> {
    Api::namespaced(server.client(), "default")
}

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
    assert_eq!(manager, sample_operator::app::NAME);
}

fn protect(object: &mut Widget, value: &str) {
    use sample_operator::webhooks::widget::PROTECTED;
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
