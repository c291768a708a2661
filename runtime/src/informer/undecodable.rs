//! What handlers hear of packed objects that cannot be decoded. Apart from `listener`, whose file
//! loom compiles too.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use kube::api::{ApiResource, GroupVersionKind, NotUsed, Object};
use serde::{Deserialize, Serialize, Serializer};

use super::handler::EventHandler;
use super::listener::{Listener, Note};
use crate::store::Store;
use crate::sync::lock;

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Spec {
    #[serde(serialize_with = "small")]
    number: u64,
}

type Thing = Object<Spec, NotUsed>;

/// Large numbers are written as what is not read.
fn small<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
    match *number < 5000 {
        true => serializer.serialize_u64(*number),
        false => serializer.serialize_none(),
    }
}

fn thing(number: u64) -> Thing {
    let gvk = GroupVersionKind::gvk("example.com", "v1", "Thing");
    let resource = ApiResource::from_gvk(&gvk);
    Object::new(&format!("thing-{number}"), &resource, Spec { number })
}

#[derive(Default)]
struct Heard(Mutex<Vec<&'static str>>);

impl EventHandler<Thing> for Heard {
    fn on_add(&self, _object: &Arc<Thing>, _initial: bool) {
        lock(&self.0).push("add");
    }

    fn on_update(&self, _old: &Arc<Thing>, _new: &Arc<Thing>) {
        lock(&self.0).push("update");
    }
}

#[tokio::test]
async fn an_update_of_what_cannot_be_decoded_is_an_addition() {
    let store = Store::packed();
    // Of the first thousand objects none may be unreadable: the type would stay unpacked.
    for number in 4000..5001 {
        store.insert(thing(number));
    }
    let held = |name: &str| store.stored(name).unwrap();
    let (lost, kept) = (held("thing-5000"), held("thing-4000"));
    let heard = Arc::new(Heard::default());
    let listener = Listener::new(0, heard.clone(), Duration::ZERO, Duration::ZERO);
    for (old, new) in [(&kept, &kept), (&lost, &kept), (&kept, &lost)] {
        let (old, new) = (old.clone(), new.clone());
        listener.call(&Note::Update { old, new });
    }
    assert_eq!(*lock(&heard.0), ["update", "add"]);
}
