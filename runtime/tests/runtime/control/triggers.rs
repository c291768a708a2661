//! Keys from outside a controller.

use std::time::Duration;

use codegen_runtime::controller::{Action, Request, Trigger, reconcile_fn};
use codegen_runtime::store::ObjectKey;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::sleep;

use crate::control::rig::Rig;
use crate::control::secs;

fn key(name: &str) -> ObjectKey {
    ObjectKey::new(Some("default"), name)
}

#[tokio::test(start_paused = true)]
async fn a_trigger_reconciles_once_for_many_reasons_and_only_while_the_controller_runs() {
    let rig = Rig::new();
    let trigger = Trigger::new();
    let log = rig.log();
    let reconcile = reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    let builder = rig.builder().for_::<ConfigMap>().triggered_by(&trigger);
    let controller = builder.build(reconcile).unwrap();
    trigger.add(key("early"));
    let task = rig.run(controller);
    sleep(Duration::from_millis(500)).await;
    assert_eq!(rig.names(), [""; 0]);

    trigger.add(key("now"));
    for millis in [1700, 1500, 1600] {
        trigger.add_after(key("later"), Duration::from_millis(millis));
    }
    sleep(secs(4)).await;
    let expected = [(0, "now"), (2, "later")].map(|(at, name)| (at, name.to_owned()));
    assert_eq!(rig.take(), expected);

    rig.stop.cancel();
    task.await.unwrap().unwrap();
    trigger.add(key("late"));
    sleep(secs(1)).await;
    assert_eq!(rig.names(), [""; 0]);
}
