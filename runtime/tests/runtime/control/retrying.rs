use std::error::Error;

use codegen_runtime::controller::{Action, Request, reconcile_fn};
use codegen_runtime::retry::{self, DEFAULT_BACKOFF, DEFAULT_RETRY};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::PostParams;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::control::rig::Rig;
use crate::control::server::{Server, refusal};
use crate::control::{ms, secs};
use crate::transport::logs::Log;

fn is_one(error: &u32) -> bool {
    *error == 1
}

/// Retries with results from `script`; asserts the result and the number of tries.
async fn check(script: &[Result<(), u32>], expected: Result<(), u32>, tries: usize) {
    let mut n = 0;
    let result = retry::on_error(DEFAULT_RETRY, is_one, || {
        let result = script.get(n).copied().unwrap_or(Err(1));
        n += 1;
        async move { result }
    })
    .await;
    assert_eq!((result, n), (expected, tries));
}

#[tokio::test(start_paused = true)]
async fn retriable_errors_are_retried_five_times_in_all() {
    check(&[Ok(())], Ok(()), 1).await;
    check(&[Err(1), Err(1), Ok(())], Ok(()), 3).await;
    check(&[Err(1), Err(2), Ok(())], Err(2), 2).await;
    check(&[], Err(1), 5).await;
}

#[test]
fn pauses_grow_by_the_factor_up_to_the_cap_with_jitter() {
    let near = |pauses: Vec<_>, expected: &[u64]| {
        assert_eq!(pauses.len(), expected.len());
        for (pause, expected) in pauses.iter().zip(expected) {
            assert!(
                *pause >= ms(*expected) && *pause <= ms(expected + expected / 10),
                "{pause:?} {expected}"
            );
        }
    };
    near(DEFAULT_RETRY.pauses().collect(), &[10, 10, 10, 10]);
    near(DEFAULT_BACKOFF.pauses().collect(), &[10, 50, 250]);
    let capped = DEFAULT_BACKOFF.steps(6).cap(ms(100));
    near(capped.pauses().collect(), &[10, 50, 100, 100, 100]);
    assert_eq!(DEFAULT_RETRY.steps(0).pauses().count(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_retried_on_what_is_there_now() -> Result<(), Box<dyn Error>> {
    let server = Server::new();
    server.put("configmaps/default/counter", json!({"data": {"n": "0"}}));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let count = |api: Api<ConfigMap>| async move {
        retry::on_conflict(DEFAULT_RETRY, || async {
            let mut map = api.get("counter").await?;
            tokio::task::yield_now().await;
            let data = map.data.get_or_insert_default();
            let n: u32 = data["n"].parse().unwrap_or(0);
            data.insert("n".to_owned(), (n + 1).to_string());
            api.replace("counter", &PostParams::default(), &map).await
        })
        .await
    };
    let (a, b, c) = tokio::join!(count(api.clone()), count(api.clone()), count(api.clone()));
    for result in [a, b, c] {
        result?;
    }
    assert_eq!(
        server.get("configmaps/default/counter").ok_or("gone")?["data"]["n"],
        "3"
    );
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn other_errors_are_not_retried_as_conflicts() {
    let server = Server::new();
    server.on_call(|_| Some(refusal(409, "AlreadyExists")));
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let start = Instant::now();
    let result = retry::on_conflict(DEFAULT_RETRY, || api.get("x")).await;
    assert!(result.is_err() && start.elapsed() < secs(1));
    assert_eq!(start.elapsed(), ms(0));
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Api(#[from] kube::Error),
}

#[tokio::test(start_paused = true)]
async fn a_conflict_is_one_short_line_at_debug_and_is_retried() {
    let (log, _guard) = Log::capture();
    let rig = Rig::new();
    rig.put("a");
    let mut tries = 0;
    rig.server.on_call(move |call| {
        tries += u32::from(call.verb == "update");
        (call.verb == "update" && tries == 1).then_some(refusal(409, "Conflict"))
    });
    let api = Api::<ConfigMap>::namespaced(rig.server.client_of("me"), "default");
    let done = rig.log();
    let reconcile = reconcile_fn(move |request: Request| {
        let (api, done) = (api.clone(), done.clone());
        async move {
            let map = api.get(request.key.name()).await?;
            api.replace(request.key.name(), &PostParams::default(), &map)
                .await?;
            done("written");
            Ok::<_, Failure>(Action::done())
        }
    });
    let _task = rig.run(rig.builder().for_::<ConfigMap>().build(reconcile).unwrap());
    sleep(secs(5)).await;
    assert!(rig.names().contains(&"written".to_owned()));
    let lines = log.lines("conflict with another write");
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("DEBUG"), "{lines:?}");
    assert!(
        lines[0].contains("scripted: Conflict (409 Conflict)"),
        "{lines:?}"
    );
    assert!(!lines[0].contains('{') && lines[0].len() < 300, "{lines:?}");
    assert_eq!(log.lines("reconciler error"), [""; 0]);
}
