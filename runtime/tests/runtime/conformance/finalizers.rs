//! The finalizer helpers: an object with a finalizer stays until it is released.

use codegen_runtime::finalizer::{self, Finalize, Finalized, Finalizers};
use k8s_openapi::api::core::v1::Secret;
use kube::Client;
use kube::api::PostParams;

use super::common::Secrets;
use crate::harness::cases;
use crate::support::namespace;

cases![
    a_finalizer_holds_a_deleted_object_until_it_is_released,
    an_object_that_changed_meanwhile_gets_its_finalizer_but_does_not_lose_it,
    a_deleted_object_gets_no_new_finalizer,
    releasing_what_is_gone_is_no_error,
    registered_clean_ups_run_before_the_end,
];

const NAME: &str = "example.com/clean-up";

async fn secrets(client: &Client) -> Secrets {
    Secrets::new(client, &namespace(client).await)
}

async fn a_finalizer_holds_a_deleted_object_until_it_is_released(client: Client) {
    let secrets = secrets(&client).await;
    let made = secrets.create("a", &[]).await;
    let held = finalizer::ensure(&secrets.0, &made, NAME).await.unwrap();
    assert!(finalizer::contains(&held, NAME));
    let again = finalizer::ensure(&secrets.0, &held, NAME).await.unwrap();
    assert_eq!(
        again.metadata.resource_version, held.metadata.resource_version,
        "nothing was to be written"
    );
    secrets.delete("a").await;
    let deleting = secrets.0.get("a").await.unwrap();
    assert!(finalizer::is_deleting(&deleting));
    finalizer::release(&secrets.0, &deleting, NAME)
        .await
        .unwrap();
    assert!(secrets.0.get_opt("a").await.unwrap().is_none());
}

async fn an_object_that_changed_meanwhile_gets_its_finalizer_but_does_not_lose_it(client: Client) {
    let secrets = secrets(&client).await;
    let old = secrets.create("a", &[]).await;
    secrets.label("a", "x", Some("y")).await;
    let held = finalizer::ensure(&secrets.0, &old, NAME).await.unwrap();
    assert_eq!(held.metadata.labels.as_ref().unwrap()["x"], "y");
    secrets.label("a", "x", Some("z")).await;
    match finalizer::release(&secrets.0, &held, NAME).await {
        Err(kube::Error::Api(status)) => assert!(status.is_conflict(), "{status:?}"),
        other => panic!("{other:?}"),
    }
}

async fn a_deleted_object_gets_no_new_finalizer(client: Client) {
    let secrets = secrets(&client).await;
    let made = secrets.create("a", &[]).await;
    finalizer::ensure(&secrets.0, &made, NAME).await.unwrap();
    secrets.delete("a").await;
    let deleting = secrets.0.get("a").await.unwrap();
    let same = finalizer::ensure(&secrets.0, &deleting, "example.com/late").await;
    assert_eq!(same.unwrap().metadata.finalizers.unwrap(), [NAME]);
    // The server refuses it as well.
    let mut late = deleting.clone();
    finalizer::add(&mut late, "example.com/late");
    let refused = secrets.0.replace("a", &PostParams::default(), &late).await;
    match refused {
        Err(kube::Error::Api(status)) => assert_eq!(status.code, 422, "{status:?}"),
        other => panic!("{other:?}"),
    }
    finalizer::release(&secrets.0, &deleting, NAME)
        .await
        .unwrap();
}

async fn releasing_what_is_gone_is_no_error(client: Client) {
    let secrets = secrets(&client).await;
    let made = secrets.create("a", &[]).await;
    let held = finalizer::ensure(&secrets.0, &made, NAME).await.unwrap();
    finalizer::release(&secrets.0, &held, NAME).await.unwrap();
    secrets.delete("a").await;
    finalizer::release(&secrets.0, &held, NAME).await.unwrap();
}

struct CleanUp;

impl Finalize<Secret> for CleanUp {
    type Error = String;

    async fn finalize(&self, secret: &mut Secret) -> Result<Finalized, String> {
        let labels = secret.metadata.labels.get_or_insert_default();
        labels.insert("cleaned".to_owned(), "yes".to_owned());
        Ok(Finalized {
            updated: true,
            status_updated: false,
        })
    }
}

async fn registered_clean_ups_run_before_the_end(client: Client) {
    let secrets = secrets(&client).await;
    let mut finalizers = Finalizers::new();
    finalizers.register(NAME, CleanUp).unwrap();
    let mut object = secrets.create("a", &[]).await;
    assert!(finalizers.finalize(&mut object).await.unwrap().updated);
    let params = PostParams::default();
    secrets.0.replace("a", &params, &object).await.unwrap();
    secrets.delete("a").await;
    let mut deleting = secrets.0.get("a").await.unwrap();
    assert!(finalizers.finalize(&mut deleting).await.unwrap().updated);
    let last = secrets.0.replace("a", &params, &deleting).await.unwrap();
    assert_eq!(last.metadata.labels.unwrap()["cleaned"], "yes");
    assert!(secrets.0.get_opt("a").await.unwrap().is_none());
}
