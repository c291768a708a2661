//! Clients created by the runtime.

use std::collections::BTreeMap;
use std::time::Duration;

use codegen_runtime::connect::{ClientOptions, default_user_agent};
use codegen_runtime::error::chain;
use codegen_runtime::metrics::Metrics;
use futures::{FutureExt, StreamExt};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams, WatchParams};
use kube::{Client, Error};
use tokio::time::sleep;

use crate::transport::http_server::{HttpServer, cm, config, fail, ok, refusing, stream};
use crate::transport::{hold_the_clock, within};

fn maps(client: Client) -> Api<ConfigMap> {
    Api::namespaced(client, "default")
}

fn map() -> ConfigMap {
    serde_json::from_value(cm("a", 1)).unwrap()
}

/// Returns the value of `series` in `metrics`.
fn metric(metrics: &Metrics, series: &str) -> f64 {
    let text = metrics.encode().unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("no {series} in\n{text}"))
        .parse()
        .unwrap()
}

#[tokio::test]
async fn requests_carry_a_user_agent() {
    let server = HttpServer::start(|_| ok(&cm("a", 2))).await;
    let named = ClientOptions::new().user_agent("my-controller/1.2");
    let mut own = server.config();
    let value = http::HeaderValue::from_static("of the config");
    own.headers.push((http::header::USER_AGENT, value));
    for client in [
        ClientOptions::new().connect(server.config()),
        named.connect(server.config()),
        named.connect(own),
    ] {
        within(maps(client.unwrap()).get("a")).await.unwrap();
    }
    let seen = server.seen();
    let agents: Vec<&str> = seen
        .iter()
        .map(|seen| seen.headers["user-agent"].to_str().unwrap())
        .collect();
    assert_eq!(
        agents,
        [
            default_user_agent().as_str(),
            "my-controller/1.2",
            "of the config"
        ]
    );
    // The test binary's file name precedes the slash.
    assert!(agents[0].starts_with("runtime-"), "{}", agents[0]);
    assert!(agents[0].contains("codegen-runtime/"), "{}", agents[0]);
    let broken = ClientOptions::new().user_agent("a\nb");
    assert!(matches!(
        broken.connect(server.config()),
        Err(Error::HttpError(_))
    ));
}

#[tokio::test]
async fn the_hidden_retry_layer_is_left_out() {
    let server = HttpServer::start(|_| fail(503, "ServiceUnavailable", "starting")).await;
    let client = ClientOptions::new().connect(server.config()).unwrap();
    // kube's own Api, whose requests the retry layer could copy.
    let created = within(maps(client).create(&PostParams::default(), &map())).await;
    assert!(matches!(created, Err(Error::Api(status)) if status.code == 503));
    assert_eq!(server.seen().len(), 1);
}

