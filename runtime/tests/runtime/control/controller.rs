use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use codegen_runtime::controller::{
    Action, Controller, ControllerError, ErrorPolicy, Reconciler, Request, reconcile_fn,
};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::store::ObjectKey;
use codegen_runtime::workqueue::RateLimiter;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio::time::sleep;

use crate::control::rig::Rig;
use crate::control::{ms, secs};

/// Returns a reconciler that logs each key, and returns the next result of `script` at each call.
fn scripted(
    rig: &Rig,
    script: impl Fn(u32) -> Result<Action, Failure> + Send + Sync + 'static,
) -> Scripted {
    Scripted {
        log: Box::new(rig.log()),
        calls: AtomicU32::new(0),
        script: Box::new(script),
    }
}

struct Scripted {
    log: Box<dyn Fn(&str) + Send + Sync>,
    calls: AtomicU32,
    script: Box<dyn Fn(u32) -> Result<Action, Failure> + Send + Sync>,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("try again")]
    Again,
    #[error("not now")]
    NotNow(Duration),
    #[error("never")]
    Never,
    #[error("hang")]
    Hang,
    #[error(transparent)]
    Api(kube::Error),
    #[error("cannot write")]
    Write(#[source] kube::Error),
}

impl Reconciler for Scripted {
    type Error = Failure;

    async fn reconcile(&self, request: Request) -> Result<Action, Failure> {
        (self.log)(request.key.as_str());
        let result = (self.script)(self.calls.fetch_add(1, Ordering::SeqCst));
        if matches!(result, Err(Failure::Hang)) {
            std::future::pending::<()>().await;
        }
        result
    }

    fn error_policy(&self, _: &Request, error: &Failure) -> ErrorPolicy {
        match error {
            Failure::Again | Failure::Hang | Failure::Api(_) | Failure::Write(_) => {
                ErrorPolicy::Retry
            }
            Failure::NotNow(after) => ErrorPolicy::RetryAfter(*after),
            Failure::Never => ErrorPolicy::Terminal,
        }
    }
}

/// Runs a controller over one object for `run` seconds, and asserts the seconds of its calls.
async fn check(
    run: u64,
    script: impl Fn(u32) -> Result<Action, Failure> + Send + Sync + 'static,
    expected: &[u64],
) -> Rig {
    let rig = Rig::new();
    rig.put("a");
    let reconciler = scripted(&rig, script);
    let task = rig.run(
        rig.builder()
            .for_::<ConfigMap>()
            .reconcile_timeout(secs(5))
            .build(reconciler)
            .unwrap(),
    );
    sleep(secs(run) + ms(500)).await;
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    assert_eq!(
        rig.take().into_iter().map(|(at, _)| at).collect::<Vec<_>>(),
        expected
    );
    rig
}

#[tokio::test(start_paused = true)]
async fn what_exists_is_reconciled_and_then_what_changes() {
    let rig = Rig::new();
    rig.put("a");
    let task = rig.run(
        rig.builder()
            .for_::<ConfigMap>()
            .build(scripted(&rig, |_| Ok(Action::done())))
            .unwrap(),
    );
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["default/a"]);
    rig.put("b");
    sleep(secs(1)).await;
    rig.put("a");
    sleep(secs(1)).await;
    rig.server.remove("configmaps/default/b");
    sleep(secs(1)).await;
    assert_eq!(rig.names(), ["default/b", "default/a", "default/b"]);
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn back_off_grows_with_each_failure_and_is_reset_by_success() {
    let script = |call| {
        if call == 3 {
            Ok(Action::requeue_after(secs(10)))
        } else {
            Err(Failure::Again)
        }
    };
    let rig = check(25, script, &[0, 1, 3, 7, 17, 18, 20, 24]).await;
    assert_eq!(
        rig.metric("controller_runtime_reconcile_errors_total{controller=\"test\"}"),
        7.0
    );
    assert_eq!(
        rig.metric(
            "controller_runtime_reconcile_total{controller=\"test\",result=\"requeue_after\"}"
        ),
        1.0
    );
    assert_eq!(
        rig.metric("workqueue_retries_total{controller=\"test\",name=\"test\"}"),
        7.0
    );
}

