//! RBAC assertions on the record of requests.

use embedded_apiserver::{ApiServer, Roles, assert_rbac};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use serde_json::json;

use super::map;

const USER: &str = "controller";

fn server() -> ApiServer {
    ApiServer::builder().build().unwrap()
}

fn maps(server: &ApiServer) -> Api<ConfigMap> {
    Api::namespaced(server.client_as(USER), "default")
}

fn role(rules: &str) -> String {
    format!("kind: ClusterRole\nrules:\n{rules}")
}

/// Returns the message of a panic.
fn panic_of(run: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).unwrap_err();
    panic.downcast_ref::<String>().unwrap().clone()
}

#[tokio::test]
async fn requests_of_a_user_are_judged_and_those_of_others_are_not() {
    let server = server();
    let post = PostParams::default();
    maps(&server).create(&post, &map("a")).await.unwrap();
    maps(&server).get("a").await.unwrap();
    let namespaces: Api<Namespace> = Api::all(server.client());
    namespaces.list(&ListParams::default()).await.unwrap();
    let allowed =
        role("- { apiGroups: [\"\"], resources: [configmaps, secrets], verbs: [create, get] }");
    let unused = assert_rbac(&server, USER, [&*allowed]);
    let unused: Vec<String> = unused.iter().map(ToString::to_string).collect();
    assert_eq!(unused, ["create secrets", "get secrets"]);

    let narrow = role("- { apiGroups: [\"\"], resources: [configmaps], verbs: [get, list] }");
    let message = panic_of(|| drop(assert_rbac(&server, USER, [&*narrow])));
    assert_eq!(
        message,
        "the roles of `controller` do not allow its requests:\n  create configmaps in default (1 request); allowed by \
         `// +kubebuilder:rbac:groups=\"\",resources=configmaps,verbs=create`"
    );
}

#[tokio::test]
async fn nothing_to_judge_is_a_failure() {
    let server = server();
    let role = role("- { apiGroups: [\"\"], resources: [pods], verbs: [get] }");
    let message = panic_of(|| drop(assert_rbac(&server, USER, [&*role])));
    assert!(
        message.starts_with("`controller` made no requests"),
        "{message}"
    );
    let message = panic_of(|| drop(assert_rbac(&server, USER, ["kind: Deployment\n"])));
    assert_eq!(
        message,
        "invalid roles of `controller`: document 1 is a Deployment, expected a ClusterRole or a Role"
    );
}

/// Whether each rule allows what was done: a get, a list, a patch of the status, an apply that
/// created an object.
#[tokio::test]
async fn rules_are_matched_as_the_authorizer_matches_them() {
    let server = server();
    let deployments: Api<Deployment> = Api::namespaced(server.client_as(USER), "default");
    let by_name = ListParams::default().fields("metadata.name=a");
    deployments.list(&by_name).await.unwrap();
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {
            "selector": { "matchLabels": { "a": "b" } },
            "template": {
                "metadata": { "labels": { "a": "b" } },
                "spec": { "containers": [{ "name": "a", "image": "a" }] },
            },
        },
    });
    let apply = PatchParams::apply("test");
    deployments
        .patch("a", &apply, &Patch::Apply(&deployment))
        .await
        .unwrap();
    deployments
        .patch_status(
            "a",
            &PatchParams::default(),
            &Patch::Merge(json!({ "status": {} })),
        )
        .await
        .unwrap();
    drop(
        deployments
            .delete("a", &DeleteParams::default())
            .await
            .unwrap(),
    );

    let check = |rules: &[&str], expected: &[&str]| {
        let rules: Vec<String> = rules
            .iter()
            .map(|rule| format!("- {{ {rule} }}\n"))
            .collect();
        let role = role(&rules.concat());
        let roles = Roles::parse([&*role]).unwrap();
        let forbidden = roles.forbidden(&server, USER);
        let forbidden: Vec<String> = forbidden
            .iter()
            .map(|it| it.to_string().split(" in ").next().unwrap().to_owned())
            .collect();
        assert_eq!(forbidden, expected, "{rules:?}");
    };
    let all = [
        "create deployments.apps",
        "delete deployments.apps",
        "list deployments.apps",
        "patch deployments.apps",
        "patch deployments/status.apps",
    ];
    check(&["apiGroups: [apps], resources: ['*'], verbs: ['*']"], &[]);
    check(
        &["apiGroups: ['*'], resources: [deployments, deployments/status], verbs: ['*']"],
        &[],
    );
    check(&["apiGroups: [''], resources: ['*'], verbs: ['*']"], &all);
    check(
        &["apiGroups: [apps], resources: [deployments], verbs: ['*']"],
        &all[4..],
    );
    check(
        &["apiGroups: [apps], resources: ['*/status'], verbs: [patch]"],
        &all[..4],
    );
    // An apply that creates the object also needs `create`.
    check(
        &["apiGroups: [apps], resources: ['*'], verbs: [delete, list, patch]"],
        &all[..1],
    );
    // A list restricted to one name is authorized by that name.
    check(
        &["apiGroups: [apps], resources: ['*'], resourceNames: [a], verbs: ['*']"],
        &[],
    );
    check(
        &["apiGroups: [apps], resources: ['*'], resourceNames: [b], verbs: ['*']"],
        &all,
    );
}

#[tokio::test]
async fn a_role_is_about_its_namespace() {
    let server = server();
    maps(&server).list(&ListParams::default()).await.unwrap();
    let role = |namespace: &str| {
        format!(
            "kind: Role\nmetadata: {{ name: a, namespace: {namespace} }}\nrules:\n\
             - {{ apiGroups: [''], resources: [configmaps], verbs: [list] }}\n"
        )
    };
    assert!(assert_rbac(&server, USER, [&*role("default")]).is_empty());
    let other = Roles::parse([&*role("kube-system")]).unwrap();
    assert_eq!(other.forbidden(&server, USER).len(), 1);
    let unused = other.unused();
    assert_eq!(unused[0].to_string(), "list configmaps in kube-system");
}

/// Permissions used on several servers add up.
#[tokio::test]
async fn permissions_used_in_one_test_are_used() {
    let role = role("- { apiGroups: [''], resources: [configmaps], verbs: [create, list, watch] }");
    let roles = Roles::parse([&*role]).unwrap();
    let one = server();
    maps(&one).list(&ListParams::default()).await.unwrap();
    roles.assert_allowed(&one, USER);
    let two = server();
    maps(&two)
        .create(&PostParams::default(), &map("a"))
        .await
        .unwrap();
    roles.assert_allowed(&two, USER);
    let unused: Vec<String> = roles.unused().iter().map(ToString::to_string).collect();
    assert_eq!(unused, ["watch configmaps"]);
}

#[tokio::test]
async fn an_impersonated_user_is_recorded() {
    let server = server();
    let request = http::Request::get("/api/v1/namespaces/default/configmaps")
        .header("Impersonate-User", USER)
        .body(kube::client::Body::empty())
        .unwrap();
    server.client().send(request).await.unwrap();
    assert_eq!(server.recorder().actions()[0].user, USER);
}
