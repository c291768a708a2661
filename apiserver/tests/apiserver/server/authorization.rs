//! RBAC by the stored roles, and the admission plugin OwnerReferencesPermissionEnforcement: with
//! kube-apiserver's messages.

use embedded_apiserver::{ApiServer, AuthorizationMode, Roles, assert_rbac};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::api::{ListParams, Patch, PatchParams, PostParams};
use kube::{Api, Client};
use serde_json::{Value, json};

use super::map;

/// Starts a server that evaluates roles, with these objects.
fn server(objects: impl IntoIterator<Item = Value>) -> ApiServer {
    ApiServer::builder()
        .authorization(AuthorizationMode::Rbac)
        .owner_references_permission_enforcement(true)
        .objects(objects)
        .build()
        .unwrap()
}

fn role(namespace: &str, name: &str, rules: Value) -> Value {
    let kind = if namespace.is_empty() {
        "ClusterRole"
    } else {
        "Role"
    };
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": { "name": name, "namespace": namespace },
        "rules": rules,
    })
}

/// Binds a role (`Role/name` or `ClusterRole/name`) to a subject (`User/name`, `Group/name`,
/// `ServiceAccount/name`).
fn binding(namespace: &str, name: &str, role: &str, subject: &str) -> Value {
    let kind = if namespace.is_empty() {
        "ClusterRoleBinding"
    } else {
        "RoleBinding"
    };
    let (role_kind, role) = role.split_once('/').unwrap();
    let (subject_kind, subject) = subject.split_once('/').unwrap();
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": kind,
        "metadata": { "name": name, "namespace": namespace },
        "roleRef": { "apiGroup": "rbac.authorization.k8s.io", "kind": role_kind, "name": role },
        "subjects": [{ "kind": subject_kind, "name": subject }],
    })
}

fn rule(group: &str, resources: &[&str], verbs: &[&str]) -> Value {
    json!({ "apiGroups": [group], "resources": resources, "verbs": verbs })
}

/// Returns the message of a 403.
#[track_caller]
fn denied<T: std::fmt::Debug>(result: kube::Result<T>) -> String {
    match result {
        Err(kube::Error::Api(status)) if status.is_forbidden() => status.message,
        other => panic!("{other:?}"),
    }
}

fn maps(client: Client) -> Api<ConfigMap> {
    Api::namespaced(client, "shop")
}

async fn get(client: &Client, path: &str) -> kube::Result<String> {
    let request = http::Request::get(path).body(Vec::new()).unwrap();
    client.request_text(request).await
}

#[tokio::test]
async fn a_denied_request_is_told_as_by_the_real_server() {
    let server = server([]);
    let client = server.client_as("ann");
    assert_eq!(
        denied(maps(client.clone()).get("a").await),
        "configmaps \"a\" is forbidden: User \"ann\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"shop\""
    );
    let all = Api::<ConfigMap>::all(client.clone());
    assert_eq!(
        denied(all.list(&ListParams::default()).await),
        "configmaps is forbidden: User \"ann\" cannot list resource \"configmaps\" in API group \"\" at the cluster scope"
    );
    let nodes = Api::<Node>::all(client.clone());
    assert_eq!(
        denied(nodes.get_status("a").await),
        "nodes \"a\" is forbidden: User \"ann\" cannot get resource \"nodes/status\" in API group \"\" at the cluster scope"
    );
    let unknown = get(&client, "/apis/example.com/v1/namespaces/shop/things").await;
    assert_eq!(
        denied(unknown),
        "things.example.com is forbidden: User \"ann\" cannot list resource \"things\" in API group \"example.com\" in the \
         namespace \"shop\""
    );
    assert_eq!(
        denied(get(&client, "/metrics").await),
        "forbidden: User \"ann\" cannot get path \"/metrics\""
    );
    for path in ["/version", "/apis", "/apis/apps/v1", "/openapi/v3"] {
        assert!(
            get(&client, path).await.is_ok(),
            "everyone discovers the API: {path}"
        );
    }
    let administrator = maps(server.client());
    assert!(administrator.list(&ListParams::default()).await.is_ok());
}

