//! Tools that select every tenth pod: requests are sent only for the selected pods. `hack/many.sh`
//! runs the test with ten thousand pods.

use codegen_runtime::fake::{Action, Object};
use controller_testing::cluster::eventually;
use podbuggertool_controller::apis::tools::v1alpha1::PodBuggerTool;
use podbuggertool_controller::generated::clientset::fake;
use serde_json::json;

use crate::support::start;

/// The number of pods per app; every tenth app has a tool.
const EACH: usize = 10;

/// The number of pods: `MANY_PODS`, or by default enough to distinguish one extra request per pod
/// from the requests for selected pods.
fn pods() -> usize {
    match std::env::var("MANY_PODS") {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("MANY_PODS={text:?} is not a number")),
        Err(_) => 2_000,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_are_counted_by_pods_with_tools_and_not_by_all() {
    let count = pods();
    let apps = count / EACH;
    let concerned = apps / EACH;
    let pods = (0..count).map(|n| {
        Object::from_value(json!({
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": format!("pod-{n}"), "namespace": "default", "uid": format!("pod-{n}"),
                "labels": { "app": format!("app-{}", n % apps), "tier": "front" },
            },
            "spec": { "containers": [{ "name": "main", "image": "busybox:1" }] },
            "status": { "phase": "Running" },
        }))
    });
    let tools = (0..concerned).map(|n| {
        Object::from_value(json!({
            "apiVersion": "tools.jicki.cn/v1alpha1",
            "kind": "PodBuggerTool",
            "metadata": { "name": format!("tool-{n}"), "uid": format!("tool-{n}"), "generation": 1 },
            "spec": {
                "selector": { "matchLabels": { "app": format!("app-{}", n * EACH), "tier": "front" } },
                "image": "busybox:1",
            },
        }))
    });
    let (clientset, tracker) = fake::Clientset::with_objects(pods.chain(tools));
    let all_have = async || {
        let tools: Vec<PodBuggerTool> = tracker.list("");
        tools.iter().all(|tool| {
            let status = tool.status.as_ref();
            status.is_some_and(|it| (it.pods_matched, it.pods_with_tool) == (10, 10))
        })
    };
    let count = |verb: &str, resource: &str, subresource: &str| {
        let is = |it: &&Action| {
            (it.verb, it.resource.as_str(), it.subresource.as_str())
                == (verb, resource, subresource)
        };
        tracker.actions().iter().filter(is).count()
    };
    let first = start(clientset.client().clone(), &["--threads=8"]);
    assert!(eventually(all_have).await);
    first.stop().await;
    let pairs = concerned * EACH;
    assert_eq!(count("get", "pods", ""), pairs);
    assert_eq!(count("patch", "pods", "ephemeralcontainers"), pairs);
    let writes = count("update", "podbuggertools", "status");
    assert!(writes <= 10 * concerned, "{writes}");

    // Another process reads each selected pod once more, and writes nothing.
    tracker.clear_actions();
    let second = start(clientset.client().clone(), &["--threads=8"]);
    let has_read = async || count("get", "pods", "") == pairs;
    assert!(eventually(has_read).await);
    // Real time, to detect unexpected requests: a paused clock requires a single thread, on which
    // this test takes more than a minute.
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    second.stop().await;
    assert_eq!(count("get", "pods", ""), pairs);
    assert_eq!(count("patch", "pods", "ephemeralcontainers"), 0);
    assert_eq!(count("update", "podbuggertools", "status"), 0);
}
