//! Elections also send each request once: their own periods decide when to retry.

use std::time::Duration;

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Stopped};
use tokio_util::sync::CancellationToken;

use crate::transport::http_server::{HttpServer, fail};
use crate::transport::within;

#[tokio::test]
async fn a_contender_that_is_refused_asks_once_a_period() {
    let server = HttpServer::start(|_| fail(503, "ServiceUnavailable", "not now")).await;
    let config = LeaderElectionConfig::new("default", "lock", "a");
    let elector = LeaderElector::new(server.kube_client(), config).unwrap();
    let shutdown = CancellationToken::new();
    let stop = async {
        // Shorter than the retry period of 2 s, and longer than many retries of a layer that starts
        // at 5 ms.
        tokio::time::sleep(Duration::from_millis(1500)).await;
        shutdown.cancel();
    };
    let run = elector.run(&shutdown, |_| async {});
    let (stopped, ()) = within(async { tokio::join!(run, stop) }).await;
    assert_eq!(stopped, Stopped::NeverLed);
    let reads: Vec<_> = server
        .seen()
        .into_iter()
        .filter(|it| !it.is_watch())
        .collect();
    assert_eq!(reads.len(), 1, "{reads:#?}");
}