#[tokio::test]
async fn roles_and_bindings_apply_as_soon_as_they_are_stored() {
    let read = json!([rule("", &["configmaps"], &["get", "list"])]);
    let server = server([
        role("shop", "reader", read.clone()),
        role("", "reader-everywhere", read),
        binding("shop", "ann", "Role/reader", "User/ann"),
        binding(
            "shop",
            "web",
            "ClusterRole/reader-everywhere",
            "ServiceAccount/web",
        ),
        binding(
            "",
            "ops",
            "ClusterRole/reader-everywhere",
            "Group/system:serviceaccounts:ops",
        ),
    ]);
    let list = async |user: &str, namespace: &str| {
        let maps = Api::<ConfigMap>::namespaced(server.client_as(user), namespace);
        maps.list(&ListParams::default()).await.is_ok()
    };
    assert!(list("ann", "shop").await);
    assert!(!list("ann", "default").await, "a role is of its namespace");
    assert!(!list("bob", "shop").await);
    assert!(list("system:serviceaccount:shop:web", "shop").await);
    assert!(list("system:serviceaccount:ops:web", "default").await);
    assert!(!list("system:serviceaccount:shop:web", "default").await);
    assert!(
        server
            .objects()
            .remove("rbac.authorization.k8s.io", "rolebindings", "shop", "ann")
    );
    assert!(!list("ann", "shop").await);
}

#[tokio::test]
async fn a_binding_to_a_role_that_is_missing_is_named() {
    let server = server([binding("shop", "ann", "ClusterRole/gone", "User/ann")]);
    let message = denied(maps(server.client_as("ann")).get("a").await);
    let reason = ": RBAC: clusterrole.rbac.authorization.k8s.io \"gone\" not found";
    assert!(message.ends_with(reason), "{message}");
}

#[tokio::test]
async fn an_apply_that_creates_needs_the_permission_to_create() {
    let rules = json!([rule("", &["configmaps"], &["patch"])]);
    let server = server([
        role("shop", "patcher", rules),
        binding("shop", "ann", "Role/patcher", "User/ann"),
    ]);
    let maps = maps(server.client_as("ann"));
    let apply = PatchParams::apply("test");
    let applied = maps.patch("a", &apply, &Patch::Apply(map("a"))).await;
    assert_eq!(denied(applied), "configmaps \"a\" is forbidden: ");
    server
        .objects()
        .put(&json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "namespace": "shop" } }))
        .unwrap();
    assert!(
        maps.patch("a", &apply, &Patch::Apply(map("a")))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn access_reviews_answer_by_the_roles() {
    let rules = json!([rule("", &["configmaps"], &["get"])]);
    let server = server([
        role("", "reader", rules),
        binding("", "ann", "ClusterRole/reader", "User/ann"),
    ]);
    let client = server.client_as("ann");
    let ask = async |verb: &str| -> Value {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": { "verb": verb, "resource": "configmaps", "namespace": "shop" } },
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let request = http::Request::post(path).body(serde_json::to_vec(&review).unwrap());
        let answer: Value = client.request(request.unwrap()).await.unwrap();
        answer["status"].clone()
    };
    let reason =
        "RBAC: allowed by ClusterRoleBinding \"ann\" of ClusterRole \"reader\" to User \"ann\"";
    assert_eq!(
        ask("get").await,
        json!({ "allowed": true, "reason": reason })
    );
    assert_eq!(ask("delete").await, json!({ "allowed": false }));
}

#[tokio::test]
async fn the_token_of_a_service_account_is_its_user() {
    let server = server([
        json!({ "apiVersion": "v1", "kind": "ServiceAccount", "metadata": { "name": "web", "namespace": "shop" } }),
    ]);
    let path = "/api/v1/namespaces/shop/serviceaccounts/web/token";
    let request = http::Request::post(path).body(
        br#"{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{}}"#.to_vec(),
    );
    let issued: Value = server.client().request(request.unwrap()).await.unwrap();
    let token = issued["status"]["token"].as_str().unwrap();
    let request = http::Request::get("/api/v1/namespaces/shop/pods")
        .header("Authorization", format!("Bearer {token}"))
        .body(Vec::new());
    let listed = server.client().request_text(request.unwrap()).await;
    let message = denied(listed);
    let who = "User \"system:serviceaccount:shop:web\" cannot list resource \"pods\"";
    assert!(message.contains(who), "{message}");
}

/// An owner reference to the config map `owner`.
fn owned(kind: &str, blocks: bool) -> Value {
    json!([{
        "apiVersion": "v1",
        "kind": kind,
        "name": "owner",
        "uid": "1",
        "controller": true,
        "blockOwnerDeletion": blocks,
    }])
}

fn dependent(kind: &str, blocks: bool) -> Pod {
    serde_json::from_value(json!({
        "metadata": { "name": "a", "ownerReferences": owned(kind, blocks) },
        "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
    }))
    .unwrap()
}

/// Starts a server where `ann` may do this to pods, and other things.
fn with_rules(verbs: &[&str], more: Option<Value>) -> (ApiServer, Api<Pod>) {
    let mut rules = vec![rule("", &["pods"], verbs)];
    rules.extend(more);
    let server = server([
        role("", "ann", json!(rules)),
        binding("", "ann", "ClusterRole/ann", "User/ann"),
        json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "shop" } }),
    ]);
    let pods = Api::namespaced(server.client_as("ann"), "shop");
    (server, pods)
}

