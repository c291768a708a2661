//! The calls to each generated client. Macros, since the clients of different kinds share method names but no trait.

use codegen_runtime::client::WatchStream;
use futures::StreamExt;
use kube::api::{ListParams, PostParams, WatchEvent};
use kube::core::Status;
use kube::{Error, Resource, ResourceExt};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::support::expect::PATIENCE;

pub(crate) fn post() -> PostParams {
    PostParams::default()
}

/// Returns an object as a JSON value by way of its bytes, as requests have them: a kind's types would be compiled again for values.
pub(crate) fn json_of(object: &impl Serialize) -> Value {
    serde_json::from_slice(&serde_json::to_vec(object).unwrap()).unwrap()
}

/// Reads an object from a JSON value, likewise.
pub(crate) fn typed<K: DeserializeOwned>(value: &Value) -> K {
    serde_json::from_slice(&serde_json::to_vec(value).unwrap()).unwrap()
}

/// Selects the objects that this suite created.
pub(crate) fn ours() -> ListParams {
    ListParams::default().labels("suite=clients")
}

/// Gives an object a name, and the label of [`ours`].
pub(crate) fn named<K: Resource>(mut object: K, name: &str) -> K {
    let meta = object.meta_mut();
    meta.name = Some(name.to_owned());
    meta.namespace = None;
    let labels = meta.labels.get_or_insert_default();
    labels.insert("suite".to_owned(), "clients".to_owned());
    object
}

/// Returns the server's error.
pub(crate) fn refused<T: std::fmt::Debug>(result: Result<T, Error>) -> Status {
    match result {
        Err(Error::Api(status)) => *status,
        other => panic!("{other:?}"),
    }
}

/// Returns the next event other than a bookmark, with the label `step` of its object.
pub(crate) async fn next_event<K: Resource>(events: &mut WatchStream<K>) -> (&'static str, String) {
    loop {
        let event = tokio::time::timeout(PATIENCE, events.next()).await;
        let (kind, object) = match event.expect("an event in time").expect("no end").unwrap() {
            WatchEvent::Added(object) => ("added", object),
            WatchEvent::Modified(object) => ("modified", object),
            WatchEvent::Deleted(object) => ("deleted", object),
            WatchEvent::Bookmark(_) => continue,
            WatchEvent::Error(error) => panic!("{error:?}"),
        };
        let step = object.labels().get("step").cloned();
        return (kind, step.unwrap_or_default());
    }
}

/// Calls every method of a client with all verbs, except those of the status. `object` is a value of the kind.
macro_rules! every_verb {
    ($client:expr, $object:expr $(,)?) => {{
        use codegen_runtime::client::Either;
        use kube::ResourceExt;
        use kube::api::{DeleteParams, Patch, PatchParams, WatchParams};
        use serde_json::json;

        use $crate::common::{json_of, named, next_event, ours, post, refused};

        let client = $client;
        let name = $crate::support::collection::unique();
        let object = named($object, &name);
        let made = client.create(&object, &post()).await.unwrap();
        assert!(made.uid().is_some());
        assert!(refused(client.create(&object, &post()).await).is_already_exists());
        let version = made.resource_version().unwrap();
        assert_eq!(client.get(&name).await.unwrap().resource_version(), made.resource_version());
        assert!(client.get_opt("no-such-object").await.unwrap().is_none());
        assert!(refused(client.get("no-such-object").await).is_not_found());
        let listed = client.list(&ours()).await.unwrap().items;
        assert!(listed.iter().any(|item| item.uid() == made.uid()));

        let params = WatchParams::default().labels("suite=clients").fields(&format!("metadata.name={name}"));
        let mut events = client.watch(&params, &version).await.unwrap();
        let mut changed = made.clone();
        changed.labels_mut().insert("step".to_owned(), "update".to_owned());
        let updated = client.update(&changed, &post()).await.unwrap();
        assert_ne!(updated.resource_version(), made.resource_version());
        let mut stale = made.clone();
        stale.labels_mut().insert("step".to_owned(), "stale".to_owned());
        assert!(refused(client.update(&stale, &post()).await).is_conflict());
        let merge = Patch::Merge(json!({"metadata": {"labels": {"step": "merge"}}}));
        client.patch(&name, &PatchParams::default(), &merge).await.unwrap();
        let operations = json!([{"op": "replace", "path": "/metadata/labels/step", "value": "json"}]);
        let operations: Patch<()> = Patch::Json(serde_json::from_value(operations).unwrap());
        client.patch(&name, &PatchParams::default(), &operations).await.unwrap();
        let mut fields = json_of(&object);
        fields["metadata"] = json!({"name": name, "labels": {"step": "apply"}});
        let apply = Patch::Apply(fields);
        let params = PatchParams::apply("clients").force();
        let applied = client.patch(&name, &params, &apply).await.unwrap();
        assert_eq!(applied.labels()["step"], "apply");
        assert_eq!(applied.labels()["suite"], "clients", "what others wrote stays");
        for step in ["update", "merge", "json", "apply"] {
            assert_eq!(next_event(&mut events).await, ("modified", step.to_owned()));
        }

        match client.delete(&name, &DeleteParams::default()).await.unwrap() {
            Either::Left(object) => assert_eq!(object.uid(), made.uid()),
            Either::Right(status) => assert!(status.is_success(), "{status:?}"),
        }
        assert_eq!(next_event(&mut events).await.0, "deleted");
        assert!(client.get_opt(&name).await.unwrap().is_none());
    }};
}
pub(crate) use every_verb;

