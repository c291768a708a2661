use std::sync::Arc;

use codegen_runtime::owner::{self, ControllerRefManager, OwnerError};
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Node};
use kube::core::Selector;
use kube::{Api, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::control::server::{FaultKind, Server, refusal};

fn object<K: Resource + Default>(namespace: Option<&str>, name: &str, uid: &str) -> K {
    let mut object = K::default();
    let meta = object.meta_mut();
    meta.namespace = namespace.map(str::to_owned);
    (meta.name, meta.uid) = (Some(name.to_owned()), Some(uid.to_owned()));
    object
}

fn owners<K: Resource>(object: &K) -> Vec<(String, Option<bool>)> {
    object
        .owner_references()
        .iter()
        .map(|it| (format!("{}/{}", it.kind, it.name), it.controller))
        .collect()
}

#[test]
fn a_controller_reference_names_the_owner_and_blocks_its_deletion() {
    let owner: Deployment = object(Some("default"), "web", "u1");
    let mut child: ReplicaSet = object(Some("default"), "web-1", "u2");
    owner::set_controller_reference(&owner, &mut child).unwrap();
    owner::set_controller_reference(&owner, &mut child).unwrap();
    let expected = json!([{
        "apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": "u1",
        "controller": true, "blockOwnerDeletion": true,
    }]);
    assert_eq!(
        serde_json::to_value(&child.metadata.owner_references).unwrap(),
        expected
    );
    assert!(owner::is_controlled_by(&child, &owner));
    assert!(!owner::is_controlled_by(
        &child,
        &object::<Deployment>(Some("default"), "web", "other")
    ));
    assert!(owner::remove_owner_reference(&owner, &mut child));
    assert!(!owner::remove_owner_reference(&owner, &mut child));
}

#[test]
fn a_second_controller_is_an_error_and_a_second_owner_is_not() {
    let (a, b): (Deployment, Deployment) =
        (object(Some("ns"), "a", "u1"), object(Some("ns"), "b", "u2"));
    let mut child: ConfigMap = object(Some("ns"), "map", "u3");
    owner::set_controller_reference(&a, &mut child).unwrap();
    let error = owner::set_controller_reference(&b, &mut child).unwrap_err();
    assert_eq!(
        error.to_string(),
        "object \"map\" is already controlled by Deployment \"a\""
    );
    owner::set_owner_reference(&b, &mut child).unwrap();
    assert_eq!(
        owners(&child),
        [
            ("Deployment/a".to_owned(), Some(true)),
            ("Deployment/b".to_owned(), None)
        ]
    );
}

#[test]
fn a_recreated_owner_replaces_the_reference_of_its_namesake() {
    let mut child: ConfigMap = object(Some("ns"), "map", "u3");
    owner::set_controller_reference(&object::<Deployment>(Some("ns"), "a", "old"), &mut child)
        .unwrap();
    owner::set_controller_reference(&object::<Deployment>(Some("ns"), "a", "new"), &mut child)
        .unwrap();
    assert_eq!(
        child
            .owner_references()
            .iter()
            .map(|it| it.uid.as_str())
            .collect::<Vec<_>>(),
        ["new"]
    );
}

#[test]
fn scopes_and_namespaces_must_fit() {
    let owner: Deployment = object(Some("ns"), "a", "u1");
    let mut elsewhere: ConfigMap = object(Some("other"), "map", "u2");
    assert!(matches!(
        owner::set_controller_reference(&owner, &mut elsewhere),
        Err(OwnerError::CrossNamespace { .. })
    ));
    let mut node: Node = object(None, "node", "u3");
    let error = owner::set_controller_reference(&owner, &mut node);
    assert_eq!(error, Err(OwnerError::ClusterScopedObject("ns".to_owned())));
    let cluster: Namespace = object(None, "ns", "u4");
    assert_eq!(
        owner::set_controller_reference(&cluster, &mut elsewhere),
        Ok(())
    );
    let nameless = Deployment::default();
    assert_eq!(
        owner::set_owner_reference(&nameless, &mut elsewhere),
        Err(OwnerError::IncompleteOwner)
    );
}

/// Creates a stored replica set, with an app label and optionally a controller.
fn stored(app: &str, controller_uid: Option<&str>) -> Value {
    let references: Vec<_> = controller_uid
        .map(|uid| json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "web", "uid": uid, "controller": true}))
        .into_iter()
        .collect();
    let template = json!({
        "metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "web", "image": "web:1"}]},
    });
    json!({
        "metadata": {"labels": {"app": app}, "ownerReferences": references},
        "spec": {"selector": {"matchLabels": {"app": app}}, "template": template},
    })
}

struct Case {
    server: Server,
    owner: Deployment,
}

impl Case {
    async fn new(owner: Value) -> Self {
        let server = Server::new();
        server.put("deployments/default/web", owner);
        for (name, object) in [
            ("orphan", stored("web", None)),
            ("mine", stored("web", Some("me"))),
            ("mine-no-more", stored("else", Some("me"))),
            ("another's", stored("web", Some("other"))),
            ("stranger", stored("else", None)),
        ] {
            server.put(&format!("replicasets/default/{name}"), object);
        }
        let owner = Api::namespaced(server.client(), "default")
            .get("web")
            .await
            .unwrap();
        Self { server, owner }
    }

    async fn claim(&self) -> Vec<String> {
        self.try_claim().await.unwrap()
    }

