//! The TLS server: certificates, their renewal, the manager.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use codegen_runtime::controller::{Action, Controller, Request as Reconciled, reconcile_fn};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::Manager;
use codegen_runtime::metrics::Metrics;
use codegen_runtime::webhook::{
    CertificateError, Certificates, Converter, WebhookServer, Webhooks,
};
use embedded_apiserver::{ApiError, ApiServer, Fault, FaultKind};
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper_util::rt::TokioIo;
use k8s_openapi::api::core::v1::ConfigMap;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

use super::webhooks;

/// A folder with a certificate for 127.0.0.1; dropping it deletes the folder.
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(name: &str) -> Self {
        let unique = format!("webhooks-{name}-{}", std::process::id());
        let folder = Self(std::env::temp_dir().join(unique));
        std::fs::create_dir_all(&folder.0).unwrap();
        folder
    }

    /// Writes a new certificate, and returns it.
    pub(super) fn renew(&self) -> Vec<u8> {
        self.renew_until(4096)
    }

    /// Writes a new certificate that expires when a year begins, and returns it.
    fn renew_until(&self, year: i32) -> Vec<u8> {
        let mut params = rcgen::CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        params.not_after = rcgen::date_time_ymd(year, 1, 1);
        let key = rcgen::KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap().pem().into_bytes();
        std::fs::write(self.path("tls.key"), key.serialize_pem()).unwrap();
        std::fs::write(self.path("tls.crt"), &certificate).unwrap();
        certificate
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl AsRef<Path> for Folder {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Returns the status of a request with an empty body, by a client that trusts only this
/// certificate.
pub(super) async fn status(
    address: std::net::SocketAddr,
    trusted: &[u8],
) -> Result<StatusCode, String> {
    let mut roots = rustls::RootCertStore::empty();
    roots
        .add(CertificateDer::from_pem_slice(trusted).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let stream = TcpStream::connect(address)
        .await
        .map_err(|error| error.to_string())?;
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let stream = TlsConnector::from(Arc::new(config))
        .connect(name, stream)
        .await;
    let stream = TokioIo::new(stream.map_err(|error| error.to_string())?);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = Request::post("/validate--v1-configmap").body(Full::<Bytes>::default());
    let response = sender
        .send_request(request.unwrap())
        .await
        .map_err(|error| error.to_string())?;
    let status = response.status();
    response.into_body().collect().await.unwrap();
    Ok(status)
}

pub(super) async fn server(folder: &Folder, webhooks: Webhooks) -> (WebhookServer, Certificates) {
    let certificates = Certificates::from_folder(folder.as_ref()).unwrap();
    let server = WebhookServer::bind("127.0.0.1:0", certificates.clone(), webhooks).await;
    let server = server.unwrap().shutdown_delay(Duration::ZERO);
    (server, certificates)
}

#[tokio::test]
async fn a_certificate_that_changes_is_used_for_new_connections() {
    let folder = Folder::new("renewed");
    let first = folder.renew();
    let (server, certificates) = server(&folder, webhooks()).await;
    let address = server.local_addr().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move { server.run(&stopped).await });
    // No content type.
    assert_eq!(
        status(address, &first).await,
        Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    );
    assert!(!certificates.reload().unwrap());
    let second = folder.renew();
    assert!(certificates.reload().unwrap());
    assert!(status(address, &first).await.is_err());
    assert_eq!(
        status(address, &second).await,
        Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    );
    // An invalid pair is not accepted.
    std::fs::write(folder.path("tls.key"), "no key").unwrap();
    assert!(matches!(
        certificates.reload(),
        Err(CertificateError::Pem { .. })
    ));
    assert_eq!(
        status(address, &second).await,
        Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    );
    stop.cancel();
    running.await.unwrap();
    assert!(status(address, &second).await.is_err());
}

#[tokio::test]
async fn the_expiry_of_the_certificate_in_use_is_reported() {
    let folder = Folder::new("expiry");
    folder.renew_until(2100);
    let (server, certificates) = server(&folder, webhooks()).await;
    let api = ApiServer::builder().build().unwrap();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(api.client()).build();
    let metrics = Metrics::new();
    let manager = Manager::builder(&factory).metrics(&metrics);
    let manager = manager.webhooks(server).build().unwrap();
    let reported = || {
        let text = metrics.encode().unwrap();
        let series = "certificate_expiration_timestamp_seconds{task=\"webhook-certificate\",name=\"tls.crt\"} ";
        let line = text.lines().find_map(|line| line.strip_prefix(series));
        line.map(|seconds| seconds.parse::<i64>().unwrap())
    };
    let year = |year| rcgen::date_time_ymd(year, 1, 1).unix_timestamp();
    assert_eq!(reported(), Some(year(2100)));
    folder.renew_until(2200);
    assert!(certificates.reload().unwrap());
    assert_eq!(reported(), Some(year(2200)));
    drop((manager, certificates));
    assert_eq!(reported(), None);
}

#[test]
fn certificates_that_cannot_be_used_say_why() {
    let folder = Folder::new("wrong");
    let check = |expected: &str| {
        let error = Certificates::from_folder(folder.as_ref())
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("tls.crt: No such file");
    let first = folder.renew();
    folder.renew();
    std::fs::write(folder.path("tls.crt"), first).unwrap();
    check("the certificate cannot be used: ");
    std::fs::write(folder.path("tls.key"), "").unwrap();
    check("tls.key: ");
}

#[tokio::test]
async fn a_request_under_way_is_answered_when_the_server_stops() {
    let folder = Folder::new("stops");
    let certificate = folder.renew();
    let webhooks = Webhooks::builder()
        .raw("/validate--v1-configmap", async |_| {
            unreachable!("the request has no content type")
        })
        .build();
    let (server, _) = server(&folder, webhooks).await;
    let address = server.local_addr().unwrap();
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move { server.run(&stopped).await });
    assert!(status(address, &certificate).await.is_ok());
    // A silent connection does not delay the end.
    let idle = TcpStream::connect(address).await.unwrap();
    tokio::time::sleep(Duration::from_millis(50)).await;
    stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), running)
        .await
        .unwrap()
        .unwrap();
    drop(idle);
}