#[tokio::test]
async fn an_answer_that_does_not_begin_in_time_is_an_error() {
    let server = HttpServer::start_async(|_| futures::future::pending().boxed()).await;
    let options = ClientOptions::new().response_timeout(Duration::from_millis(50));
    let client = options.connect(server.config()).unwrap();
    let error = within(maps(client).get("a")).await.unwrap_err();
    let text = chain(&error).to_string();
    assert!(
        text.contains("did not begin to answer within 0.05 s"),
        "{text}"
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_began_in_time_may_go_on() {
    let _clock = hold_the_clock();
    let (answer, watch) = stream();
    let answer = std::sync::Mutex::new(Some(answer));
    let server = HttpServer::start(move |_| answer.lock().unwrap().take().unwrap()).await;
    let limit = Duration::from_secs(5);
    let options = ClientOptions::new().response_timeout(limit);
    let client = options.connect(server.config()).unwrap();
    let maps = maps(client);
    let params = WatchParams::default();
    let mut events = within(maps.watch(&params, "0")).await.unwrap().boxed();
    tokio::time::advance(limit * 2).await;
    watch.event("ADDED", &cm("a", 1));
    assert!(within(events.next()).await.unwrap().is_ok());
}

#[tokio::test]
async fn a_refused_connection_says_so() {
    let (_socket, address) = refusing();
    let client = ClientOptions::new().connect(config(address)).unwrap();
    let error = within(maps(client).get("a")).await.unwrap_err();
    let text = chain(&error).to_string();
    assert!(text.contains("onnection refused"), "{text}");
}

#[tokio::test]
async fn requests_are_measured_as_client_go_measures_them() {
    let server = HttpServer::start(|seen| match seen.method.as_str() {
        "GET" if seen.is_watch() => stream().0,
        "GET" => ok(&cm("a", 2)),
        _ => fail(409, "AlreadyExists", "it is there"),
    })
    .await;
    let metrics = Metrics::new();
    let options = ClientOptions::new().metrics(&metrics);
    let maps = maps(options.connect(server.config()).unwrap());
    let length = cm("a", 2).to_string().len() as f64;
    for _ in 0..2 {
        within(maps.get("a")).await.unwrap();
    }
    let created = within(maps.create(&PostParams::default(), &map())).await;
    created.unwrap_err();
    let mut watch = within(maps.watch(&WatchParams::default(), "0"))
        .await
        .unwrap()
        .boxed();
    within(async { while watch.next().await.is_some() {} }).await;

    let host = format!("host=\"{}\"", server.address());
    let total = |code: &str, method: &str| {
        let labels = format!("{{code=\"{code}\",method=\"{method}\",{host}}}");
        metric(&metrics, &format!("rest_client_requests_total{labels}"))
    };
    assert_eq!((total("200", "GET"), total("409", "POST")), (3.0, 1.0));
    let of = |name: &str, verb: &str| {
        metric(
            &metrics,
            &format!("rest_client_{name}{{verb=\"{verb}\",{host}}}"),
        )
    };
    assert_eq!(of("request_duration_seconds_count", "GET"), 3.0);
    assert_eq!(of("request_duration_seconds_count", "POST"), 1.0);
    assert_eq!(of("response_size_bytes_count", "GET"), 2.0, "no watches");
    assert_eq!(of("response_size_bytes_sum", "GET"), 2.0 * length);
    let sent = serde_json::to_vec(&map()).unwrap().len() as f64;
    assert_eq!(of("request_size_bytes_sum", "POST"), sent);
}

#[tokio::test]
async fn requests_without_an_answer_are_counted_as_errors() {
    let server = HttpServer::start_async(|_| futures::future::pending().boxed()).await;
    let metrics = Metrics::new();
    let connect = |options: ClientOptions| options.connect(server.config()).unwrap();
    let hasty = ClientOptions::new().response_timeout(Duration::from_millis(50));
    let hasty = maps(connect(hasty.metrics(&metrics)));
    within(hasty.get("a")).await.unwrap_err();
    // Cancelled by the caller.
    let patient = maps(connect(ClientOptions::new().metrics(&metrics)));
    let given_up = tokio::time::timeout(Duration::from_millis(5), patient.get("a")).await;
    given_up.unwrap_err();
    let labels = format!(
        "{{code=\"<error>\",method=\"GET\",host=\"{}\"}}",
        server.address()
    );
    let series = format!("rest_client_requests_total{labels}");
    assert_eq!(metric(&metrics, &series), 2.0);
}

#[tokio::test]
async fn the_process_is_measured_as_prometheus_clients_do() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        return;
    }
    let metrics = Metrics::new();
    for series in [
        "process_cpu_seconds_total",
        "process_open_fds",
        "process_max_fds",
        "process_virtual_memory_bytes",
        "process_virtual_memory_max_bytes",
        "process_resident_memory_bytes",
        "process_start_time_seconds",
        "process_network_receive_bytes_total",
        "process_network_transmit_bytes_total",
    ] {
        assert!(metric(&metrics, series) >= 0.0, "{series}");
    }
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let age = now.unwrap().as_secs_f64() - metric(&metrics, "process_start_time_seconds");
    assert!((-2.0..3600.0).contains(&age), "{age}");
    let resident = metric(&metrics, "process_resident_memory_bytes");
    let virtual_memory = metric(&metrics, "process_virtual_memory_bytes");
    assert!(
        resident > 1e6 && resident < virtual_memory,
        "{resident} of {virtual_memory}"
    );
    assert!(metric(&metrics, "process_open_fds") >= 3.0);
}

/// Returns the keep-alive timers of this machine's connections to `port`, in hundredths of a
/// second.
///
/// The kernel writes the table in pieces. If other tests connect meanwhile, a connection may stand
/// in two of them, or in none.
fn keep_alive_timers(port: u16) -> Vec<u64> {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let lines = table.lines().skip(1);
    let fields = lines.map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    let ours = fields.filter(|fields| fields[2].ends_with(&format!(":{port:04X}")));
    // Timer 2 is keep-alive's.
    let timers: BTreeMap<&str, u64> = ours
        .filter_map(|fields| Some((fields[1], fields[5].strip_prefix("02:")?)))
        .map(|(local, when)| (local, u64::from_str_radix(when, 16).unwrap()))
        .collect();
    timers.into_values().collect()
}

#[tokio::test]
async fn connections_are_kept_alive() {
    if !std::path::Path::new("/proc/net/tcp").exists() {
        return;
    }
    let server = HttpServer::start(|_| ok(&cm("a", 2))).await;
    let port = server.address().port();
    let kubes = maps(server.kube_client());
    within(kubes.get("a")).await.unwrap();
    assert_eq!(keep_alive_timers(port), [0; 0], "kube does not");
    let options =
        ClientOptions::new().keep_alive(Duration::from_secs(1_000), Duration::from_secs(10));
    let ours = maps(options.connect(server.config()).unwrap());
    within(ours.get("a")).await.unwrap();
    let found = async {
        loop {
            match keep_alive_timers(port) {
                timers if timers.is_empty() => sleep(Duration::from_millis(10)).await,
                timers => return timers,
            }
        }
    };
    let timers = within(found).await;
    assert!(
        matches!(timers[..], [1..=100_000]) && timers[0] > 10_000,
        "{timers:?}"
    );
}
