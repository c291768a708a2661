use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codegen_runtime::controller::{Action, Controller, Request, reconcile_fn};
use codegen_runtime::leader::LeaderElectionConfig;
use codegen_runtime::manager::{
    Manager, ManagerBuildError, ManagerBuilder, ManagerError, RunContext, Runnable, runnable_fn,
};
use http::Request as HttpRequest;
use http_body_util::BodyExt;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::control::rig::Rig;
use crate::control::{secs, settle};

/// Logs its start and its end, `stops_in` seconds after it is asked to stop.
struct Task {
    name: &'static str,
    leader: bool,
    stops_in: u64,
    fails_in: Option<u64>,
    log: Box<dyn Fn(&str) + Send + Sync>,
}

fn task(rig: &Rig, name: &'static str, leader: bool, stops_in: u64) -> Task {
    Task {
        name,
        leader,
        stops_in,
        fails_in: None,
        log: Box::new(rig.log()),
    }
}

impl Runnable for Task {
    fn name(&self) -> &str {
        self.name
    }

    fn needs_leader_election(&self) -> bool {
        self.leader
    }

    async fn run(&self, context: RunContext) -> Result<(), Box<dyn Error + Send + Sync>> {
        (self.log)(&format!("{} starts", self.name));
        if let Some(seconds) = self.fails_in {
            sleep(secs(seconds)).await;
            return Err("broken".into());
        }
        context.stop.cancelled().await;
        sleep(secs(self.stops_in)).await;
        (self.log)(&format!("{} ends", self.name));
        Ok(())
    }
}

fn controller(rig: &Rig) -> Controller {
    let log = rig.log();
    let reconciler = reconcile_fn(move |request: Request| {
        log(request.key.name());
        std::future::ready(Ok::<_, String>(Action::done()))
    });
    Controller::builder("maps", &rig.factory)
        .for_::<ConfigMap>()
        .build(reconciler)
        .unwrap()
}

fn elected(rig: &Rig, builder: ManagerBuilder, identity: &str) -> ManagerBuilder {
    let config = LeaderElectionConfig::new("default", "lock", identity);
    builder.leader_election(rig.server.client_of(identity), config)
}

/// Runs `manager`, and stops it after `stop` seconds.
async fn run_for(manager: Manager, stop: u64) -> (Result<(), ManagerError>, u64) {
    let (shutdown, start) = (CancellationToken::new(), Instant::now());
    let end = async {
        sleep(secs(stop)).await;
        shutdown.cancel();
    };
    let result = tokio::select! {
        biased;
        result = manager.run(&shutdown) => result,
        () = async { end.await; std::future::pending().await } => unreachable!(),
    };
    (result, start.elapsed().as_secs())
}

#[tokio::test(start_paused = true)]
async fn the_leaders_work_stops_first_then_the_lease_then_the_others() {
    let rig = Rig::new();
    rig.put("a");
    let log = rig.log();
    rig.server.on_call(move |call| {
        if call.body["spec"]["holderIdentity"] == "" {
            log("released");
        }
        None
    });
    let builder = Manager::builder(&rig.factory).controller(controller(&rig));
    let builder = builder
        .runnable(task(&rig, "leader", true, 4))
        .runnable(task(&rig, "other", false, 2));
    let manager = elected(&rig, builder, "me").build().unwrap();
    let (result, took) = run_for(manager, 10).await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(took, 16);
    let expected = [
        "other starts",
        "leader starts",
        "a",
        "leader ends",
        "released",
        "other ends",
    ];
    assert_eq!(rig.names(), expected);
}

