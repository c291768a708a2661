use std::sync::Arc;

use kube::api::{ApiResource, GroupVersionKind, NotUsed, Object};
use kube::core::{Expression, Selector};
use serde::{Deserialize, Serialize, Serializer};

use crate::store::Store;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Spec {
    #[serde(serialize_with = "number")]
    number: u64,
    text: String,
    #[serde(skip)]
    secret: String,
}

type Thing = Object<Spec, NotUsed>;

/// Large numbers are written as what is not read.
fn number<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    if *number < 5000 {
        serializer.serialize_u64(*number)
    } else {
        serializer.serialize_str("many")
    }
}

fn thing(number: u64) -> Thing {
    let spec = Spec {
        number,
        text: "a text that all things have in common, and that takes some bytes".to_owned(),
        secret: String::new(),
    };
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Thing"));
    let mut thing = Object::new(&format!("thing-{number}"), &resource, spec);
    let meta = &mut thing.metadata;
    meta.uid = Some(format!("uid-{number}"));
    meta.resource_version = Some(number.to_string());
    let zone = format!("zone-{}", number % 3);
    meta.labels = Some([("zone".to_owned(), zone)].into());
    thing
}

#[test]
fn objects_are_packed_and_read_as_they_were_written() {
    let store = Store::packed();
    for number in 0..2000 {
        store.insert(thing(number));
    }
    for number in 0..2000 {
        let key = format!("thing-{number}");
        assert!(store.stored(&key).unwrap().whole().is_none());
        let (read, written) = (store.get(&key).unwrap(), thing(number));
        assert_eq!(format!("{read:?}"), format!("{written:?}"));
    }
}

#[test]
fn what_is_in_use_is_shared_and_what_is_not_is_decoded_again() {
    let store = Store::packed();
    let written = Arc::new(thing(1));
    store.insert(written.clone());
    assert!(Arc::ptr_eq(&store.get("thing-1").unwrap(), &written));
    drop(written);
    let read = store.get("thing-1").unwrap();
    assert!(Arc::ptr_eq(&store.get("thing-1").unwrap(), &read));
    assert!(Arc::ptr_eq(&store.list()[0], &read));
    let weak = Arc::downgrade(&read);
    drop(read);
    assert_eq!(weak.strong_count(), 0);
    assert!(store.get("thing-1").is_some());
}

#[test]
fn a_selector_without_a_required_label_matches_packed_objects() {
    let store = Store::packed();
    for number in 0..300 {
        store.insert(thing(number));
    }
    let selector = Selector::from(Expression::NotEqual("zone".into(), "zone-1".into()));
    assert_eq!(store.snapshot().select(&selector).len(), 200);
}

#[test]
fn similar_objects_take_a_fraction_of_their_json() {
    let store = Store::packed();
    let mut json = 0;
    for number in 0..2000 {
        json += serde_json::to_vec(&thing(number)).unwrap().len();
        store.insert(thing(number));
    }
    let snapshot = store.snapshot();
    let packed: usize = snapshot.stored().filter_map(|held| held.packed_len()).sum();
    assert!(packed * 3 < json, "{packed} of {json} bytes");
}

#[test]
fn a_type_that_loses_fields_keeps_its_objects_whole() {
    let store = Store::packed();
    let mut secret = thing(1);
    secret.spec.secret = "hunter2".to_owned();
    store.insert(secret);
    store.insert(thing(2));
    assert_eq!(store.get("thing-1").unwrap().spec.secret, "hunter2");
    assert!(store.stored("thing-2").unwrap().whole().is_some());
}

#[test]
fn an_object_that_cannot_be_decoded_counts_as_absent() {
    let store = Store::packed();
    for number in 4000..5001 {
        store.insert(thing(number));
    }
    assert!(store.get("thing-5000").is_none());
    assert_eq!(store.list().len(), 1000);
    assert_eq!(store.len(), 1001);
}
