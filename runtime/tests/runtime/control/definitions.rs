//! A manager while the definition of a watched kind is gone.

use codegen_runtime::controller::{Action, Controller, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::{Endpoints, Manager};
use embedded_apiserver::ApiServer;
use http::Request;
use kube::api::{ApiResource, DynamicObject, PostParams};
use kube::core::GroupVersionKind;
use kube::discovery::Scope;
use kube::{Api, ResourceExt};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::control::secs;

fn definition() -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList" },
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            }],
        },
    })
}

fn status(endpoints: &Endpoints, path: &str) -> u16 {
    let request = Request::get(path).body(()).unwrap();
    endpoints.respond(&request).status().as_u16()
}

#[tokio::test(start_paused = true)]
async fn a_kind_whose_definition_goes_and_comes_back_leaves_the_process_ready() {
    let server = ApiServer::builder()
        .crd_values([definition()])
        .build()
        .unwrap();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let widget = ApiResource::from_gvk(&GroupVersionKind::gvk("example.com", "v1", "Widget"));
    let (seen, mut keys) = mpsc::unbounded_channel();
    let controller = Controller::builder("widgets", &factory)
        .for_dynamic(&widget, Scope::Namespaced)
        .build(reconcile_fn(
            move |request: codegen_runtime::controller::Request| {
                let seen = seen.clone();
                async move {
                    let _ = seen.send(request.key.name().to_owned());
                    Ok::<_, String>(Action::done())
                }
            },
        ))
        .unwrap();
    let manager = Manager::builder(&factory)
        .controller(controller)
        .build()
        .unwrap();
    let endpoints = manager.endpoints().clone();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let run = tokio::spawn(async move { manager.run(&stopped).await });
    sleep(secs(1)).await;
    assert_eq!(status(&endpoints, "/readyz"), 200);

    let definitions = Api::<DynamicObject>::all_with(
        server.client(),
        &ApiResource::from_gvk(&GroupVersionKind::gvk(
            "apiextensions.k8s.io",
            "v1",
            "CustomResourceDefinition",
        )),
    );
    drop(
        definitions
            .delete("widgets.example.com", &Default::default())
            .await
            .unwrap(),
    );
    // Longer than controllers wait for their first lists.
    for _ in 0..10 {
        sleep(secs(60)).await;
        assert_eq!(status(&endpoints, "/readyz"), 200);
        assert_eq!(status(&endpoints, "/healthz"), 200);
    }
    let back: DynamicObject = serde_json::from_value(definition()).unwrap();
    let post = PostParams::default();
    definitions.create(&post, &back).await.unwrap();
    let widgets = Api::<DynamicObject>::default_namespaced_with(server.client(), &widget);
    let object = DynamicObject::new("back", &widget);
    let created = widgets.create(&post, &object).await.unwrap();
    let key = timeout(secs(120), keys.recv()).await.unwrap();
    assert_eq!(key, Some(created.name_any()));
    stop.cancel();
    run.await.unwrap().unwrap();
}
