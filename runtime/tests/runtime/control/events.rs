use codegen_runtime::event::{EventBroadcaster, EventOptions, EventRecorder, Reporter};
use codegen_runtime::metrics::Metrics;
use k8s_openapi::api::core::v1::{ConfigMap, Node};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::control::server::{FaultKind, Server, refusal};
use crate::control::{ms, secs, settle};
use crate::transport::logs::Log;

struct Case {
    server: Server,
    recorder: EventRecorder,
    metrics: Metrics,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

fn start() -> Case {
    let (server, metrics, stop) = (Server::new(), Metrics::new(), CancellationToken::new());
    let options = EventOptions::default().metrics(&metrics).queue(50);
    let broadcaster = EventBroadcaster::with_options(server.client(), options);
    let recorder = broadcaster.recorder(Reporter::new("example.com/tests", "test-0"));
    let token = stop.clone();
    let task = tokio::spawn(async move { broadcaster.run(&token).await });
    Case {
        server,
        recorder,
        metrics,
        stop,
        task,
    }
}

fn object(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    (map.metadata.name, map.metadata.namespace) = (Some(name.to_owned()), Some("apps".to_owned()));
    map.metadata.uid = Some(format!("uid-of-{name}"));
    map
}

impl Case {
    async fn note(&self, name: &str, reason: &str, note: &str) {
        self.recorder.normal(&object(name), reason, "Act", note);
        settle().await;
    }

    /// Returns notes and counts of the written events, in the order of their names.
    fn written(&self) -> Vec<(String, i64)> {
        let count = |event: &Value| event["series"]["count"].as_i64().unwrap_or(1);
        let mut all: Vec<_> = self
            .server
            .list("events")
            .iter()
            .map(|it| (it["note"].as_str().unwrap().to_owned(), count(it)))
            .collect();
        all.sort();
        all
    }

