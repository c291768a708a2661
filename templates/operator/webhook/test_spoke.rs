//! Conversion of `{{kind}}` between `{{group}}/{{spoke}}` and the storage version `{{version}}`.

use codegen_runtime::conversion;
use codegen_runtime::kube::{Api, core::CustomResourceExt};

use {{crate}}::apis::{{group_module}}::{{versions}};

use crate::support::server;

/// The name of the object in `config/samples`.
const SAMPLE: &str = "{{sample}}";

type Stored = {{version}}::{{kind}};
type Other = {{spoke}}::{{kind}};

#[test]
fn no_field_is_lost() -> Result<(), String> {
    conversion::check::<Other>(&Other::crd())
}

#[tokio::test]
async fn both_versions_are_readable_and_one_becomes_the_other() {
    let server = server();
    let client = server.client();
    let stored = Api::<Stored>::{{stored_client}};
    let other = Api::<Other>::{{other_client}};
    let before = stored.get(SAMPLE).await.unwrap();
    let converted = other.get(SAMPLE).await.unwrap();
    let updated = other.replace(SAMPLE, &Default::default(), &converted).await;
    assert_eq!(updated.unwrap().spec, converted.spec);
    let after = stored.get(SAMPLE).await.unwrap();
    assert_eq!(after.spec, before.spec);
}
