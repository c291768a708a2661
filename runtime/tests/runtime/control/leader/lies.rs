//! Servers that return the wrong objects, and invalid durations.

use std::time::Duration;

use codegen_runtime::leader::{LeaderElector, Stopped};
use codegen_runtime::manager::{Manager, runnable_fn};
use http::{Method, Request, Response};
use http_body_util::BodyExt;
use kube::Client;
use kube::client::Body;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{config, held_by};
use crate::control::rig::Rig;
use crate::control::secs;
use crate::control::server::Server;

/// Creates a client for which `lie` changes the answers to requests for one object, or to
/// creations.
fn lied_to(client: Client, lie: impl Fn(&Method, &mut Value) + Clone + Send + 'static) -> Client {
    let service = tower::service_fn(move |request: Request<Body>| {
        let (client, lie) = (client.clone(), lie.clone());
        async move {
            let (method, is_watch) = (request.method().clone(), request.uri().query().is_some());
            let answer = client.send(request).await?;
            if is_watch && method == Method::GET {
                return Ok(answer);
            }
            let (mut parts, body) = answer.into_parts();
            let mut object = serde_json::from_slice(&body.collect().await?.to_bytes()).unwrap();
            lie(&method, &mut object);
            if object["kind"] == "Lease" {
                parts.status = http::StatusCode::OK;
            }
            parts.headers.remove("content-length");
            let body = Body::from(object.to_string().into_bytes());
            Ok::<_, kube::Error>(Response::from_parts(parts, body))
        }
    });
    Client::new(service, "default")
}

/// Contends for a minute; returns the epoch of the term, if it led.
async fn contend(client: Client) -> Option<u64> {
    let elector = LeaderElector::new(client, config("a")).unwrap();
    let shutdown = CancellationToken::new();
    let run = elector.run(&shutdown, |leadership| async move { leadership.epoch() });
    match tokio::time::timeout(secs(60), run).await {
        Ok(Stopped::Finished(epoch)) => Some(epoch),
        _ => None,
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_of_another_name_is_not_taken_over() {
    let server = Server::new();
    server.put("leases/default/other", held_by("", 3));
    let before = server.get("leases/default/other");
    let other = before.clone();
    let client = lied_to(server.client_of("a"), move |method, object| {
        if *method == Method::GET {
            *object = other.clone().unwrap();
        }
    });
    assert_eq!(contend(client).await, None);
    assert_eq!(server.get("leases/default/other"), before);
    assert_eq!(server.get("leases/default/lock"), None);
}

#[tokio::test(start_paused = true)]
async fn a_write_that_is_answered_with_the_record_of_another_is_no_success() {
    let server = Server::new();
    let client = lied_to(server.client_of("a"), |method, object| {
        if *method != Method::GET {
            object["spec"]["holderIdentity"] = json!("b");
        }
    });
    assert_eq!(contend(client).await, None);
    let server = Server::new();
    let client = lied_to(server.client_of("a"), |method, object| {
        if *method == Method::POST {
            object["spec"] = json!({});
        }
    });
    assert_eq!(
        contend(client).await,
        Some(2),
        "by a read and a write of its own record"
    );
}

#[tokio::test(start_paused = true)]
async fn work_may_take_for_ever_to_stop() {
    let server = Server::new();
    let forever = config("a").stop_timeout(Duration::MAX);
    let elector = LeaderElector::new(server.client_of("a"), forever).unwrap();
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let stopped = elector.run(&shutdown, |_| async move {
        stop.cancel();
        tokio::time::sleep(secs(600)).await;
    });
    assert_eq!(stopped.await, Stopped::Finished(()));
    for leader in [true, false] {
        let (rig, stop) = (Rig::new(), CancellationToken::new());
        let asked = stop.clone();
        let run = move |_| {
            let asked = asked.clone();
            async move {
                asked.cancel();
                tokio::time::sleep(secs(600)).await;
                Ok(())
            }
        };
        let manager = Manager::builder(&rig.factory)
            .runnable(runnable_fn("slow", leader, run))
            .leader_election(rig.server.client_of("a"), config("a"))
            .graceful_timeout(Duration::MAX)
            .build()
            .unwrap();
        manager.run(&stop).await.unwrap();
    }
}
