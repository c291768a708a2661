//! A program that is restricted to namespaces, on an API server that holds it to its roles there.

use std::time::Duration;

use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::controller::{Action, Context, Controller, Request, reconcile_with};
use codegen_runtime::fake::Running;
use codegen_runtime::manager::ManagerBuilder;
use embedded_apiserver::{ApiServer, AuthorizationMode};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, Patch, PatchParams};
use serde_json::{Value, json};

const PROGRAM: &str = "greet-controller";

/// The namespaces of the program, and its own.
const ALLOWED: [&str; 3] = ["a", "b", "greet-system"];

/// The role of the program in a namespace, with its binding.
fn role(namespace: &str, rules: &Value) -> [Value; 2] {
    let metadata = json!({"name": PROGRAM, "namespace": namespace});
    let group = "rbac.authorization.k8s.io";
    let role = json!({
        "apiVersion": format!("{group}/v1"), "kind": "Role", "metadata": metadata, "rules": rules,
    });
    let binding = json!({
        "apiVersion": format!("{group}/v1"), "kind": "RoleBinding", "metadata": metadata,
        "roleRef": {"apiGroup": group, "kind": "Role", "name": PROGRAM},
        "subjects": [{"kind": "User", "name": PROGRAM, "apiGroup": group}],
    });
    [role, binding]
}

fn rule(group: &str, resource: &str, verbs: &[&str]) -> Value {
    json!({"apiGroups": [group], "resources": [resource], "verbs": verbs})
}

/// A server with RBAC, and a ConfigMap in each of some namespaces.
fn server(maps: &[&str]) -> ApiServer {
    let work = json!([
        rule("", "configmaps", &["list", "watch", "patch"]),
        rule("events.k8s.io", "events", &["create", "patch"]),
    ]);
    let verbs = ["create", "get", "update", "watch"];
    let election = json!([rule("coordination.k8s.io", "leases", &verbs)]);
    let [a, b, own] = ALLOWED;
    let roles = [role(a, &work), role(b, &work), role(own, &election)];
    let namespaces = ["a", "b", "c", own]
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    let maps = maps.iter().map(|namespace| {
        let metadata = json!({"name": "map", "namespace": namespace});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    });
    let objects = namespaces.into_iter().chain(roles.into_iter().flatten());
    ApiServer::builder()
        .authorization(AuthorizationMode::Rbac)
        .objects(objects.chain(maps))
        .build()
        .unwrap()
}

/// Writes a greeting into the maps, and records an event.
async fn setup(process: Process, (): ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    let context = Context::<ConfigMap>::new(&factory, process.recorder());
    let greet = |request: Request, context: Context<ConfigMap>| async move {
        let Some(map) = context.object(&request) else {
            return Ok(Action::done());
        };
        let namespace = request.namespace().unwrap_or_default();
        let api = Api::<ConfigMap>::namespaced(context.client().clone(), namespace);
        let patch = Patch::Merge(json!({"data": {"greeting": "hello"}}));
        let name = request.key.name();
        api.patch(name, &PatchParams::default(), &patch).await?;
        context
            .recorder()
            .normal(&*map, "Greeted", "Greet", "hello");
        Ok::<_, kube::Error>(Action::done())
    };
    let controller = Controller::builder("greet", &factory)
        .for_::<ConfigMap>()
        .build(reconcile_with(context, greet))?;
    Ok(process.manager(&factory)?.controller(controller))
}

#[tokio::test]
async fn it_works_in_its_namespaces_and_asks_for_nothing_elsewhere() {
    let server = server(&["a", "b", "c"]);
    let client = server.client_as(PROGRAM);
    let args = [
        "--namespaces=a,b",
        "--leader-elect",
        "--lease-lock-namespace=greet-system",
    ];
    let running = Running::program(App::new(PROGRAM, "0.1.0"), client, &args, setup);
    let greeting = |namespace: &str| {
        let map = server.objects().get("", "configmaps", namespace, "map");
        map.is_some_and(|map| map["data"]["greeting"] == "hello")
    };
    let recorded = |namespace: &str| {
        let events = server.objects().list("events.k8s.io", "events", namespace);
        events.len()
    };
    let done = async {
        while !["a", "b"].iter().all(|it| greeting(it) && recorded(it) > 0) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), done)
        .await
        .unwrap();
    running.stop().await;
    assert!(!greeting("c") && recorded("c") == 0);
    let actions = server.recorder().actions();
    let mut own = actions
        .iter()
        .filter(|action| action.user == PROGRAM)
        .peekable();
    assert!(own.peek().is_some());
    for action in own {
        let is_allowed = ALLOWED.contains(&action.namespace.as_str());
        assert!(is_allowed, "{} {}", action.verb, action.resource);
    }
}

#[tokio::test]
async fn without_the_flag_its_roles_do_not_suffice() {
    let server = server(&["a"]);
    let client = server.client_as(PROGRAM);
    let listed = Api::<ConfigMap>::all(client)
        .list(&Default::default())
        .await;
    let error = listed.unwrap_err().to_string();
    assert!(error.contains("at the cluster scope"), "{error}");
}