#[tokio::test]
async fn who_blocks_the_deletion_of_an_owner_must_be_allowed_to_update_its_finalizers() {
    let post = PostParams::default();
    let (_server, pods) = with_rules(&["create"], None);
    assert_eq!(
        denied(pods.create(&post, &dependent("ConfigMap", true)).await),
        "pods \"a\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set \
         finalizers on: , <nil>"
    );
    assert_eq!(
        denied(pods.create(&post, &dependent("Nonsense", true)).await),
        "pods \"a\" is forbidden: cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion v1 \
         Kind Nonsense: no matches for kind \"Nonsense\" in version \"v1\""
    );
    assert!(
        pods.create(&post, &dependent("ConfigMap", false))
            .await
            .is_ok()
    );

    let finalizers = rule("", &["configmaps/finalizers"], &["update"]);
    let (_server, pods) = with_rules(&["create"], Some(finalizers));
    assert!(
        pods.create(&post, &dependent("ConfigMap", true))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn who_changes_owners_must_be_allowed_to_delete_the_object() {
    let finalizers = rule("", &["configmaps/finalizers"], &["update"]);
    let adopt =
        Patch::Merge(json!({ "metadata": { "ownerReferences": owned("ConfigMap", true) } }));
    let label = Patch::Merge(json!({ "metadata": { "labels": { "a": "b" } } }));
    let params = PatchParams::default();
    let mut free = dependent("ConfigMap", false);
    free.metadata.owner_references = None;
    for (verbs, is_allowed) in [
        (&["create", "patch"] as &[&str], false),
        (&["create", "patch", "delete"], true),
    ] {
        let (_server, pods) = with_rules(verbs, Some(finalizers.clone()));
        pods.create(&PostParams::default(), &free).await.unwrap();
        pods.patch("a", &params, &label).await.unwrap();
        let adopted = pods.patch("a", &params, &adopt).await;
        match is_allowed {
            true => drop(adopted.unwrap()),
            false => assert_eq!(
                denied(adopted),
                "pods \"a\" is forbidden: cannot set an ownerRef on a resource you can't delete: , <nil>"
            ),
        }
    }
}

/// Even where the plugin is off, what it would demand is recorded, and roles are judged by it.
#[tokio::test]
async fn assertions_about_roles_know_what_owner_references_need() {
    let server = ApiServer::builder().build().unwrap();
    let pods: Api<Pod> = Api::namespaced(server.client_as("ann"), "default");
    pods.create(&PostParams::default(), &dependent("ConfigMap", true))
        .await
        .unwrap();
    let role = |more: &str| {
        format!(
            "kind: ClusterRole\nrules:\n- {{ apiGroups: [''], resources: [pods], verbs: [create] }}\n{more}"
        )
    };
    let roles = Roles::parse([&*role("")]).unwrap();
    let forbidden: Vec<String> = roles
        .forbidden(&server, "ann")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        forbidden,
        [
            "update configmaps/finalizers in default (1 request); allowed by \
             `// +kubebuilder:rbac:groups=\"\",resources=configmaps/finalizers,verbs=update`"
        ]
    );
    let finalizers = "- { apiGroups: [''], resources: [configmaps/finalizers], verbs: [update] }\n";
    assert!(assert_rbac(&server, "ann", [&*role(finalizers)]).is_empty());
}