    async fn try_claim(&self) -> Result<Vec<String>, kube::Error> {
        let (owners, sets) = (
            Api::namespaced(self.server.client(), "default"),
            Api::<ReplicaSet>::namespaced(self.server.client(), "default"),
        );
        let listed = sets
            .list(&Default::default())
            .await
            .unwrap()
            .items
            .into_iter()
            .map(Arc::new);
        let selector: Selector =
            kube::core::Expression::Equal("app".to_owned(), "web".to_owned()).into();
        let manager = ControllerRefManager::new(&self.owner, owners, sets, selector);
        let claimed = manager.claim(listed).await?;
        Ok(claimed.iter().map(|set| set.name_any()).collect())
    }

    fn controller(&self, name: &str) -> Option<Value> {
        let object = self
            .server
            .get(&format!("replicasets/default/{name}"))
            .unwrap();
        object["metadata"]["ownerReferences"]
            .get(0)
            .map(|reference| reference["uid"].clone())
    }
}

#[tokio::test]
async fn matching_orphans_are_adopted_and_what_no_longer_matches_is_released() {
    let case = Case::new(json!({"metadata": {"uid": "me"}})).await;
    assert_eq!(case.claim().await, ["mine", "orphan"]);
    assert_eq!(case.controller("orphan"), Some(json!("me")));
    assert_eq!(case.controller("mine-no-more"), None);
    assert_eq!(case.controller("another's"), Some(json!("other")));
    assert_eq!(case.controller("stranger"), None);
}

/// Asserts that an owner that was read too early adopts nothing, and is told apart from one that
/// lacks objects.
async fn check_outdated(case: &Case) {
    let error = case.try_claim().await.unwrap_err();
    assert!(codegen_runtime::retry::is_conflict(&error), "{error}");
    assert_eq!(case.controller("orphan"), None);
}

#[tokio::test]
async fn an_owner_that_is_deleted_or_was_replaced_adopts_nothing() {
    let deleting = json!({"metadata": {"uid": "me", "deletionTimestamp": "2026-01-01T00:00:00Z"}});
    let case = Case::new(deleting).await;
    assert_eq!(case.claim().await, ["mine"]);
    assert_eq!(case.controller("orphan"), None);
    assert_eq!(
        case.controller("mine-no-more"),
        Some(json!("me")),
        "garbage collection will see to it"
    );

    let case = Case::new(json!({"metadata": {"uid": "me"}})).await;
    case.server.put(
        "deployments/default/web",
        json!({"metadata": {"uid": "namesake"}}),
    );
    check_outdated(&case).await;

    // Deleted since it was read: whoever takes the orphan for a missing object would create
    // another.
    let case = Case::new(json!({"metadata": {"uid": "me"}})).await;
    let deleting = json!({"uid": "me", "deletionTimestamp": "2026-01-01T00:00:00Z"});
    case.server
        .put("deployments/default/web", json!({"metadata": deleting}));
    check_outdated(&case).await;
}

/// Fails every write of `name`, claims, and returns the code of the error.
async fn claim_without(case: &Case, name: &'static str, fault: FaultKind) -> u16 {
    case.server.on_call(move |action| {
        let fails = action.verb == "patch" && action.name == name;
        fails.then(|| fault.clone())
    });
    match case.try_claim().await.unwrap_err() {
        kube::Error::Api(status) => status.code,
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn an_object_that_cannot_be_written_does_not_keep_others_from_being_adopted_and_released() {
    let owner = json!({"metadata": {"uid": "me"}});
    // They are claimed in the order of their names.
    let case = Case::new(owner.clone()).await;
    let refused = || refusal(403, "Forbidden");
    let code = claim_without(&case, "mine-no-more", refused()).await;
    assert_eq!((code, case.controller("orphan")), (403, Some(json!("me"))));

    let case = Case::new(owner.clone()).await;
    let another = "replicasets/default/orphan-2";
    case.server.put(another, stored("web", None));
    let code = claim_without(&case, "orphan", refused()).await;
    assert_eq!(
        (code, case.controller("orphan-2")),
        (403, Some(json!("me")))
    );

    // A server that asks to wait is left alone.
    let case = Case::new(owner).await;
    let busy = FaultKind::TooManyRequests { retry_after: 1 };
    let code = claim_without(&case, "mine-no-more", busy).await;
    assert_eq!((code, case.controller("orphan")), (429, None));
}

#[tokio::test]
async fn an_outdated_owner_releases_objects_and_is_read_once() {
    let case = Case::new(json!({"metadata": {"uid": "me"}})).await;
    for (name, object) in [
        ("a", stored("web", None)),
        ("z", stored("else", Some("me"))),
    ] {
        case.server
            .put(&format!("replicasets/default/{name}"), object);
    }
    case.server.put(
        "deployments/default/web",
        json!({"metadata": {"uid": "namesake"}}),
    );
    case.server.take_log();
    check_outdated(&case).await;
    assert_eq!(case.controller("z"), None);
    let reads = case.server.take_log();
    let reads = reads.iter().filter(|line| line.contains(" get "));
    assert_eq!(reads.count(), 1);
}

#[tokio::test]
async fn an_orphan_that_names_its_owner_gets_no_second_reference_to_it() {
    let case = Case::new(json!({"metadata": {"uid": "me"}})).await;
    let mut owned = stored("web", Some("me"));
    owned["metadata"]["ownerReferences"][0]["controller"] = json!(false);
    case.server.put("replicasets/default/owned", owned);
    assert_eq!(case.claim().await, ["mine", "orphan", "owned"]);
    let owned = case.server.get("replicasets/default/owned").unwrap();
    let references = owned["metadata"]["ownerReferences"].as_array().unwrap();
    assert_eq!(references.len(), 1, "{references:?}");
    assert_eq!(references[0]["controller"], json!(true));
}
