//! sample-controller with the generated clientset, listers and informers, and its tests with the generated fake.

use std::time::Duration;

use codegen_runtime::client::TypedClient;
use codegen_runtime::controller::{Action, Controller, Reconciler, Request};
use codegen_runtime::fake::{Object, Tracker};
use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;
use codegen_runtime::kube;
use codegen_runtime::kube::api::PostParams;
use codegen_runtime::lister::Lister;
use codegen_runtime::owner;
use golden_foo::apis::samplecontroller::v1alpha1::{Foo, FooSpec, FooStatus};
use golden_foo::generated::clientset::{Clientset, fake};
use golden_foo::generated::informers::SharedInformerFactory;
use golden_foo::generated::listers::samplecontroller::v1alpha1::FooLister;
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// Keeps a deployment for every `Foo`.
struct SampleController {
    clientset: Clientset,
    foos: FooLister,
    deployments: Lister<Deployment>,
}

/// Why a `Foo` could not be synced.
#[derive(Debug)]
enum SyncError {
    NotControlledByUs(String),
    Api(kube::Error),
}

impl From<kube::Error> for SyncError {
    fn from(error: kube::Error) -> Self {
        Self::Api(error)
    }
}

impl std::fmt::Display for SyncError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotControlledByUs(name) => {
                write!(
                    f,
                    "Resource {name:?} already exists and is not managed by Foo"
                )
            }
            Self::Api(_) => f.write_str("the API server refused a request"),
        }
    }
}

impl std::error::Error for SyncError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotControlledByUs(_) => None,
            Self::Api(error) => Some(error),
        }
    }
}

impl SampleController {
    /// sample-controller's `syncHandler`.
    async fn sync(&self, namespace: &str, name: &str) -> Result<(), SyncError> {
        let Ok(foo) = self.foos.foos(namespace).get(name) else {
            // It was deleted; there is nothing left to do.
            return Ok(());
        };
        let client = self.clientset.client().clone();
        let deployments = TypedClient::<Deployment>::namespaced(client, namespace);
        let cached = self.deployments.namespace(namespace);
        let deployment = match cached.get(&foo.spec.deployment_name) {
            Ok(deployment) => (*deployment).clone(),
            Err(_) => {
                let new = deployment_of(&foo);
                deployments.create(&new, &PostParams::default()).await?
            }
        };
        if !owner::is_controlled_by(&deployment, &*foo) {
            return Err(SyncError::NotControlledByUs(
                foo.spec.deployment_name.clone(),
            ));
        }
        let deployment = match foo.spec.replicas {
            Some(replicas) if deployment.spec.replicas != Some(replicas) => {
                let mut changed = deployment;
                changed.spec.replicas = Some(replicas);
                deployments.update(&changed, &PostParams::default()).await?
            }
            _ => deployment,
        };
        let mut foo = (*foo).clone();
        let available = deployment.status.and_then(|it| it.available_replicas);
        foo.status = Some(FooStatus {
            available_replicas: available.unwrap_or_default(),
        });
        let foos = self.clientset.samplecontroller_v1alpha1().foos(namespace);
        foos.update_status(&foo, &PostParams::default()).await?;
        Ok(())
    }
}

impl Reconciler for SampleController {
    type Error = SyncError;

    async fn reconcile(&self, request: Request) -> Result<Action, SyncError> {
        let (namespace, name) = request
            .key
            .as_str()
            .split_once('/')
            .unwrap_or(("", request.key.as_str()));
        self.sync(namespace, name).await?;
        Ok(Action::done())
    }
}

/// Builds the deployment of a `Foo`.
fn deployment_of(foo: &Foo) -> Deployment {
    let labels = json!({"app": "nginx", "controller": foo.metadata.name});
    let mut deployment: Deployment = serde_json::from_value(json!({
        "metadata": {"name": foo.spec.deployment_name, "namespace": foo.metadata.namespace},
        "spec": {
            "replicas": foo.spec.replicas,
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {"containers": [{"name": "nginx", "image": "nginx:latest"}]},
            },
        },
    }))
    .unwrap();
    owner::set_controller_reference(foo, &mut deployment).unwrap();
    deployment
}

fn foo(replicas: i32) -> Foo {
    let mut foo = Foo {
        spec: FooSpec {
            deployment_name: "test-deployment".to_owned(),
            replicas: Some(replicas),
        },
        ..Foo::default()
    };
    foo.metadata.name = Some("test".to_owned());
    foo.metadata.namespace = Some("default".to_owned());
    foo.metadata.uid = Some("uid-of-test".to_owned());
    foo
}

/// sample-controller's `fixture`: a fake clientset with objects, and synced caches.
struct Fixture {
    tracker: Tracker,
    factory: SharedInformerFactory,
    controller: SampleController,
}

