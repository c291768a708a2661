//! Conversion of `Widget` between `batch.example.com/v1beta1` and the storage version `v1alpha1`.

use codegen_runtime::conversion;
use codegen_runtime::kube::{Api, core::CustomResourceExt};

use sample_operator::apis::batch::{v1alpha1, v1beta1};

use crate::support::server;

/// The name of the object in `config/samples`.
const SAMPLE: &str = "sample";

type Stored = v1alpha1::Widget;
type Other = v1beta1::Widget;

#[test]
fn no_field_is_lost() -> Result<(), String> {
    conversion::check::<Other>(&Other::crd())
}

#[tokio::test]
async fn both_versions_are_readable_and_one_becomes_the_other() {
    let server = server();
    let client = server.client();
    let stored = Api::<Stored>::namespaced(client.clone(), "default");
    let other = Api::<Other>::namespaced(client, "default");
    let before = stored.get(SAMPLE).await.unwrap();
    let converted = other.get(SAMPLE).await.unwrap();
    let updated = other.replace(SAMPLE, &Default::default(), &converted).await;
    assert_eq!(updated.unwrap().spec, converted.spec);
    let after = stored.get(SAMPLE).await.unwrap();
    assert_eq!(after.spec, before.spec);
}