#[tokio::test(start_paused = true)]
async fn requeue_backs_off_like_a_failure_and_counts_as_none() {
    let rig = check(10, |_| Ok(Action::requeue()), &[0, 1, 3, 7]).await;
    assert_eq!(
        rig.metric("controller_runtime_reconcile_errors_total{controller=\"test\"}"),
        0.0
    );
    assert_eq!(
        rig.metric("controller_runtime_reconcile_total{controller=\"test\",result=\"requeue\"}"),
        4.0
    );
}

#[tokio::test(start_paused = true)]
async fn requeue_after_comes_again_at_that_time() {
    check(45, |_| Ok(Action::requeue_after(secs(20))), &[0, 20, 40]).await;
}

#[tokio::test(start_paused = true)]
async fn terminal_errors_are_not_retried() {
    let rig = check(100, |_| Err(Failure::Never), &[0]).await;
    assert_eq!(
        rig.metric("controller_runtime_terminal_reconcile_errors_total{controller=\"test\"}"),
        1.0
    );
    assert_eq!(
        rig.metric("controller_runtime_reconcile_total{controller=\"test\",result=\"error\"}"),
        1.0
    );
}

#[tokio::test(start_paused = true)]
async fn an_error_may_say_when_to_try_again() {
    check(20, |_| Err(Failure::NotNow(secs(9))), &[0, 9, 18]).await;
}

/// Returns the error of a server that asks to wait.
fn busy(seconds: u32) -> kube::Error {
    let details = json!({"retryAfterSeconds": seconds});
    let busy = json!({"status": "Failure", "code": 429, "message": "busy", "details": details});
    kube::Error::Api(serde_json::from_value(busy).unwrap())
}

/// client-go's client waits for as long as `Retry-After` says before it sends the request again, so
/// that the error of a reconciler never brings the next request earlier.
#[tokio::test(start_paused = true)]
async fn a_retry_after_of_the_api_server_is_kept_and_the_back_off_grows() {
    let calls = [0, 5, 10, 15, 23];
    check(24, move |_| Err(Failure::Api(busy(5))), &calls).await;
    check(24, move |_| Err(Failure::Write(busy(5))), &calls).await;
    check(8, move |_| Err(Failure::Api(busy(0))), &[0, 1, 3, 7]).await;
}

/// A resync brings no news, so that it is no reason to ask a busy server again.
#[tokio::test(start_paused = true)]
async fn a_resync_waits_until_the_retry_after_of_the_api_server_has_ended() {
    let rig = Rig::new();
    rig.put("cm");
    let client = rig.server.client_of("resyncing");
    let factory = SharedInformerFactory::builder(client)
        .resync(secs(2))
        .build();
    let script = |call| match call {
        0 => Err(Failure::Api(busy(7))),
        _ => Ok(Action::done()),
    };
    let builder = Controller::builder("test", &factory).for_::<ConfigMap>();
    let controller = builder.build(scripted(&rig, script)).unwrap();
    factory.start(&rig.stop);
    rig.run(controller);
    sleep(ms(11_500)).await;
    let calls: Vec<_> = rig.take().into_iter().map(|(second, _)| second).collect();
    assert_eq!(calls, [0, 7, 8, 10]);
}

/// Panics at each failure.
#[derive(Debug)]
struct NoLimiter;

impl RateLimiter<ObjectKey> for NoLimiter {
    fn when(&self, _: &ObjectKey) -> Duration {
        panic!("on purpose")
    }

    fn forget(&self, _: &ObjectKey) {}

