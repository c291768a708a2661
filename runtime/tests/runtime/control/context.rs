//! What a reconciler gets besides the key, and how its errors are handled.

use std::sync::Arc;

use codegen_runtime::controller::{
    Action, Context, Controller, ErrorPolicy, Reconciler, Request, kube_runtime, reconcile_with,
};
use codegen_runtime::event::{EventBroadcaster, EventRecorder, Reporter};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt;
use serde_json::json;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::{secs, settle};

fn recorder(rig: &Rig) -> EventRecorder {
    EventBroadcaster::new(rig.server.client()).recorder(Reporter::new("test", "test-0"))
}

#[tokio::test(start_paused = true)]
async fn a_context_has_listers_of_the_kinds_that_it_reads() {
    let rig = Rig::new();
    rig.put("map");
    rig.server.put("secrets/default/secret", json!({}));
    let context = Context::<ConfigMap>::new(&rig.factory, recorder(&rig)).reads::<Secret>();
    rig.factory.start(&rig.stop);
    rig.factory.wait_for_cache_sync().await.unwrap();
    let secrets = context.lister_of::<Secret>().unwrap();
    assert!(secrets.get("default/secret").is_ok());
    assert!(context.lister_of::<ConfigMap>().is_ok());
    let missing = context.lister_of::<Deployment>().unwrap_err();
    assert!(missing.to_string().contains("deployments.apps"));
}

#[tokio::test(start_paused = true)]
async fn an_error_policy_sees_request_and_context() {
    let rig = Rig::new();
    rig.put("map");
    let context = Context::<ConfigMap>::new(&rig.factory, recorder(&rig));
    let reconciler = reconcile_with(context, |_, _| async { Err("broken") });
    let log = rig.log();
    let reconciler = reconciler.error_policy(move |request, error, context| {
        let map = context.object(request).unwrap();
        log(&format!("{}: {error}", map.name_any()));
        ErrorPolicy::RetryAfter(secs(5))
    });
    let controller = rig.builder().for_::<ConfigMap>();
    let _task = rig.run(controller.build(reconciler).unwrap());
    sleep(secs(11)).await;
    let said = |at| (at, "map: broken".to_owned());
    assert_eq!(rig.take(), [said(0), said(5), said(10)]);
}

#[tokio::test(start_paused = true)]
async fn a_reconciler_of_kube_runtime_is_run_as_it_is() {
    let rig = Rig::new();
    for name in ["fails", "gives-up", "waits"] {
        rig.put(name);
    }
    type Log = Box<dyn Fn(&str) + Send + Sync>;
    async fn reconcile(
        map: Arc<ConfigMap>,
        log: Arc<Log>,
    ) -> Result<kube_runtime::Action, std::fmt::Error> {
        log(&map.name_any());
        match map.name_any().as_str() {
            "waits" => Ok(kube_runtime::Action::requeue(secs(4))),
            "done" => Ok(kube_runtime::Action::await_change()),
            _ => Err(std::fmt::Error),
        }
    }
    fn error_policy(
        map: Arc<ConfigMap>,
        _: &std::fmt::Error,
        log: Arc<Log>,
    ) -> kube_runtime::Action {
        log(&format!("error of {}", map.name_any()));
        match map.name_any().as_str() {
            "fails" => kube_runtime::Action::requeue(secs(3)),
            _ => kube_runtime::Action::await_change(),
        }
    }
    let log: Log = Box::new(rig.log());
    let lister = rig.factory.informer_for::<ConfigMap>().lister();
    let reconciler = kube_runtime::reconciler(lister, reconcile, error_policy, Arc::new(log));
    let gone = ConfigMap::default();
    let skipped = reconciler.reconcile(Request::of(&gone)).await;
    assert!(matches!(skipped, Ok(action) if action == Action::done()));
    let controller = rig.builder().for_::<ConfigMap>();
    let _task = rig.run(controller.build(reconciler).unwrap());
    sleep(secs(5)).await;
    let mut said = rig.take();
    said.sort();
    let expected = [
        (0, "error of fails"),
        (0, "error of gives-up"),
        (0, "fails"),
        (0, "gives-up"),
        (0, "waits"),
        (3, "error of fails"),
        (3, "fails"),
        (4, "waits"),
    ];
    let expected = expected.map(|(at, what)| (at, what.to_owned()));
    assert_eq!(said, expected);
}

#[tokio::test(start_paused = true)]
async fn contexts_of_several_controllers_share_one_cache_a_kind() {
    let rig = Rig::new();
    let one = Context::<ConfigMap>::new(&rig.factory, recorder(&rig)).reads::<Secret>();
    let other = Context::<Secret>::new(&rig.factory, recorder(&rig)).reads::<ConfigMap>();
    let _controller = Controller::builder("other", &rig.factory).for_::<Secret>();
    rig.factory.start(&CancellationToken::new());
    rig.factory.wait_for_cache_sync().await.unwrap();
    rig.put("map");
    settle().await;
    assert_eq!(rig.factory.stats().len(), 2);
    for lister in [one.lister().clone(), other.lister_of().unwrap()] {
        assert!(lister.get("default/map").is_ok());
    }
}
