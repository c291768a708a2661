//! Tests replicas on the embedded API server, with a paused clock: in-memory handshakes simulate
//! reviews.

use embedded_apiserver::{ApiError, ApiServer, Fault, FaultKind, assert_rbac};
use k8s_openapi::api::admissionregistration::v1::ValidatingWebhookConfiguration;
use k8s_openapi::api::core::v1::Secret;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use serde_json::{Value, json};
use std::time::UNIX_EPOCH;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::state::{KEEP, SETTLE};
use super::*;

const NAMESPACE: &str = "default";
const HOUR: Duration = Duration::from_secs(3600);

/// The roles in the documentation, for the service of these tests.
fn roles() -> String {
    let docs = include_str!("../../../../docs/webhooks.md");
    let (_, roles) = docs.split_once("```yaml\n").unwrap();
    let (roles, _) = roles.split_once("```").unwrap();
    roles
        .replace("my-operator-webhook-service", "hook")
        .replace("my-operator-system", NAMESPACE)
}

fn webhook(name: &str, service: &str) -> Value {
    json!({
        "name": name,
        "clientConfig": {"service": {"namespace": NAMESPACE, "name": service, "path": "/p"}},
        "rules": [{"operations": ["DELETE"], "apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["things"]}],
        "admissionReviewVersions": ["v1"], "sideEffects": "None",
    })
}

fn configuration(kind: &str, name: &str) -> Value {
    json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": name},
        "webhooks": [webhook("a.b.c", "hook"), webhook("d.e.f", "other")],
    })
}

fn definition() -> Value {
    let version = |name: &str, storage: bool| json!({"name": name, "served": true, "storage": storage, "schema": {"openAPIV3Schema": {"type": "object"}}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com", "scope": "Cluster", "names": {"kind": "Thing", "plural": "things"},
            "versions": [version("v1", false), version("v2", true)],
            "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
                "clientConfig": {"service": {"namespace": NAMESPACE, "name": "hook", "path": "/convert"}}}},
        },
    })
}

/// A wall clock that follows the paused clock.
#[derive(Clone, Copy, Debug)]
struct Time {
    started: Instant,
    at: SystemTime,
}

impl Time {
    fn now(&self) -> SystemTime {
        self.at + self.started.elapsed()
    }
}

impl rustls::time_provider::TimeProvider for Time {
    fn current_time(&self) -> Option<UnixTime> {
        let since = self.now().duration_since(UNIX_EPOCH).ok()?;
        Some(UnixTime::since_unix_epoch(since))
    }
}

struct World {
    server: ApiServer,
    time: Time,
}

impl World {
    fn new() -> Self {
        let objects = [
            configuration("ValidatingWebhookConfiguration", "v"),
            configuration("MutatingWebhookConfiguration", "m"),
        ];
        let server = ApiServer::builder()
            .crd_values([definition()])
            .objects(objects)
            .build()
            .unwrap();
        let time = Time {
            started: Instant::now(),
            at: SystemTime::now(),
        };
        Self { server, time }
    }

    fn settings(&self) -> SelfSigned {
        let time = self.time;
        let mut settings = SelfSigned::new(&self.server.client_as("replica"), NAMESPACE, "hook");
        settings.definitions.push("things.example.com".to_owned());
        settings.validity(3 * HOUR).clock(move || time.now())
    }

    /// Starts a replica.
    async fn replica(&self) -> Certificates {
        let certificates = self.settings().certificates().await.unwrap();
        let own = certificates.clone();
        tokio::spawn(async move { own.follow(CancellationToken::new()).await });
        certificates
    }

    fn secrets(&self) -> Api<Secret> {
        Api::default_namespaced(self.server.client())
    }

    fn configurations(&self) -> Api<ValidatingWebhookConfiguration> {
        Api::all(self.server.client())
    }

    async fn secret(&self) -> BTreeMap<String, ByteString> {
        let secret = self.secrets().get("hook-cert").await.unwrap();
        secret.data.unwrap()
    }

    /// Returns the CA bundle of the first webhook's client.
    async fn bundle(&self) -> Vec<u8> {
        let configuration = self.configurations().get("v").await.unwrap();
        let mut webhooks = configuration.webhooks.unwrap();
        let bundle = webhooks.swap_remove(0).client_config.ca_bundle;
        bundle.unwrap_or_default().0
    }