    fn outcome(&self, outcome: &str) -> u64 {
        let series = format!("event_recorder_events_total{{outcome=\"{outcome}\"}} ");
        let text = self.metrics.encode().unwrap();
        text.lines()
            .find_map(|line| line.strip_prefix(&series))
            .map_or(0, |count| count.parse().unwrap())
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_tells_what_about_what_and_by_whom() {
    let case = start();
    case.recorder
        .warning(&object("map"), "Failed", "Create", "no space");
    settle().await;
    let event = &case.server.list("events")[0];
    assert_eq!(event["apiVersion"], "events.k8s.io/v1");
    assert_eq!(event["metadata"]["namespace"], "apps");
    assert!(
        event["metadata"]["name"]
            .as_str()
            .unwrap()
            .starts_with("map.")
    );
    assert_eq!(
        (&event["type"], &event["reason"], &event["action"]),
        (&json!("Warning"), &json!("Failed"), &json!("Create"))
    );
    assert_eq!(
        (&event["reportingController"], &event["reportingInstance"]),
        (&json!("example.com/tests"), &json!("test-0"))
    );
    let regarding = json!({"apiVersion": "v1", "kind": "ConfigMap", "name": "map", "namespace": "apps", "uid": "uid-of-map"});
    assert_eq!(event["regarding"], regarding);
    assert!(event["eventTime"].is_string() && event["series"].is_null());
}

#[tokio::test(start_paused = true)]
async fn events_of_cluster_scoped_objects_are_in_the_default_namespace_and_long_notes_are_cut() {
    let case = start();
    let mut node = Node::default();
    node.metadata.name = Some("n".repeat(253));
    case.recorder
        .normal(&node, "Ready", "Probe", "é".repeat(2000));
    settle().await;
    let event = &case.server.list("events")[0];
    assert_eq!(event["metadata"]["namespace"], "default");
    assert_eq!(event["note"].as_str().unwrap().len(), 1024);
    assert!(event["metadata"]["name"].as_str().unwrap().len() <= 253);
}

#[tokio::test(start_paused = true)]
async fn equal_events_become_a_series_that_is_written_when_it_starts() {
    let case = start();
    for _ in 0..5 {
        case.note("map", "Created", "same").await;
    }
    assert_eq!(case.written(), [("same".to_owned(), 2)]);
    assert_eq!(
        (
            case.outcome("created"),
            case.outcome("updated"),
            case.outcome("counted")
        ),
        (1, 1, 3)
    );
}

#[tokio::test(start_paused = true)]
async fn a_series_that_ends_is_written_with_its_last_count_and_a_later_event_is_a_new_one() {
    let case = start();
    for _ in 0..5 {
        case.note("map", "Created", "same").await;
    }
    sleep(secs(8 * 60)).await;
    assert_eq!(case.written(), [("same".to_owned(), 5)]);
    case.note("map", "Created", "same").await;
    assert_eq!(
        case.written(),
        [("same".to_owned(), 1), ("same".to_owned(), 5)]
    );
}

#[tokio::test(start_paused = true)]
async fn an_equal_event_right_after_the_end_of_a_series_does_not_discard_its_count() {
    let case = start();
    sleep(secs(30)).await;
    for _ in 0..5 {
        case.note("map", "Created", "same").await;
    }
    // The series has ended, and is checked only half a minute later.
    sleep(secs(6 * 60)).await;
    assert_eq!(case.written(), [("same".to_owned(), 2)]);
    case.note("map", "Created", "same").await;
    let both = [("same".to_owned(), 1), ("same".to_owned(), 5)];
    assert_eq!(case.written(), both);
}

#[tokio::test(start_paused = true)]
async fn a_series_that_makes_way_for_other_events_is_written_with_its_last_count() {
    let case = start();
    for _ in 0..5 {
        case.note("map", "Created", "same").await;
    }
    for n in 0..4096 {
        case.note(&format!("other-{n}"), "Created", "other").await;
    }
    assert_eq!(case.written().last(), Some(&("same".to_owned(), 5)));
}

#[tokio::test(start_paused = true)]
async fn a_series_that_goes_on_is_refreshed_every_half_hour() {
    let case = start();
    for _ in 0..17 {
        case.note("map", "Created", "same").await;
        sleep(secs(300)).await;
    }
    let (_, count) = case.written()[0].clone();
    assert!((7..=14).contains(&count), "{count}");
    assert_eq!(case.written().len(), 1);
    assert_eq!(
        case.outcome("updated"),
        3,
        "the start and two refreshes in 85 minutes"
    );
}

#[tokio::test(start_paused = true)]
async fn a_series_whose_event_has_expired_is_created_anew() {
    let case = start();
    case.note("map", "Created", "same").await;
    let name = case.server.list("events")[0]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    case.server.remove(&format!("events/apps/{name}"));
    case.note("map", "Created", "same").await;
    assert_eq!(case.written(), [("same".to_owned(), 2)]);
}

#[tokio::test(start_paused = true)]
async fn after_ten_similar_events_in_ten_minutes_they_are_combined() {
    let case = start();
    for n in 0..12 {
        case.note("map", "Created", &format!("number {n:02}")).await;
    }
    let written = case.written();
    assert_eq!(written.len(), 10, "{written:?}");
    assert_eq!(
        written[0],
        ("(combined from similar events): number 09".to_owned(), 2)
    );
    sleep(secs(601)).await;
    case.note("map", "Created", "number 99").await;
    assert_eq!(case.written().last().unwrap().0, "number 99");
}

#[tokio::test(start_paused = true)]
async fn the_spam_filter_lets_25_pass_and_then_one_in_300_seconds() {
    let case = start();
    for n in 0..40 {
        case.note("map", &format!("Reason{n}"), "text").await;
    }
    assert_eq!(case.written().len(), 25);
    assert_eq!(case.outcome("filtered"), 15);
    case.note("other", "Reason", "another object is not affected")
        .await;
    assert_eq!(case.written().len(), 26);
    sleep(secs(301)).await;
    case.note("map", "Late1", "text").await;
    case.note("map", "Late2", "text").await;
    assert_eq!(case.written().len(), 27);
}

#[tokio::test(start_paused = true)]
async fn a_full_queue_drops_and_never_waits() {
    let case = start();
    case.server.on_call(|_| Some(FaultKind::Hang));
    for n in 0..100 {
        case.recorder
            .normal(&object("map"), &format!("Reason{n}"), "Act", "text");
    }
    assert_eq!(case.outcome("dropped"), 50);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_does_not_reach_the_server_is_tried_twelve_times_ten_seconds_apart() {
    let case = start();
    let tries = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let counted = std::sync::Arc::clone(&tries);
    case.server.on_call(move |_| {
        counted.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        Some(FaultKind::DropConnection)
    });
    let start = Instant::now();
    case.note("map", "Created", "text").await;
    while case.outcome("failed") == 0 {
        sleep(ms(100)).await;
        assert!(start.elapsed() < secs(300));
    }
    assert_eq!(tries.load(std::sync::atomic::Ordering::SeqCst), 12);
    let took = start.elapsed();
    assert!(took >= secs(100) && took <= secs(111), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_is_not_tried_again() {
    let case = start();
    let mut refused = 0;
    case.server.on_call(move |_| {
        refused += 1;
        assert_eq!(refused, 1);
        Some(refusal(403, "Forbidden"))
    });
    case.note("map", "Created", "text").await;
    assert_eq!(case.outcome("failed"), 1);
}

#[tokio::test(start_paused = true)]
async fn an_event_that_the_server_wants_later_is_written_then() {
    let case = start();
    let mut calls = 0;
    case.server.on_call(move |_| {
        calls += 1;
        (calls == 1).then_some(FaultKind::TooManyRequests { retry_after: 20 })
    });
    case.note("map", "Created", "text").await;
    sleep(secs(19)).await;
    assert_eq!(case.written(), []);
    sleep(secs(2)).await;
    assert_eq!(case.written(), [("text".to_owned(), 1)]);
    assert_eq!((case.outcome("created"), case.outcome("failed")), (1, 0));
}

#[tokio::test(start_paused = true)]
async fn refused_events_are_logged_once_for_each_reason() {
    let (log, _guard) = Log::capture();
    let case = start();
    let refuses = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let down = refuses.clone();
    case.server.on_call(move |_| {
        let down = down.load(std::sync::atomic::Ordering::SeqCst);
        down.then_some(refusal(403, "Forbidden"))
    });
    for note in ["first", "second", "third"] {
        case.note("map", "Created", note).await;
        case.note("other", "Failed", note).await;
    }
    let refused = log.lines("event refused");
    assert_eq!(refused.len(), 2, "{refused:?}");
    for (line, reason, name) in [
        (&refused[0], "Created", "map"),
        (&refused[1], "Failed", "other"),
    ] {
        assert!(line.contains(" WARN "), "{line}");
        assert!(
            line.contains(&format!(
                "reason=\"{reason}\" kind=\"ConfigMap\" name=\"{name}\""
            )),
            "{line}"
        );
        assert!(line.contains("create events.events.k8s.io"), "{line}");
        assert!(line.contains("(403 Forbidden)"), "{line}");
    }
    assert_eq!(case.outcome("failed"), 6);
    let text = case.metrics.encode().unwrap();
    let failing = "background_task_failing{task=\"events\",name=\"events.k8s.io\"} ";
    assert!(text.contains(&format!("{failing}1")), "{text}");
    refuses.store(false, std::sync::atomic::Ordering::SeqCst);
    case.note("map", "Created", "fourth").await;
    assert!(
        case.metrics
            .encode()
            .unwrap()
            .contains(&format!("{failing}0"))
    );
}

/// Whether a note about `name` is written, and also one that is combined with others.
async fn is_written(name: &str, namespace: &str, note: &str) -> bool {
    let case = start();
    let mut about = object(name);
    about.metadata.namespace = Some(namespace.to_owned());
    for number in 0..12 {
        let note = format!("{number} {note}");
        case.recorder.normal(&about, "Strange", "Act", note);
        settle().await;
    }
    let events = case.server.list("events");
    let combined = |event: &Value| event["note"].as_str().unwrap().starts_with("(combined");
    events.len() == 10 && events.iter().any(combined)
}

#[tokio::test(start_paused = true)]
async fn events_about_objects_of_any_name_are_written_and_their_notes_fit() {
    let long = "a".repeat(199);
    for name in [
        "system:node",
        "Admin",
        "",
        "ü",
        &format!("{long}.b"),
        &format!("{long}-b"),
    ] {
        assert!(is_written(name, "apps", "x").await, "{name:?}");
    }
    assert!(is_written("a", "apps", &"ü".repeat(2_000)).await);
    // A request that cannot be built is not retried.
    assert!(!is_written("a", "../b", "x").await);
}

#[tokio::test(start_paused = true)]
async fn stopping_writes_what_waits_and_the_counts_of_series() {
    let case = start();
    for _ in 0..4 {
        case.recorder
            .normal(&object("map"), "Created", "Act", "same");
    }
    case.stop.cancel();
    case.task.await.unwrap();
    assert_eq!(case.server.list("events")[0]["series"]["count"], 4);
    case.recorder
        .normal(&object("map"), "Late", "Act", "too late");
}

#[tokio::test(start_paused = true)]
async fn the_event_in_hand_when_it_is_time_to_stop_is_written() {
    let case = start();
    let mut calls = 0;
    case.server.on_call(move |_| {
        calls += 1;
        (calls == 1).then_some(FaultKind::Delay(secs(3)))
    });
    case.note("slow", "Created", "in hand").await;
    case.note("next", "Created", "waits").await;
    case.stop.cancel();
    case.task.await.unwrap();
    assert_eq!(case.server.list("events").len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_event_between_two_tries_gets_one_more_when_it_is_time_to_stop() {
    let case = start();
    let mut calls = 0;
    case.server.on_call(move |_| {
        calls += 1;
        (calls == 1).then_some(FaultKind::DropConnection)
    });
    case.note("map", "Created", "between").await;
    let stopped = Instant::now();
    case.stop.cancel();
    case.task.await.unwrap();
    assert_eq!(case.server.list("events").len(), 1);
    assert_eq!(stopped.elapsed(), secs(0));
}

#[tokio::test(start_paused = true)]
async fn events_that_are_not_written_in_time_are_counted() {
    let mut case = start();
    case.server.on_call(|_| Some(FaultKind::Hang));
    for name in ["in-hand", "waits", "waits-too"] {
        case.note(name, "Created", name).await;
    }
    let stopped = Instant::now();
    case.stop.cancel();
    (&mut case.task).await.unwrap();
    assert_eq!(stopped.elapsed(), secs(5));
    let counts = (case.outcome("failed"), case.outcome("dropped"));
    assert_eq!(counts, (1, 2));
}

#[tokio::test(start_paused = true)]
async fn events_of_a_broadcaster_that_is_dropped_are_counted() {
    let case = start();
    case.server.on_call(|_| Some(FaultKind::Hang));
    for name in ["in-hand", "waits"] {
        case.note(name, "Created", name).await;
    }
    case.task.abort();
    settle().await;
    let counts = (case.outcome("failed"), case.outcome("dropped"));
    assert_eq!(counts, (1, 1));
}