#[tokio::test]
async fn a_manager_serves_webhooks_before_it_leads_and_is_ready_then() {
    let folder = Folder::new("manager");
    let certificate = folder.renew();
    let (server, _) = server(&folder, webhooks()).await;
    let address = server.local_addr().unwrap();
    let api = ApiServer::builder().build().unwrap();
    let factory: SharedInformerFactory = SharedInformerFactory::builder(api.client()).build();
    let metrics = Metrics::new();
    let manager = Manager::builder(&factory)
        .metrics(&metrics)
        .webhooks(server);
    let manager = manager.build().unwrap();
    let endpoints = manager.endpoints().clone();
    let ready = move || {
        let request = Request::get("/readyz/webhooks").body(()).unwrap();
        endpoints.respond(&request).status()
    };
    assert_eq!(ready(), StatusCode::INTERNAL_SERVER_ERROR);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move { manager.run(&stopped).await });
    assert_eq!(
        status(address, &certificate).await,
        Ok(StatusCode::UNSUPPORTED_MEDIA_TYPE)
    );
    assert_eq!(ready(), StatusCode::OK);
    let counted = "controller_runtime_webhook_requests_total{webhook=\"/validate--v1-configmap\",code=\"415\"} 1";
    let encoded = metrics.encode().unwrap();
    assert!(encoded.contains(counted), "{encoded}");
    stop.cancel();
    running.await.unwrap().unwrap();
    assert!(status(address, &certificate).await.is_err());
}

/// Returns the readiness of a manager that serves webhooks, and whose caches are never filled.
async fn readiness(name: &str, webhooks: Webhooks) -> StatusCode {
    let folder = Folder::new(name);
    folder.renew();
    let (server, _) = server(&folder, webhooks).await;
    let api = ApiServer::builder().build().unwrap();
    for verb in ["list", "watch"] {
        let failed = FaultKind::Status(ApiError::new(500, "", "conversion webhook failed"));
        api.faults().add(Fault::new(failed).on(verb, "configmaps"));
    }
    let factory: SharedInformerFactory = SharedInformerFactory::builder(api.client()).build();
    let reconciler = reconcile_fn(async |_: Reconciled| Ok::<_, String>(Action::done()));
    let controller = Controller::builder("maps", &factory).for_::<ConfigMap>();
    let manager = Manager::builder(&factory)
        .controller(controller.build(reconciler).unwrap())
        .webhooks(server);
    let manager = manager.build().unwrap();
    let endpoints = manager.endpoints().clone();
    let status = move |path: &str| {
        let request = Request::get(path).body(()).unwrap();
        endpoints.respond(&request).status()
    };
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    let running = tokio::spawn(async move { manager.run(&stopped).await });
    while status("/readyz/webhooks") != StatusCode::OK {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ready = status("/readyz");
    stop.cancel();
    running.await.unwrap().unwrap();
    assert_eq!(status("/readyz"), StatusCode::INTERNAL_SERVER_ERROR);
    ready
}

/// The API server calls ready pods only, and the lists that fill the caches may need the
/// conversion.
#[tokio::test]
async fn a_manager_that_converts_is_ready_before_its_caches_are_filled() {
    let converter = Converter::hub::<ConfigMap>();
    let converts = Webhooks::builder().converter(converter).build();
    assert_eq!(readiness("converts", converts).await, StatusCode::OK);
    let other = readiness("admits", webhooks()).await;
    assert_eq!(other, StatusCode::INTERNAL_SERVER_ERROR);
}