    fn num_requeues(&self, _: &ObjectKey) -> u32 {
        0
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_of_a_worker_outside_of_the_reconciler_ends_the_controller() {
    let rig = Rig::new();
    rig.put("a");
    let builder = rig.builder().rate_limiter(NoLimiter).for_::<ConfigMap>();
    let reconciler = scripted(&rig, |_| Err(Failure::Again));
    let controller = builder.max_concurrent_reconciles(3).build(reconciler);
    let running = rig.run(controller.unwrap());
    let ended = tokio::time::timeout(secs(5), running).await;
    let expected = ControllerError::Worker("test".to_owned());
    assert_eq!(ended.unwrap().unwrap(), Err(expected));
}

#[tokio::test(start_paused = true)]
async fn panics_are_caught_counted_and_retried() {
    let script = |call| {
        if call < 2 {
            panic!("on purpose")
        } else {
            Ok(Action::done())
        }
    };
    let rig = check(10, script, &[0, 1, 3]).await;
    assert_eq!(
        rig.metric("controller_runtime_reconcile_panics_total{controller=\"test\"}"),
        2.0
    );
    assert_eq!(
        rig.metric("controller_runtime_reconcile_errors_total{controller=\"test\"}"),
        2.0
    );
}

#[tokio::test(start_paused = true)]
async fn reconciliations_that_take_too_long_are_dropped_counted_and_retried() {
    let script = |call| {
        if call == 0 {
            Err(Failure::Hang)
        } else {
            Ok(Action::done())
        }
    };
    let rig = check(10, script, &[0, 6]).await;
    assert_eq!(
        rig.metric("controller_runtime_reconcile_timeouts_total{controller=\"test\"}"),
        1.0
    );
    assert_eq!(
        rig.metric("controller_runtime_reconcile_time_seconds_sum{controller=\"test\"}"),
        5.0
    );
}

#[tokio::test(start_paused = true)]
async fn a_key_is_never_reconciled_twice_at_a_time_and_n_workers_take_n_keys() {
    let rig = Rig::new();
    let (running, most) = (
        Arc::new(Mutex::new(Vec::<String>::new())),
        Arc::new(AtomicU32::new(0)),
    );
    let reconciler = reconcile_fn({
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        move |request: Request| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let key = request.key.to_string();
                let now = {
                    let mut running = running.lock().unwrap();
                    assert!(!running.contains(&key), "two at a time");
                    running.push(key.clone());
                    u32::try_from(running.len()).unwrap()
                };
                most.fetch_max(now, Ordering::SeqCst);
                sleep(ms(700)).await;
                running.lock().unwrap().retain(|other| *other != key);
                Ok::<_, String>(Action::done())
            }
        }
    });
    let task = rig.run(
        rig.builder()
            .for_::<ConfigMap>()
            .workers(3)
            .build(reconciler)
            .unwrap(),
    );
    for round in 0..30 {
        for name in ["a", "b", "c", "d", "e"] {
            rig.put(name);
        }
        sleep(ms(100 + round * 10)).await;
    }
    assert_eq!(
        rig.metric("controller_runtime_max_concurrent_reconciles{controller=\"test\"}"),
        3.0
    );
    assert_eq!(
        rig.metric("controller_runtime_active_workers{controller=\"test\"}"),
        3.0
    );
    sleep(secs(60)).await;
    assert_eq!(
        rig.metric("controller_runtime_active_workers{controller=\"test\"}"),
        0.0
    );
    rig.stop.cancel();
    assert_eq!(task.await.unwrap(), Ok(()));
    assert_eq!(most.load(Ordering::SeqCst), 3);
    assert_eq!(
        rig.metric("controller_runtime_reconcile_panics_total{controller=\"test\"}"),
        0.0
    );
}

#[tokio::test(start_paused = true)]
async fn changes_come_before_the_initial_list() {
    let rig = Rig::new();
    (0..5).for_each(|n| rig.put(&format!("old-{n}")));
    let log = rig.log();
    let reconciler = reconcile_fn(move |request: Request| {
        log(request.key.name());
        async {
            sleep(secs(1)).await;
            Ok::<_, String>(Action::done())
        }
    });
    let _task = rig.run(rig.builder().for_::<ConfigMap>().build(reconciler).unwrap());
    sleep(ms(1500)).await;
    rig.put("new");
    sleep(secs(10)).await;
    assert_eq!(
        rig.names(),
        ["old-0", "old-1", "new", "old-2", "old-3", "old-4"]
    );
}
