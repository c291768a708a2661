//! Three versions of one kind, with generated conversions.

use codegen_runtime::conversion::annotation;
use codegen_runtime::kube::Api;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::kube::core::CustomResourceExt;
use codegen_runtime::webhook::{Converter, Webhooks, lost_fields};
use embedded_apiserver::ApiServer;
use golden_conversions::apis::clinic::{v1, v1alpha1, v1beta1};
use serde_json::{Value, json};

fn clinic() -> v1::Clinic {
    let clinic = json!({
        "apiVersion": "clinic.example.com/v1",
        "kind": "Clinic",
        "metadata": {"name": "first", "annotations": {"example.com/note": "stays"}},
        "spec": {
            "name": "North", "owner": "Ann", "visitSeconds": 90, "admits": "Insured", "capacity": 3,
            "rooms": [{"number": "1", "purpose": "rest", "beds": 2}, {"number": "2", "purpose": "surgery", "beds": 1}],
            "teams": {"eyes": {"lead": "Bo", "members": ["Cy"]}},
            "hours": {"from": 8, "closed": ["Sunday"]},
        },
        "status": {"waiting": [{"name": "Di", "reason": "checkup"}], "conditions": []},
    });
    serde_json::from_value(clinic).unwrap()
}

fn json_of(object: &impl serde::Serialize) -> Value {
    serde_json::to_value(object).unwrap()
}

#[test]
fn a_spoke_has_what_it_can_hold_and_the_rest_comes_back() {
    let old = v1beta1::Clinic::try_from(clinic()).unwrap();
    let spec = json!({
        "title": "North", "owner": "Ann", "visitMinutes": 1, "admits": "insured", "opens": 8,
        "rooms": [{"number": "1", "bedCount": 2}, {"number": "2", "bedCount": 1}],
        "teams": {"eyes": {"members": ["Cy"]}},
    });
    assert_eq!(json_of(&old.spec), spec);
    let back = v1::Clinic::try_from(old).unwrap();
    assert_eq!(json_of(&back), json_of(&clinic()));
}

#[test]
fn what_a_client_of_the_old_version_changes_is_not_undone() {
    let mut old = v1beta1::Clinic::try_from(clinic()).unwrap();
    old.spec.visit_minutes = Some(2);
    old.spec.rooms.remove(0);
    old.spec.rooms[0].bed_count = 7;
    old.spec.opens = None;
    let back = v1::Clinic::try_from(old).unwrap();
    let mut expected = clinic();
    expected.spec.visit_seconds = Some(120);
    expected.spec.rooms.remove(0);
    expected.spec.rooms[0].beds = 7;
    expected.spec.hours.from = None;
    assert_eq!(json_of(&back), json_of(&expected));
}

#[test]
fn what_one_version_keeps_does_not_disturb_another() {
    let oldest = v1alpha1::Clinic::try_from(clinic()).unwrap();
    assert_eq!(oldest.spec.rooms, ["1", "2"]);
    let stored = v1::Clinic::try_from(oldest).unwrap();
    assert_eq!(json_of(&stored), json_of(&clinic()));
    let mut new = v1beta1::Clinic::default();
    new.spec.sign = Some("green".to_owned());
    let stored = v1::Clinic::try_from(new).unwrap();
    assert_eq!(stored.spec.capacity, 10, "the schema's default");
    let name = annotation("clinic.example.com");
    let annotations = stored.metadata.annotations.unwrap_or_default();
    assert!(
        !annotations.contains_key(&name),
        "the sign is lost on purpose"
    );
    let oldest = v1alpha1::Clinic::default();
    let stored = v1::Clinic::try_from(oldest).unwrap();
    assert_eq!(stored.spec.owner, "owner of ", "the user's function");
}

#[test]
fn nothing_is_lost_between_the_versions() {
    let crd = v1::Clinic::crd();
    let lost = lost_fields::<v1alpha1::Clinic, v1::Clinic>(&crd);
    assert_eq!(lost, Ok(Vec::new()));
    let lost = lost_fields::<v1beta1::Clinic, v1::Clinic>(&crd);
    assert_eq!(lost, Ok(vec!["v1beta1 loses .spec.sign in v1".to_owned()]));
}

#[tokio::test]
async fn the_embedded_server_converts_in_process() {
    let converter = Converter::hub::<v1::Clinic>()
        .spoke::<v1beta1::Clinic>()
        .spoke::<v1alpha1::Clinic>();
    let webhooks = Webhooks::builder().converter(converter).build();
    let crd = serde_json::to_value(v1::Clinic::crd()).unwrap();
    let server = ApiServer::builder()
        .webhooks("system", "webhook-service", webhooks)
        .crd_values([crd])
        .build()
        .unwrap();
    let client = server.client();
    let stored = Api::<v1::Clinic>::namespaced(client.clone(), "default");
    let old = Api::<v1beta1::Clinic>::namespaced(client.clone(), "default");
    let oldest = Api::<v1alpha1::Clinic>::namespaced(client, "default");
    stored
        .create(&PostParams::default(), &clinic())
        .await
        .unwrap();

    let mut seen = old.get("first").await.unwrap();
    seen.spec.title = "South".to_owned();
    seen.spec.rooms.reverse();
    old.replace("first", &PostParams::default(), &seen)
        .await
        .unwrap();
    let seen = oldest.get("first").await.unwrap();
    assert_eq!(seen.spec.rooms, ["2", "1"]);
    oldest
        .replace("first", &PostParams::default(), &seen)
        .await
        .unwrap();

    let now = stored.get("first").await.unwrap();
    let mut expected = clinic();
    expected.spec.name = "South".to_owned();
    expected.spec.rooms.reverse();
    assert_eq!(now.spec, expected.spec);
    assert_eq!(now.metadata.annotations, expected.metadata.annotations);
}