    /// Simulates a call from the API server to a replica, and returns the certificate that the
    /// replica presents.
    async fn call(&self, replica: &Certificates) -> Result<Vec<u8>, String> {
        let mut roots = rustls::RootCertStore::empty();
        for authority in CertificateDer::pem_slice_iter(&self.bundle().await) {
            roots.add(authority.unwrap()).unwrap();
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ClientConfig::builder_with_details(provider, Arc::new(self.time))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        let name = ServerName::try_from("hook.default.svc").unwrap();
        let (client, server) = tokio::io::duplex(1 << 16);
        let acceptor = TlsAcceptor::from(replica.config());
        let connector = TlsConnector::from(Arc::new(config));
        let (accepted, connected) =
            tokio::join!(acceptor.accept(server), connector.connect(name, client));
        let connected = connected.map_err(|error| error.to_string())?;
        accepted.map_err(|error| error.to_string())?;
        let (_, connection) = connected.get_ref();
        Ok(connection.peer_certificates().unwrap()[0].to_vec())
    }

    /// Calls replicas every three seconds for a period, without a failure, and returns the
    /// certificates that each of them presented. If the parts of a call are unchanged, its result
    /// is reused for half a minute, as a certificate may expire.
    async fn calls(&self, replicas: &[&Certificates], during: Duration) -> Vec<Vec<Vec<u8>>> {
        let mut shown = vec![Vec::new(); replicas.len()];
        let mut called = vec![None; replicas.len()];
        let end = Instant::now() + during;
        for round in 0.. {
            if Instant::now() >= end {
                break;
            }
            for ((replica, shown), called) in replicas.iter().zip(&mut shown).zip(&mut called) {
                let config = replica.config();
                let parts = Some((round / 10, Arc::as_ptr(&config), self.bundle().await));
                if *called == parts {
                    continue;
                }
                *called = parts;
                let certificate = self.call(replica).await;
                let certificate = certificate
                    .unwrap_or_else(|why| panic!("{:?}: {why}", self.time.started.elapsed()));
                if shown.last() != Some(&certificate) {
                    shown.push(certificate);
                }
            }
            sleep(Duration::from_secs(3)).await;
        }
        shown
    }

    async fn patch_secret(&self, patch: Value) {
        let (params, patch) = (PatchParams::default(), Patch::Merge(patch));
        let patched = self.secrets().patch("hook-cert", &params, &patch).await;
        patched.unwrap();
    }
}

/// A patch that empties the Secret. The API server keeps the keys of its type.
fn without_content() -> Value {
    json!({"data": {"ca.crt": null, "tls.crt": "", "tls.key": ""}})
}

#[tokio::test(start_paused = true)]
async fn replicas_that_start_at_once_agree() {
    let world = World::new();
    // Both find no Secret before either has created it.
    let delay = FaultKind::Delay(Duration::from_secs(1));
    let faults = world.server.faults();
    faults.add(Fault::new(delay).on("create", "secrets"));
    let (one, other) = tokio::join!(world.replica(), world.replica());
    let certificate = world.call(&one).await.unwrap();
    assert_eq!(world.call(&other).await.unwrap(), certificate);
    let creations = world.server.recorder().actions();
    let creations = creations
        .iter()
        .filter(|action| action.verb == "create" && action.resource == "secrets");
    assert_eq!(creations.count(), 2);
    let secret = world.secret().await;
    assert_eq!(
        secret.keys().collect::<Vec<_>>(),
        ["ca.crt", "tls.crt", "tls.key"]
    );
    let bundle = secret["ca.crt"].0.clone();
    assert_eq!(world.bundle().await, bundle);
    let definitions = Api::<CustomResourceDefinition>::all(world.server.client());
    let definition = definitions.get("things.example.com").await.unwrap();
    let conversion = definition.spec.conversion.unwrap().webhook.unwrap();
    let client = conversion.client_config.unwrap();
    assert_eq!(client.ca_bundle, Some(ByteString(bundle)));
    // The references to other services stay unchanged.
    let configuration = world.configurations().get("v").await.unwrap();
    let webhooks = configuration.webhooks.unwrap();
    assert_eq!(webhooks[1].client_config.ca_bundle, None);
}

#[tokio::test(start_paused = true)]
async fn the_documented_permissions_are_enough_and_all_needed() {
    let world = World::new();
    let replica = world.replica().await;
    for configurations in [
        "mutatingwebhookconfigurations",
        "validatingwebhookconfigurations",
    ] {
        let fault = Fault::new(FaultKind::Conflict).on("update", configurations);
        world.server.faults().add(fault.once());
    }
    world.patch_secret(without_content()).await;
    world.calls(&[&replica], 2 * SETTLE).await;
    let unused = assert_rbac(&world.server, "replica", [roles().as_str()]);
    assert_eq!(unused, []);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_fails_no_review() {
    let world = World::new();
    let one = world.replica().await;
    sleep(Duration::from_secs(4)).await;
    let other = world.replica().await;
    let replicas = [&one, &other];
    let trusted = async || CertificateDer::pem_slice_iter(&world.bundle().await).count();
    let minutes = |count: u64| Duration::from_secs(60 * count);
    // It is renewed after two of three hours.
    sleep(2 * HOUR - minutes(3)).await;
    let shown = world.calls(&replicas, minutes(6)).await;
    assert_eq!((shown[0].len(), trusted().await), (2, 2));
    assert_eq!(shown[0], shown[1]);
    // An hour later the previous CA is no longer trusted.
    sleep(KEEP - minutes(6)).await;
    let shown = world.calls(&replicas, minutes(6)).await;
    assert_eq!((shown[0].len(), trusted().await), (1, 1));
    assert_eq!(world.secret().await["ca.crt"].0, world.bundle().await);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_be_told_keeps_no_certificate_past_its_end() {
    let world = World::new();
    let replica = world.replica().await;
    let fault = Fault::new(denied()).on("update", "mutatingwebhookconfigurations");
    world.server.faults().add(fault);
    sleep(3 * HOUR - 5 * SETTLE).await;
    let shown = world.calls(&[&replica], 10 * SETTLE).await;
    assert_eq!(shown[0].len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_secret_that_is_deleted_or_broken_is_made_anew_and_fails_no_review() {
    let world = World::new();
    let (one, other) = (world.replica().await, world.replica().await);
    let replicas = [&one, &other];
    let check = async |what: &str| {
        let shown = world.calls(&replicas, 2 * SETTLE).await;
        assert_eq!(shown[0].len(), 2, "{what}");
        assert_eq!(shown[0][1], shown[1][1], "{what}");
        let secret = world.secret().await;
        assert_eq!(secret["ca.crt"].0, world.bundle().await, "{what}");
        assert!(!secret.contains_key("next.key"), "{what}");
    };
    let secrets = world.secrets();
    secrets
        .delete("hook-cert", &DeleteParams::default())
        .await
        .unwrap();
    check("deleted").await;
    let other_key = rcgen::KeyPair::generate().unwrap().serialize_pem();
    for (what, patch) in [
        ("no content", without_content()),
        ("no authority", json!({"data": {"ca.crt": null}})),
        ("no certificate", json!({"stringData": {"tls.crt": "none"}})),
        ("another key", json!({"stringData": {"tls.key": other_key}})),
    ] {
        world.patch_secret(patch).await;
        check(what).await;
    }
}

#[test]
fn what_others_wrote_is_read_if_it_can_be_served() {
    let names = ["hook.default.svc".to_owned()];
    let now = SystemTime::now();
    let made = pair::make(&names, now, HOUR).unwrap();
    let read = |authorities: &str, certificate: &[u8], key: &str| {
        let parts: [(&str, &[u8]); 3] = [
            ("ca.crt", authorities.as_bytes()),
            ("tls.crt", certificate),
            ("tls.key", key.as_bytes()),
        ];
        let data = parts.map(|(name, bytes)| (name.to_owned(), ByteString(bytes.to_vec())));
        State::read(&data.into(), &names, now)
    };
    let (authority, pair) = (made.authority.as_str(), made.pair);
    let certificate = pair.certificate.as_bytes();
    for authorities in [
        authority.trim_end().to_owned(),
        authority.replace('\n', "\r\n"),
        format!("# mine\n\n{authority}\n"),
        format!("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n{authority}"),
    ] {
        let state = read(&authorities, certificate, &pair.key);
        let bundle = state.unwrap_or_else(|| panic!("{authorities}")).bundle();
        assert!(bundle.ends_with(authority), "{bundle}");
        assert!(!bundle.contains("AAAA"), "{bundle}");
    }
    let other = pair::make(&names, now, HOUR).unwrap();
    let ended = pair::make(&names, now - 3 * HOUR, HOUR).unwrap();
    let elsewhere = pair::make(&["a.b.svc".to_owned()], now, HOUR).unwrap();
    for (what, authorities, certificate, key) in [
        ("nothing", "", &b""[..], ""),
        ("no text", authority, &b"\xff\xfe"[..], &*pair.key),
        (
            "a key for a certificate",
            authority,
            pair.key.as_bytes(),
            &*pair.key,
        ),
        (
            "another authority",
            &other.authority,
            certificate,
            &pair.key,
        ),
        ("another key", authority, certificate, &other.pair.key),
        (
            "cut",
            &authority[..authority.len() / 2],
            certificate,
            &pair.key,
        ),
        (
            "ended",
            &ended.authority,
            ended.pair.certificate.as_bytes(),
            &ended.pair.key,
        ),
        (
            "elsewhere",
            &elsewhere.authority,
            elsewhere.pair.certificate.as_bytes(),
            &elsewhere.pair.key,
        ),
    ] {
        assert!(read(authorities, certificate, key).is_none(), "{what}");
    }
}

#[tokio::test(start_paused = true)]
async fn authorities_that_somebody_removes_come_back() {
    let world = World::new();
    let replica = world.replica().await;
    let configurations = world.configurations();
    let without = configuration("ValidatingWebhookConfiguration", "v");
    let without = Patch::Merge(json!({"webhooks": without["webhooks"]}));
    let params = PatchParams::default();
    configurations.patch("v", &params, &without).await.unwrap();
    assert!(world.call(&replica).await.is_err());
    sleep(EVERY).await;
    world.call(&replica).await.unwrap();
    // Configurations that are created later get the bundle too.
    let params = DeleteParams::default();
    configurations.delete("v", &params).await.unwrap();
    sleep(EVERY).await;
    let again = configuration("ValidatingWebhookConfiguration", "v");
    let again = serde_json::from_value(again).unwrap();
    let created = configurations.create(&PostParams::default(), &again).await;
    created.unwrap();
    sleep(EVERY).await;
    world.call(&replica).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_program_that_starts_after_the_end_of_its_certificate_makes_one_at_once() {
    let world = World::new();
    let before = world.settings().certificates().await.unwrap();
    sleep(4 * HOUR).await;
    assert!(world.call(&before).await.is_err());
    let after = world.replica().await;
    world.call(&after).await.unwrap();
}

fn denied() -> FaultKind {
    FaultKind::Status(ApiError::new(403, "Forbidden", "no"))
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_written_says_why() {
    let world = World::new();
    let faults = world.server.faults();
    faults.add(Fault::new(denied()).on("create", "secrets").once());
    let error = world.settings().certificates().await.unwrap_err();
    let start = "cannot write the secret default/hook-cert: ";
    assert!(error.to_string().starts_with(start), "{error}");
    let mut settings = world.settings();
    settings.namespace = "nowhere".to_owned();
    let error = settings.certificates().await.unwrap_err().to_string();
    assert!(
        error.contains("namespaces \"nowhere\" not found"),
        "{error}"
    );
    // A failed write of a configuration is retried.
    let configurations = "validatingwebhookconfigurations";
    let fault = Fault::new(denied()).on("update", configurations);
    faults.add(fault.times(3));
    let replica = world.replica().await;
    assert!(world.call(&replica).await.is_err());
    sleep(3 * EVERY).await;
    world.call(&replica).await.unwrap();
}

#[tokio::test]
async fn the_longest_validity_has_an_end() {
    let server = ApiServer::builder().build().unwrap();
    let settings = SelfSigned::new(&server.client(), NAMESPACE, "hook");
    let certificates = settings.validity(Duration::MAX).certificates().await;
    certificates.unwrap();
}
