//! Contenders that cannot get the Lease because the server refuses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use codegen_runtime::manager::{Manager, runnable_fn};
use codegen_runtime::metrics::Metrics;
use http::Request;
use http_body_util::BodyExt;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::config;
use crate::control::rig::Rig;
use crate::control::secs;
use crate::control::server::refusal;
use crate::transport::logs::Log;

#[tokio::test(start_paused = true)]
async fn a_replica_that_cannot_get_the_lease_says_why_and_is_not_ready() {
    for (code, reason, remedy) in [
        (
            403,
            "Forbidden",
            "must allow this identity to get, create, update, list and watch leases",
        ),
        (404, "NotFound", "exist? The Lease belongs there"),
    ] {
        let (log, _guard) = Log::capture();
        let (rig, metrics) = (Rig::new(), Metrics::new());
        let refuses = Arc::new(AtomicBool::new(true));
        let down = refuses.clone();
        rig.server.on_call(move |call| {
            // The Lease does not exist, and must not be read or created.
            let refused = call.resource == "leases" && (code == 403 || call.verb == "create");
            (refused && down.load(Ordering::SeqCst)).then_some(refusal(code, reason))
        });
        let work =
            |_| std::future::pending::<Result<(), Box<dyn std::error::Error + Send + Sync>>>();
        let manager = Manager::builder(&rig.factory)
            .metrics(&metrics)
            .runnable(runnable_fn("work", true, work))
            .leader_election(rig.server.client_of("a"), config("a"))
            .build()
            .unwrap();
        let endpoints = manager.endpoints().clone();
        let ready = async || {
            let response = endpoints.respond(&Request::get("/readyz?verbose").body(()).unwrap());
            let code = response.status().as_u16();
            let body = response.into_body().collect().await.unwrap().to_bytes();
            (code, String::from_utf8(body.to_vec()).unwrap())
        };
        let stop = CancellationToken::new();
        let run = tokio::spawn({
            let stop = stop.clone();
            async move { manager.run(&stop).await }
        });
        sleep(secs(5)).await;
        assert_eq!(ready().await.0, 200, "a few tries may fail");
        sleep(secs(130)).await;
        let (status, text) = ready().await;
        assert_eq!(status, 500, "{text}");
        let check = text
            .lines()
            .find(|line| line.starts_with("[-]leaderElection"));
        let check = check.unwrap_or_default();
        assert!(
            check.contains("cannot get the Lease (lock) for 13") && check.contains(remedy),
            "{text}"
        );
        // Tries take place every two seconds; a line is written once a minute.
        let lines = log.lines("cannot get the Lease");
        let lines: Vec<_> = lines
            .iter()
            .filter(|line| line.contains("WARN") && !line.contains("health check"))
            .collect();
        assert_eq!(lines.len(), 3, "{lines:#?}");
        assert!(lines[0].contains(remedy), "{lines:?}");
        let labels = "{task=\"leader-election\",name=\"lock\"}";
        let series = format!("background_task_failing{labels} 1");
        assert!(metrics.encode().unwrap().contains(&series));

        refuses.store(false, Ordering::SeqCst);
        sleep(secs(5)).await;
        let (status, text) = ready().await;
        assert_eq!(status, 200, "{text}");
        assert_eq!(log.lines("can get the Lease again").len(), 1);
        stop.cancel();
        run.abort();
    }
}
