//! Metrics over HTTPS, for clients that the roles allow.

use std::net::SocketAddr;
use std::sync::Arc;

use codegen_runtime::fake::{ApiServer, Running};
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::kube::Client;
use codegen_runtime::manager::{Certificates, Manager, SecureMetrics, runnable_fn};
use embedded_apiserver::AuthorizationMode;
use http::{Method, Request};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{Duration, advance};
use tokio_rustls::TlsConnector;

use crate::transport::hold_the_clock;

/// A server that evaluates roles, with a service account whose role allows to read metrics, and one
/// without a role.
fn server() -> ApiServer {
    let account = |name: &str| json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name, "namespace": "default"}});
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "metrics-reader"},
        "rules": [{"nonResourceURLs": ["/metrics"], "verbs": ["get"]}],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "metrics-reader"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "metrics-reader"},
        "subjects": [{"kind": "ServiceAccount", "name": "reader", "namespace": "default"}],
    });
    ApiServer::builder()
        .authorization(AuthorizationMode::Rbac)
        .objects([account("reader"), account("other"), role, binding])
        .build()
        .unwrap()
}

/// A token of a service account.
async fn token(client: &Client, account: &str) -> String {
    let path = format!("/api/v1/namespaces/default/serviceaccounts/{account}/token");
    let body =
        json!({"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}});
    let request = Request::builder().method(Method::POST).uri(path);
    let request = request.body(body.to_string().into_bytes()).unwrap();
    let answer: Value = client.request(request).await.unwrap();
    answer["status"]["token"].as_str().unwrap().to_owned()
}

/// Runs a manager with secure metrics; returns their address.
async fn serve(server: &ApiServer) -> (Running, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let certificates = Certificates::unverified().unwrap();
    let factory = SharedInformerFactory::builder(server.client()).build();
    let secure = SecureMetrics::new(server.client_as("operator"), certificates);
    let idle = runnable_fn("idle", false, |context| async move {
        context.stop.cancelled().await;
        Ok(())
    });
    let manager = Manager::builder(&factory).runnable(idle);
    let manager = manager
        .serve_secure_metrics(listener, secure)
        .build()
        .unwrap();
    let running = Running::spawn(|stop| async move { manager.run(&stop).await });
    (running, address)
}

/// A client that encrypts and believes any certificate, as Prometheus does with
/// `insecureSkipVerify`.
#[derive(Debug)]
struct Believer;

impl ServerCertVerifier for Believer {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = rustls::crypto::ring::default_provider();
        provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

/// The answer to a request for a path, with its head.
async fn get(address: SocketAddr, path: &str, token: Option<&str>) -> String {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Believer))
        .with_no_client_auth();
    let stream = TcpStream::connect(address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::new(config));
    let mut stream = connector.connect(name, stream).await.unwrap();
    let token = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let request = head + &token.unwrap_or_default() + "\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // The server may close the connection without an end of TLS.
    let _ = stream.read_to_end(&mut answer).await;
    String::from_utf8(answer).unwrap()
}

/// The roles of the program that reviews.
fn allow_reviews(server: &ApiServer) {
    let rule = |group: &str, resource: &str| json!({"apiGroups": [group], "resources": [resource], "verbs": ["create"]});
    let objects = server.objects();
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "metrics-auth"},
        "rules": [
            rule("authentication.k8s.io", "tokenreviews"),
            rule("authorization.k8s.io", "subjectaccessreviews"),
        ],
    });
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "metrics-auth"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "metrics-auth"},
        "subjects": [{"kind": "User", "name": "operator", "apiGroup": "rbac.authorization.k8s.io"}],
    });
    objects.put(&role).unwrap();
    objects.put(&binding).unwrap();
}

/// The number of reviews that the server has answered.
fn reviews(server: &ApiServer) -> usize {
    let actions = server.recorder().actions();
    let reviews = actions
        .iter()
        .filter(|action| action.resource.ends_with("reviews"));
    reviews.count()
}

#[tokio::test]
async fn only_a_client_whose_roles_allow_it_reads_metrics() {
    let server = server();
    allow_reviews(&server);
    let (running, address) = serve(&server).await;
    let (reader, other) = (
        token(&server.client(), "reader").await,
        token(&server.client(), "other").await,
    );
    let cases = [
        (
            "/metrics",
            None,
            "401 Unauthorized",
            "a bearer token is required",
        ),
        (
            "/metrics",
            Some("x.y.z"),
            "401 Unauthorized",
            "the bearer token is not valid",
        ),
        (
            "/metrics",
            Some(&*other),
            "403 Forbidden",
            "system:serviceaccount:default:other may not get this path",
        ),
        ("/metrics", Some(&*reader), "200 OK", "# EOF"),
        (
            "/other",
            Some(&*reader),
            "403 Forbidden",
            "may not get this path",
        ),
    ];
    for (path, token, status, body) in cases {
        let answer = get(address, path, token).await;
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{path}: {answer}"
        );
        assert!(answer.contains(body), "{path}: {answer}");
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn answers_are_remembered_for_a_while() {
    let server = server();
    allow_reviews(&server);
    let clock = hold_the_clock();
    let (running, address) = serve(&server).await;
    let reader = token(&server.client(), "reader").await;
    for _ in 0..3 {
        let answer = get(address, "/metrics", Some(&reader)).await;
        assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    }
    assert_eq!(reviews(&server), 2, "one of the token, one of the access");
    advance(Duration::from_secs(61)).await;
    get(address, "/metrics", Some(&reader)).await;
    assert_eq!(reviews(&server), 4);
    drop(clock);
    running.stop().await;
}

#[tokio::test]
async fn nobody_reads_metrics_while_access_cannot_be_reviewed() {
    let server = server();
    let (running, address) = serve(&server).await;
    let reader = token(&server.client(), "reader").await;
    let answer = get(address, "/metrics", Some(&reader)).await;
    assert!(
        answer.starts_with("HTTP/1.1 500 Internal Server Error"),
        "{answer}"
    );
    allow_reviews(&server);
    let answer = get(address, "/metrics", Some(&reader)).await;
    assert!(
        answer.starts_with("HTTP/1.1 200 OK"),
        "an error is not remembered: {answer}"
    );
    running.stop().await;
}