impl Fixture {
    async fn new(objects: impl IntoIterator<Item = Object>) -> Self {
        let (clientset, tracker) = fake::Clientset::with_objects(objects);
        let factory: SharedInformerFactory =
            SharedInformerFactory::builder(clientset.clone()).build();
        let controller = SampleController {
            foos: factory
                .samplecontroller()
                .v1alpha1()
                .foos()
                .lister()
                .unwrap(),
            deployments: factory.informer_for::<Deployment>().lister(),
            clientset,
        };
        factory.start(&CancellationToken::new());
        factory.wait_for_cache_sync().await.unwrap();
        tracker.clear_actions();
        Self {
            tracker,
            factory,
            controller,
        }
    }

    async fn run(&self) -> Result<(), SyncError> {
        self.controller.sync("default", "test").await
    }

    /// The requests to the server, except the informers' lists and watches.
    fn actions(&self) -> Vec<String> {
        let actions = self.tracker.actions();
        let written = actions
            .iter()
            .filter(|action| !matches!(action.verb, "list" | "watch"));
        written
            .map(|action| match action.subresource.as_str() {
                "" => format!("{} {}", action.verb, action.resource),
                subresource => format!("{} {}/{subresource}", action.verb, action.resource),
            })
            .collect()
    }

    fn deployment(&self) -> Option<Deployment> {
        self.tracker.get("default", "test-deployment")
    }
}

#[tokio::test]
async fn creates_deployment() {
    let fixture = Fixture::new([foo(1).into()]).await;
    fixture.run().await.unwrap();
    assert_eq!(
        fixture.actions(),
        ["create deployments", "update foos/status"]
    );
    let deployment = fixture.deployment().unwrap();
    assert!(owner::is_controlled_by(&deployment, &foo(1)));
    let created = &fixture.tracker.actions()[0];
    assert_eq!(
        created.body["spec"],
        serde_json::to_value(deployment_of(&foo(1))).unwrap()["spec"]
    );
}

#[tokio::test]
async fn does_nothing() {
    let foo = foo(1);
    let deployment = deployment_of(&foo);
    let fixture = Fixture::new([foo.into(), deployment.into()]).await;
    fixture.run().await.unwrap();
    // As in Go, the status is updated unconditionally.
    assert_eq!(fixture.actions(), ["update foos/status"]);
}

#[tokio::test]
async fn updates_deployment() {
    let mut foo = foo(1);
    let mut deployment = deployment_of(&foo);
    deployment.status = Some(serde_json::from_value(json!({"availableReplicas": 1})).unwrap());
    foo.spec.replicas = Some(2);
    let fixture = Fixture::new([foo.into(), deployment.into()]).await;
    fixture.run().await.unwrap();
    assert_eq!(
        fixture.actions(),
        ["update deployments", "update foos/status"]
    );
    assert_eq!(fixture.deployment().unwrap().spec.replicas, Some(2));
    let foo: Foo = fixture.tracker.get("default", "test").unwrap();
    assert_eq!(foo.status.unwrap().available_replicas, 1);
}

#[tokio::test]
async fn not_controlled_by_us() {
    let foo = foo(1);
    let mut deployment = deployment_of(&foo);
    deployment.metadata.owner_references = None;
    let fixture = Fixture::new([foo.into(), deployment.into()]).await;
    let error = fixture.run().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "Resource \"test-deployment\" already exists and is not managed by Foo"
    );
    assert_eq!(fixture.actions(), [""; 0]);
}

#[tokio::test]
async fn the_controller_runs_on_its_informers() {
    let Fixture {
        tracker,
        factory,
        controller,
    } = Fixture::new([foo(1).into()]).await;
    let controller = Controller::builder("sample-controller", &factory)
        .for_::<Foo>()
        .owns::<Deployment>()
        .build(controller)
        .unwrap();
    let stop = CancellationToken::new();
    let task = tokio::spawn({
        let stop = stop.clone();
        async move { controller.run(&stop, None).await }
    });
    let becomes = async |replicas| {
        for _ in 0..500 {
            let deployment: Option<Deployment> = tracker.get("default", "test-deployment");
            if deployment.is_some_and(|it| it.spec.replicas == Some(replicas)) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("never {replicas} replicas");
    };
    becomes(1).await;
    tracker.add(foo(3)).unwrap();
    becomes(3).await;
    // A user's change is reverted.
    let mut scaled: Deployment = tracker.get("default", "test-deployment").unwrap();
    scaled.spec.replicas = Some(9);
    tracker.add(scaled).unwrap();
    becomes(3).await;
    stop.cancel();
    task.await.unwrap().unwrap();
    factory.shutdown().await;
}
