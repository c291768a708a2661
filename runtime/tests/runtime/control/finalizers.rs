use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use codegen_runtime::finalizer::{self, Finalize, FinalizeError, Finalized, Finalizers};
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use kube::Api;
use serde_json::json;

use crate::control::server::Server;

const NAME: &str = "example.com/clean-up";
const OTHER: &str = "example.com/other";
const PATH: &str = "configmaps/default/map";

/// Counts its calls, and fails the first `failures` of them.
struct CleanUp {
    calls: Arc<AtomicU32>,
    failures: u32,
    status: bool,
}

impl Finalize<ConfigMap> for CleanUp {
    type Error = String;

    async fn finalize(&self, _map: &mut ConfigMap) -> Result<Finalized, String> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        if call < self.failures {
            return Err("busy".to_owned());
        }
        Ok(Finalized {
            updated: false,
            status_updated: self.status,
        })
    }
}

fn clean_up(failures: u32) -> (CleanUp, Arc<AtomicU32>) {
    let calls = Arc::new(AtomicU32::new(0));
    (
        CleanUp {
            calls: Arc::clone(&calls),
            failures,
            status: false,
        },
        calls,
    )
}

fn map(finalizers: &[&str], deleting: bool) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.finalizers = Some(finalizers.iter().map(|name| (*name).to_owned()).collect());
    map.metadata.deletion_timestamp = deleting.then(|| Time(Default::default()));
    map
}

fn names(map: &ConfigMap) -> Vec<&str> {
    map.metadata
        .finalizers
        .iter()
        .flatten()
        .map(String::as_str)
        .collect()
}

#[test]
fn registering_twice_is_an_error() {
    let mut finalizers = Finalizers::new();
    assert!(finalizers.register(NAME, clean_up(0).0).is_ok());
    let error = finalizers.register(NAME, clean_up(0).0).unwrap_err();
    assert_eq!(
        error.to_string(),
        "finalizer for key \"example.com/clean-up\" is already registered"
    );
}

#[tokio::test]
async fn finalize_adds_missing_finalizers_and_says_whether_it_changed_the_object() {
    let (clean, calls) = clean_up(0);
    let mut finalizers = Finalizers::new();
    finalizers.register(NAME, clean).unwrap();
    let mut object = map(&["other"], false);
    assert_eq!(
        finalizers.finalize(&mut object).await,
        Ok(Finalized {
            updated: true,
            status_updated: false
        })
    );
    assert_eq!(names(&object), ["other", NAME]);
    assert_eq!(
        finalizers.finalize(&mut object).await,
        Ok(Finalized::default())
    );
    assert_eq!(calls.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn a_deleted_object_is_cleaned_up_and_all_equal_finalizers_are_removed() {
    let (mut clean, calls) = clean_up(0);
    clean.status = true;
    let mut finalizers = Finalizers::new();
    finalizers.register(NAME, clean).unwrap();
    let mut object = map(&[NAME, "other", NAME], true);
    assert_eq!(
        finalizers.finalize(&mut object).await,
        Ok(Finalized {
            updated: true,
            status_updated: true
        })
    );
    assert_eq!(names(&object), ["other"]);
    assert_eq!(
        finalizers.finalize(&mut object).await,
        Ok(Finalized::default())
    );
    assert_eq!(calls.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_clean_up_that_fails_keeps_its_finalizer_and_the_others_go_on() {
    let mut finalizers = Finalizers::new();
    finalizers.register("a", clean_up(1).0).unwrap();
    finalizers.register("b", clean_up(0).0).unwrap();
    let mut object = map(&["a", "b"], true);
    let changed = Finalized {
        updated: true,
        status_updated: false,
    };
    let expected = FinalizeError {
        failed: vec!["a: busy".to_owned()],
        finalized: changed,
    };
    assert_eq!(finalizers.finalize(&mut object).await, Err(expected));
    assert_eq!(names(&object), ["a"]);
    assert_eq!(finalizers.finalize(&mut object).await, Ok(changed));
    assert!(names(&object).is_empty());
}

#[tokio::test]
async fn a_deleted_object_gets_no_new_finalizer() {
    let mut finalizers = Finalizers::new();
    finalizers.register(NAME, clean_up(0).0).unwrap();
    let mut object = map(&[], true);
    assert_eq!(
        finalizers.finalize(&mut object).await,
        Ok(Finalized::default())
    );
    assert!(names(&object).is_empty());
}

#[tokio::test]
async fn ensure_and_release_write_only_what_changes() {
    let server = Server::new();
    server.put(PATH, json!({"metadata": {"finalizers": [OTHER]}}));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let object = api.get("map").await.unwrap();
    let object = finalizer::ensure(&api, &object, NAME).await.unwrap();
    assert_eq!(names(&object), [OTHER, NAME]);
    let same = finalizer::ensure(&api, &object, NAME).await.unwrap();
    assert_eq!(
        same.metadata.resource_version,
        object.metadata.resource_version
    );
    finalizer::release(&api, &object, NAME).await.unwrap();
    assert_eq!(
        server.get(PATH).unwrap()["metadata"]["finalizers"],
        json!([OTHER])
    );
    assert_eq!(
        server.take_log(),
        [
            "test get configmaps/map",
            "test patch configmaps/map",
            "test patch configmaps/map"
        ]
    );
}

#[tokio::test]
async fn ensure_suits_any_version_and_release_only_the_known_one() {
    let server = Server::new();
    server.put(PATH, json!({"metadata": {"uid": "u"}}));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let old = api.get("map").await.unwrap();
    let change = |data: &str| {
        let mut changed = server.get(PATH).unwrap();
        changed["data"] = json!({ "changed": data });
        server.put(PATH, changed);
    };
    change("once");
    let held = finalizer::ensure(&api, &old, NAME).await.unwrap();
    assert_eq!(names(&held), [NAME]);
    assert_eq!(held.data.as_ref().unwrap()["changed"], "once");
    change("twice");
    // It is there already: the current object is returned, so that a later write of the status does
    // not conflict.
    let current = finalizer::ensure(&api, &old, NAME).await.unwrap();
    assert_eq!(current.data.unwrap()["changed"], "twice");
    let error = finalizer::release(&api, &held, NAME).await.unwrap_err();
    assert!(codegen_runtime::retry::is_conflict(&error));
}

#[tokio::test]
async fn ensure_does_not_take_another_object_of_the_same_name() {
    let server = Server::new();
    server.put(PATH, json!({"metadata": {"uid": "u"}}));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let old = api.get("map").await.unwrap();
    server.remove(PATH);
    server.put(PATH, json!({"metadata": {"uid": "v"}}));
    let error = finalizer::ensure(&api, &old, NAME).await.unwrap_err();
    assert!(codegen_runtime::retry::is_conflict(&error));
    assert_eq!(
        server.get(PATH).unwrap()["metadata"].get("finalizers"),
        None
    );
}

#[tokio::test]
async fn releasing_the_last_finalizer_ends_a_deleted_object_and_a_missing_one_is_no_error() {
    let server = Server::new();
    server.put(PATH, json!({"metadata": {"finalizers": [NAME]}}));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    api.delete("map", &Default::default()).await.unwrap();
    let object = api.get("map").await.unwrap();
    assert!(finalizer::is_deleting(&object));
    finalizer::release(&api, &object, NAME).await.unwrap();
    assert_eq!(server.get(PATH), None);
    finalizer::release(&api, &object, NAME).await.unwrap();
}
