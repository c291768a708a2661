//! Controllers of dynamic kinds, of metadata, and of cluster-scoped kinds; and the context of a
//! reconciler.

use std::time::Duration;

use codegen_runtime::controller::{Action, Context, Controller, reconcile_fn, reconcile_with};
use codegen_runtime::event::{EventBroadcaster, Reporter};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::store::ObjectKey;
use embedded_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
use k8s_openapi::api::core::v1::{ConfigMap, Node, Secret};
use kube::ResourceExt;
use kube::api::ApiResource;
use kube::core::GroupVersionKind;
use kube::discovery::Scope;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

fn put(server: &ApiServer, kind: (&str, &str), name: &str, owner: Option<(&str, &str, &str)>) {
    let (version, kind) = kind;
    let owners: Vec<Value> = owner
        .map(|(version, kind, name)| {
            json!({"apiVersion": version, "kind": kind, "name": name, "uid": "u", "controller": true})
        })
        .into_iter()
        .collect();
    let namespace = if kind == "Node" {
        Value::Null
    } else {
        "default".into()
    };
    let object = json!({
        "apiVersion": version, "kind": kind,
        "metadata": {"name": name, "namespace": namespace, "ownerReferences": owners},
    });
    server.objects().put(&object).unwrap();
}

struct Rig {
    server: ApiServer,
    factory: SharedInformerFactory,
    stop: CancellationToken,
    keys: (
        mpsc::UnboundedSender<String>,
        mpsc::UnboundedReceiver<String>,
    ),
}

impl Rig {
    fn new() -> Self {
        let server = ApiServer::builder()
            .garbage_collector(false)
            .build()
            .unwrap();
        Self {
            factory: SharedInformerFactory::builder(server.client()).build(),
            server,
            stop: CancellationToken::new(),
            keys: mpsc::unbounded_channel(),
        }
    }

    fn run(&self, controller: Controller) {
        self.factory.start(&self.stop);
        let stop = self.stop.clone();
        tokio::spawn(async move { controller.run(&stop, None).await });
    }

    fn reconciler(&self) -> impl codegen_runtime::controller::Reconciler + use<> {
        let sender = self.keys.0.clone();
        reconcile_fn(move |request| {
            let _ = sender.send(request.key.as_str().to_owned());
            std::future::ready(Ok::<_, String>(Action::done()))
        })
    }

    async fn next(&mut self) -> String {
        let next = tokio::time::timeout(Duration::from_secs(20), self.keys.1.recv());
        next.await.expect("a key in time").expect("it is open")
    }
}

#[tokio::test]
async fn dynamic_kinds_are_reconciled_and_own() {
    let mut rig = Rig::new();
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", "Deployment"));
    let owned = ApiResource::from_gvk(&GroupVersionKind::gvk("apps", "v1", "ReplicaSet"));
    let watched = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Secret"));
    let controller = Controller::builder("dynamic", &rig.factory)
        .for_dynamic(&resource, Scope::Namespaced)
        .owns_dynamic(&owned, Scope::Namespaced)
        .watches_dynamic(&watched, Scope::Namespaced, |secret| {
            vec![ObjectKey::new(
                Some("default"),
                &format!("of-{}", secret.name_any()),
            )]
        })
        .build(rig.reconciler())
        .unwrap();
    rig.run(controller);
    put(&rig.server, ("apps/v1", "Deployment"), "web", None);
    assert_eq!(rig.next().await, "default/web");
    put(
        &rig.server,
        ("apps/v1", "ReplicaSet"),
        "web-1",
        Some(("apps/v1", "Deployment", "owner")),
    );
    assert_eq!(rig.next().await, "default/owner");
    put(&rig.server, ("v1", "Secret"), "token", None);
    assert_eq!(rig.next().await, "default/of-token");
}

#[tokio::test]
async fn metadata_is_enough_to_reconcile_and_to_own() {
    let mut rig = Rig::new();
    let controller = Controller::builder("metadata", &rig.factory)
        .for_metadata::<Deployment>()
        .owns_metadata::<ReplicaSet>()
        .watches_metadata::<Secret>(|secret| {
            vec![ObjectKey::new(
                Some("default"),
                &format!("of-{}", secret.name_any()),
            )]
        })
        .build(rig.reconciler())
        .unwrap();
    rig.run(controller);
    put(&rig.server, ("apps/v1", "Deployment"), "web", None);
    assert_eq!(rig.next().await, "default/web");
    put(
        &rig.server,
        ("apps/v1", "ReplicaSet"),
        "web-1",
        Some(("apps/v1", "Deployment", "owner")),
    );
    assert_eq!(rig.next().await, "default/owner");
    put(&rig.server, ("v1", "Secret"), "token", None);
    assert_eq!(rig.next().await, "default/of-token");
}

#[tokio::test]
async fn an_owner_at_cluster_scope_has_no_namespace_in_its_key() {
    for dynamic in [false, true] {
        let mut rig = Rig::new();
        let builder = Controller::builder("nodes", &rig.factory);
        let node = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Node"));
        let builder = if dynamic {
            builder.for_dynamic(&node, Scope::Cluster)
        } else {
            builder.for_::<Node>()
        };
        let controller = builder.owns::<ConfigMap>().build(rig.reconciler()).unwrap();
        rig.run(controller);
        put(
            &rig.server,
            ("v1", "ConfigMap"),
            "map",
            Some(("v1", "Node", "node-1")),
        );
        assert_eq!(rig.next().await, "node-1");
    }
}

#[tokio::test]
async fn a_reconciler_gets_client_cache_and_recorder_beside_the_key() {
    let mut rig = Rig::new();
    put(&rig.server, ("v1", "ConfigMap"), "map", None);
    let events = EventBroadcaster::new(rig.server.client());
    let recorder = events.recorder(Reporter::new("example.com/test", "here"));
    let context = Context::<ConfigMap>::new(&rig.factory, recorder);
    let sender = rig.keys.0.clone();
    let reconciler = reconcile_with(context, move |request, context| {
        let sender = sender.clone();
        async move {
            let map = context.object(&request).ok_or("not cached")?;
            let api = kube::Api::<ConfigMap>::namespaced(context.client().clone(), "default");
            let live = api.get(&map.name_any()).await.map_err(|_| "not served")?;
            let _ = (context.recorder(), sender.send(live.name_any()));
            Ok::<_, &str>(Action::done())
        }
    });
    let builder = Controller::builder("maps", &rig.factory).for_::<ConfigMap>();
    rig.run(builder.build(reconciler).unwrap());
    assert_eq!(rig.next().await, "map");
}