#[tokio::test(start_paused = true)]
async fn work_that_does_not_stop_within_the_graceful_timeout_is_dropped_and_the_lease_released() {
    for with_election in [true, false] {
        let rig = Rig::new();
        let builder = Manager::builder(&rig.factory)
            .runnable(task(&rig, "slow", true, 1000))
            .graceful_timeout(secs(5));
        let builder = if with_election {
            elected(&rig, builder, "me")
        } else {
            builder
        };
        let (result, took) = run_for(builder.build().unwrap(), 10).await;
        assert!(
            matches!(result, Err(ManagerError::GracefulTimeout)),
            "{result:?}"
        );
        assert_eq!(took, 15);
        if with_election {
            assert_eq!(
                rig.server.get("leases/default/lock").unwrap()["spec"]["holderIdentity"],
                ""
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn lost_leadership_stops_the_work_before_anything_else_and_ends_the_manager() {
    let rig = Rig::new();
    let builder = Manager::builder(&rig.factory).runnable(task(&rig, "leader", true, 1));
    let builder = builder.runnable(task(&rig, "other", false, 0));
    let manager = elected(&rig, builder, "me").build().unwrap();
    let run = tokio::spawn(async move { manager.run(&CancellationToken::new()).await });
    sleep(secs(3)).await;
    rig.server.cut_off("me");
    let result = run.await.unwrap();
    assert!(
        matches!(result, Err(ManagerError::LeadershipLost { .. })),
        "{result:?}"
    );
    assert_eq!(
        rig.names(),
        ["other starts", "leader starts", "other ends"],
        "the leader's end was not waited for"
    );
}

#[tokio::test(start_paused = true)]
async fn of_two_managers_one_works_and_the_other_takes_over() {
    let rig = Rig::new();
    rig.put("a");
    let (first_stop, second_stop) = (CancellationToken::new(), CancellationToken::new());
    let mut runs = Vec::new();
    for (identity, stop) in [("one", &first_stop), ("two", &second_stop)] {
        // Each process has its own informers.
        let factory = codegen_runtime::informer::SharedInformerFactory::builder(
            rig.server.client_of(identity),
        )
        .build();
        let log = rig.log();
        let reconciler = reconcile_fn(move |request: Request| {
            log(&format!("{identity} {}", request.key.name()));
            std::future::ready(Ok::<_, String>(Action::done()))
        });
        let controller = Controller::builder("maps", &factory)
            .for_::<ConfigMap>()
            .build(reconciler)
            .unwrap();
        let manager = elected(
            &rig,
            Manager::builder(&factory).controller(controller),
            identity,
        )
        .build()
        .unwrap();
        let stop = stop.clone();
        runs.push(tokio::spawn(async move { manager.run(&stop).await }));
        sleep(secs(1)).await;
    }
    rig.put("b");
    sleep(secs(5)).await;
    first_stop.cancel();
    sleep(secs(1)).await;
    rig.put("c");
    sleep(secs(1)).await;
    second_stop.cancel();
    for run in runs {
        assert!(run.await.unwrap().is_ok());
    }
    assert_eq!(rig.names(), ["one a", "one b", "two a", "two b", "two c"]);
}

#[tokio::test(start_paused = true)]
async fn a_runnable_that_fails_stops_the_rest_in_order() {
    for leader in [true, false] {
        let rig = Rig::new();
        let mut broken = task(&rig, "broken", leader, 0);
        broken.fails_in = Some(5);
        let builder = Manager::builder(&rig.factory).runnable(broken);
        let builder = builder
            .runnable(task(&rig, "leader", true, 1))
            .runnable(task(&rig, "other", false, 1));
        let manager = elected(&rig, builder, "me").build().unwrap();
        let error = manager.run(&CancellationToken::new()).await.unwrap_err();
        assert_eq!(error.to_string(), "broken: broken");
        let names = rig.names();
        let ends: Vec<_> = names.iter().filter(|what| what.ends_with("ends")).collect();
        assert!(
            ends.contains(&&"leader ends".to_owned()) && ends.contains(&&"other ends".to_owned()),
            "{names:?}"
        );
        assert_eq!(
            rig.server.get("leases/default/lock").unwrap()["spec"]["holderIdentity"],
            ""
        );
    }
}

#[tokio::test(start_paused = true)]
async fn only_selected_controllers_run() {
    let rig = Rig::new();
    let log = rig.log();
    let closure = runnable_fn("closure", false, move |_| {
        log("closure runs");
        std::future::ready(Ok(()))
    });
    let builder = Manager::builder(&rig.factory)
        .controller(controller(&rig))
        .runnable(task(&rig, "foo", true, 0))
        .off_by_default(task(&rig, "bar", true, 0))
        .runnable(closure)
        .select("*,-foo,bar".parse().unwrap());
    run_for(builder.build().unwrap(), 1).await.0.unwrap();
    assert_eq!(rig.names(), ["closure runs", "bar starts", "bar ends"]);

    let builder = Manager::builder(&rig.factory)
        .controller(controller(&rig))
        .select("*,-mapz".parse().unwrap());
    assert!(matches!(
        builder.build(),
        Err(ManagerBuildError::Selection(_))
    ));
    let builder = Manager::builder(&rig.factory)
        .controller(controller(&rig))
        .controller(controller(&rig));
    assert_eq!(
        builder.build().unwrap_err(),
        ManagerBuildError::SameName("maps".to_owned())
    );
}

async fn get(manager: &codegen_runtime::manager::Endpoints, path: &str) -> (u16, String) {
    let response = manager.respond(&HttpRequest::get(path).body(()).unwrap());
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn the_endpoints_tell_health_readiness_and_metrics() {
    let rig = Rig::new();
    let well = Arc::new(AtomicBool::new(true));
    let check = Arc::clone(&well);
    let builder = Manager::builder(&rig.factory).controller(controller(&rig));
    let builder = elected(&rig, builder, "me")
        .healthz("disk", move || {
            check
                .load(Ordering::SeqCst)
                .then_some(())
                .ok_or("full".to_owned())
        })
        .readyz("warm", || Ok(()));
    let manager = builder.build().unwrap();
    let endpoints = manager.endpoints().clone();
    assert_eq!(get(&endpoints, "/healthz").await, (200, "ok".to_owned()));
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    sleep(secs(1)).await;
    assert_eq!(get(&endpoints, "/readyz").await, (200, "ok".to_owned()));
    let lines = "[+]disk ok\n[+]leaderElection ok\n[+]ping ok\nhealthz check passed\n";
    assert_eq!(
        get(&endpoints, "/healthz?verbose").await,
        (200, lines.to_owned())
    );
    well.store(false, Ordering::SeqCst);
    let (status, text) = get(&endpoints, "/healthz").await;
    assert_eq!((status, text.contains("[-]disk failed: full")), (500, true));
    assert_eq!(get(&endpoints, "/healthz/ping").await.0, 200);
    assert_eq!(get(&endpoints, "/healthz/").await.0, 500);
    let (status, text) = get(&endpoints, "/healthz?exclude=disk&verbose").await;
    assert_eq!(status, 200);
    assert!(text.starts_with("[+]disk excluded: ok\n"), "{text}");
    assert_eq!(get(&endpoints, "/healthz/nothing").await.0, 404);
    assert_eq!(get(&endpoints, "/elsewhere").await.0, 404);
    let (status, text) = get(&endpoints, "/metrics").await;
    assert_eq!(status, 200);
    for series in [
        "leader_election_master_status{name=\"lock\"} 1",
        "controller_runtime_active_workers{controller=\"maps\"} 0",
        "workqueue_depth{controller=\"maps\",name=\"maps\"} 0",
        "reflector_lists_total{name=\"configmaps\",group=\"\",version=\"v1\",resource=\"configmaps\"} 1",
    ] {
        assert!(text.contains(series), "{series} is not in\n{text}");
    }
    let post = endpoints.respond(&HttpRequest::post("/healthz").body(()).unwrap());
    assert_eq!(post.status().as_u16(), 405);
    shutdown.cancel();
    run.await.unwrap().unwrap();
    assert!(
        get(&endpoints, "/readyz")
            .await
            .1
            .contains("[-]manager failed: shutting down")
    );
}

#[tokio::test]
async fn the_endpoints_are_served_over_http() {
    let rig = Rig::new();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let builder = Manager::builder(&rig.factory)
        .runnable(task(&rig, "idle", true, 0))
        .serve_health(listener);
    let (manager, shutdown) = (builder.build().unwrap(), CancellationToken::new());
    let stop = shutdown.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    settle().await;
    let mut answers = Vec::new();
    for path in ["/livez", "/metrics"] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answers.push(answer);
    }
    assert!(
        answers[0].starts_with("HTTP/1.1 200 OK") && answers[0].ends_with("ok"),
        "{}",
        answers[0]
    );
    assert!(
        answers[1].starts_with("HTTP/1.1 404"),
        "metrics are served elsewhere: {}",
        answers[1]
    );
    shutdown.cancel();
    run.await.unwrap().unwrap();
    // A program that another test starts holds a copy of every open socket between fork and exec:
    // the port may outlive the manager for that moment, though it does not answer.
    let closed = async {
        while let Ok(mut stream) = TcpStream::connect(address).await {
            let _ = stream
                .write_all(b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
                .await;
            let mut answer = [0; 1];
            let read = timeout(
                std::time::Duration::from_millis(20),
                stream.read(&mut answer),
            );
            assert!(
                !matches!(read.await, Ok(Ok(1..))),
                "the endpoints are served"
            );
            sleep(std::time::Duration::from_millis(5)).await;
        }
    };
    timeout(secs(60), closed).await.unwrap();
}

#[tokio::test]
async fn sigterm_stops_a_manager_in_order_and_releases_the_lease() {
    let rig = Rig::new();
    let log = rig.log();
    rig.server.on_call(move |call| {
        if call.body["spec"]["holderIdentity"] == "" {
            log("released");
        }
        None
    });
    let builder = Manager::builder(&rig.factory).runnable(task(&rig, "leader", true, 0));
    let manager = elected(&rig, builder, "me").build().unwrap();
    let elector = manager.elector().unwrap().clone();
    let shutdown = codegen_runtime::manager::shutdown_signal().unwrap();
    let stop = shutdown.clone();
    let run = tokio::spawn(async move { manager.run(&stop).await });
    while !elector.is_leader() {
        sleep(std::time::Duration::from_millis(5)).await;
    }
    let id = std::process::id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-TERM", &id])
        .status();
    assert!(sent.unwrap().success());
    run.await.unwrap().unwrap();
    assert!(shutdown.is_cancelled());
    assert_eq!(rig.names(), ["leader starts", "leader ends", "released"]);
}