/// Creates two objects and deletes them as a collection.
macro_rules! delete_collection {
    ($client:expr, $object:expr $(,)?) => {{
        use kube::api::DeleteParams;

        use $crate::common::{named, ours, post};

        let client = $client;
        for name in ["collected-a", "collected-b"] {
            client.create(&named($object, name), &post()).await.unwrap();
        }
        client
            .delete_collection(&DeleteParams::default(), &ours())
            .await
            .unwrap();
        assert!(client.list(&ours()).await.unwrap().items.is_empty());
    }};
}
pub(crate) use delete_collection;

/// The status is only written by its own methods.
macro_rules! status_verbs {
    ($client:expr, $object:expr, $status:expr, $patch:tt $(,)?) => {{
        use kube::api::{DeleteParams, Patch, PatchParams};
        use serde_json::json;

        use $crate::common::{json_of, named, post};

        let client = $client;
        let mut object = named($object, "with-status");
        object.status = $status;
        let mut made = client.create(&object, &post()).await.unwrap();
        let generation = made.metadata.generation;
        let before = json_of(&made);
        let wanted = json_of(&object);
        assert_ne!(before["status"], wanted["status"], "a create leaves the status out");
        made.status = $status;
        let updated = client.update_status(&made, &post()).await.unwrap();
        assert_eq!(json_of(&updated)["status"], wanted["status"]);
        assert_eq!(updated.metadata.generation, generation);
        let patch = Patch::Merge(json!({"status": $patch}));
        let patched = client.patch_status("with-status", &PatchParams::default(), &patch).await.unwrap();
        let status = &json_of(&patched)["status"];
        for (key, value) in json!($patch).as_object().unwrap() {
            assert_eq!(&status[key], value);
        }
        client.delete("with-status", &DeleteParams::default()).await.unwrap();
    }};
}
pub(crate) use status_verbs;

/// A generated informer fills its lister, and follows changes.
macro_rules! informer_follows {
    ($factory:ty, $clientset:expr, $namespace:expr, |$groups:ident| $informer:expr, $client:expr, $object:expr $(,)?) => {{
        use kube::ResourceExt;
        use kube::core::Selector;

        use $crate::common::{named, post};
        use $crate::support::expect::eventually;

        let client = $client;
        let first = $crate::support::collection::unique();
        client
            .create(&named($object, &first), &post())
            .await
            .unwrap();
        let $groups = <$factory>::builder($clientset.clone())
            .namespace($namespace)
            .build();
        let lister = $informer.lister().unwrap();
        let stop = tokio_util::sync::CancellationToken::new();
        $groups.start(&stop);
        $groups.wait_for_cache_sync().await.unwrap();
        let holds = |name: &str| {
            let all = lister.list(&Selector::default());
            all.iter().any(|object| object.name_any() == name)
        };
        assert!(holds(&first));
        let second = $crate::support::collection::unique();
        client
            .create(&named($object, &second), &post())
            .await
            .unwrap();
        eventually("the informer sees the second one", || async {
            holds(&second).then_some(())
        })
        .await;
        stop.cancel();
        $groups.shutdown().await;
    }};
}
pub(crate) use informer_follows;

/// Reads, replaces and patches the scale of an object.
macro_rules! scale_verbs {
    ($client:expr, $name:expr) => {{
        use kube::api::{Patch, PatchParams};
        use serde_json::json;

        use $crate::common::post;

        let client = $client;
        let mut scale = client.get_scale($name).await.unwrap();
        scale.spec.get_or_insert_default().replicas = Some(7);
        let written = client.update_scale($name, &scale, &post()).await.unwrap();
        assert_eq!(written.spec.and_then(|spec| spec.replicas), Some(7));
        let patch = Patch::Merge(json!({"spec": {"replicas": 3}}));
        let patched = client.patch_scale($name, &PatchParams::default(), &patch).await.unwrap();
        assert_eq!(patched.spec.and_then(|spec| spec.replicas), Some(3));
    }};
}
pub(crate) use scale_verbs;
