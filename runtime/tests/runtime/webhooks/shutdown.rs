//! The end of a process with webhooks: nodes route requests to it until they have heard that it
//! stops.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::{Endpoints, Manager, RunContext, runnable_fn};
use codegen_runtime::webhook::{Certificates, WebhookServer};
use embedded_apiserver::ApiServer;
use http::{Request, StatusCode};
use tokio::sync::Notify;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::server::{Folder, server, status};
use super::webhooks;

fn factory() -> SharedInformerFactory {
    let api = ApiServer::builder().build().unwrap();
    SharedInformerFactory::builder(api.client()).build()
}

fn is_ready(endpoints: &Endpoints, path: &str) -> bool {
    let request = Request::get(path).body(()).unwrap();
    endpoints.respond(&request).status() == StatusCode::OK
}

/// Waits until the manager is ready, or no longer is.
async fn until(endpoints: &Endpoints, ready: bool) {
    while is_ready(endpoints, "/readyz") != ready {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

const SERVED: Result<StatusCode, String> = Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE);

#[tokio::test]
async fn a_manager_that_stops_is_not_ready_and_goes_on_serving_webhooks() {
    let folder = Folder::new("delay");
    let certificate = folder.renew();
    let (server, _) = server(&folder, webhooks()).await;
    let address = server.local_addr().unwrap();
    let server = server.shutdown_delay(Duration::from_secs(3600));
    let manager = Manager::builder(&factory())
        .webhooks(server)
        .build()
        .unwrap();
    let endpoints = manager.endpoints().clone();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move { manager.run(&stopped).await });
    until(&endpoints, true).await;
    stop.cancel();
    until(&endpoints, false).await;
    assert!(!is_ready(&endpoints, "/readyz/webhooks"));
    assert_eq!(status(address, &certificate).await, SERVED);
    assert!(!running.is_finished());
    running.abort();
}

#[tokio::test]
async fn webhooks_are_served_until_all_work_has_stopped() {
    let folder = Folder::new("work");
    let certificate = folder.renew();
    let (server, _) = server(&folder, webhooks()).await;
    let address = server.local_addr().unwrap();
    let (stops, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (told, released) = (stops.clone(), release.clone());
    let work = runnable_fn("work", false, move |context: RunContext| {
        let (told, released) = (told.clone(), released.clone());
        async move {
            context.stop.cancelled().await;
            told.notify_one();
            released.notified().await;
            Ok(())
        }
    });
    let manager = Manager::builder(&factory()).runnable(work).webhooks(server);
    let manager = manager.build().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let endpoints = manager.endpoints().clone();
    let running = tokio::spawn(async move { manager.run(&stopped).await });
    until(&endpoints, true).await;
    stop.cancel();
    stops.notified().await;
    assert_eq!(status(address, &certificate).await, SERVED);
    release.notify_one();
    running.await.unwrap().unwrap();
    assert!(status(address, &certificate).await.is_err());
}

#[tokio::test(start_paused = true)]
async fn the_delay_is_ten_seconds_under_a_manager_and_follows_a_requested_stop_alone() {
    let folder = Folder::new("default");
    folder.renew();
    let check = async |fails: bool, expected: Duration| {
        let certificates = Certificates::from_folder(folder.as_ref()).unwrap();
        let server = WebhookServer::bind("127.0.0.1:0", certificates, webhooks()).await;
        let work = runnable_fn("work", false, move |context: RunContext| async move {
            if fails {
                return Err("broken".into());
            }
            context.stop.cancelled().await;
            Ok(())
        });
        let manager = Manager::builder(&factory())
            .runnable(work)
            .webhooks(server.unwrap());
        let manager = manager.build().unwrap();
        let endpoints = manager.endpoints().clone();
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let running = tokio::spawn(async move { manager.run(&stopped).await });
        if !fails {
            until(&endpoints, true).await;
            stop.cancel();
        }
        let started = Instant::now();
        assert_eq!(running.await.unwrap().is_err(), fails);
        let lasted = started.elapsed();
        assert!(
            lasted >= expected && lasted < expected + Duration::from_secs(2),
            "{lasted:?}"
        );
    };
    check(false, Duration::from_secs(10)).await;
    check(true, Duration::ZERO).await;
}
