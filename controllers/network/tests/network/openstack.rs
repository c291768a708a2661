//! Keystone logins and TLS, on a local server. Not tested against a real Keystone.

use std::io::Write;
use std::sync::Arc;

use network_controller::apis::samplecrd::v1::NetworkPhase as Phase;
use network_controller::app::{Flags, app};
use network_controller::backend::neutron::Neutron;
use network_controller::backend::{Backend, BackendError, Owner};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};
use tempfile::NamedTempFile;
use tokio_rustls::TlsAcceptor;

use crate::fake_neutron::FakeNeutron;
use crate::support::{Rig, eventually, network};

const PASSWORD: &[&str] = &["--os-username=me", "--os-project-name=mine"];
const CREDENTIAL: &[&str] = &["--os-application-credential-id=x"];

/// A certificate authority, in a file for `--os-cacert`.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let key = KeyPair::generate().unwrap();
        let mut file = NamedTempFile::new().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        file.write_all(certificate.pem().as_bytes()).unwrap();
        Self {
            issuer: Issuer::new(params, key),
            file,
        }
    }

    fn flag(&self) -> String {
        format!("--os-cacert={}", self.file.path().display())
    }

    /// Creates a TLS acceptor for 127.0.0.1 with a certificate of this authority.
    fn acceptor(&self) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key);
        TlsAcceptor::from(Arc::new(config.unwrap()))
    }
}

/// Creates a backend that logs in at `fake`, with `secret` as the password and the credential's
/// secret.
fn backend(fake: &FakeNeutron, args: &[&str], secret: &'static str) -> Neutron {
    let auth = format!("--os-auth-url={}/identity/v3", fake.url);
    let fixed = [
        "network-controller",
        &auth,
        "--os-region-name=one",
        "--os-allow-http",
    ];
    let invocation = app().try_parse_from::<Flags>([&fixed, args].concat());
    let flags = invocation.unwrap().own.neutron;
    Neutron::with_environment(&flags, |_| Some(secret.to_owned())).unwrap()
}

fn owner() -> Owner {
    Owner {
        namespace: "default".to_owned(),
        name: "blue".to_owned(),
        uid: "1".to_owned(),
    }
}

#[tokio::test]
async fn a_password_comes_with_its_project_and_an_application_credential_alone() {
    let fake = FakeNeutron::start().await;
    let password: Value = json!({
        "identity": { "methods": ["password"], "password": { "user": {
            "name": "me", "domain": { "name": "Default" }, "password": "secret",
        } } },
        "scope": { "project": { "name": "mine", "domain": { "name": "Default" } } },
    });
    let credential: Value = json!({
        "identity": {
            "methods": ["application_credential"],
            "application_credential": { "id": "x", "secret": "secret" },
        },
    });
    for (args, expected) in [(PASSWORD, password), (CREDENTIAL, credential)] {
        assert_eq!(backend(&fake, args, "secret").get(&owner()).await, Ok(None));
        assert_eq!(fake.state.lock().logins.pop(), Some(expected));
        let refused = backend(&fake, args, "wrong").get(&owner()).await;
        assert!(
            matches!(refused, Err(BackendError::Unauthorized(_))),
            "{refused:?}"
        );
        assert!(fake.state.lock().logins.is_empty());
    }
}

#[tokio::test]
async fn secrets_are_not_in_debug_output() {
    let fake = FakeNeutron::start().await;
    for args in [PASSWORD, CREDENTIAL] {
        let shown = format!("{:?}", backend(&fake, args, "hush-hush"));
        assert!(!shown.contains("hush-hush"), "{shown}");
    }
}

#[tokio::test]
async fn calls_that_are_made_at_once_share_a_login() {
    let fake = FakeNeutron::start().await;
    let (backend, owner) = (backend(&fake, PASSWORD, "secret"), owner());
    let all = futures::future::join_all((0..8).map(|_| backend.get(&owner))).await;
    assert!(all.iter().all(|it| *it == Ok(None)), "{all:?}");
    assert_eq!(fake.state.lock().logins.len(), 1);
}

#[tokio::test]
async fn a_token_that_is_refused_is_renewed_once() {
    let fake = FakeNeutron::start().await;
    let (backend, owner) = (backend(&fake, CREDENTIAL, "secret"), owner());
    assert_eq!(backend.get(&owner).await, Ok(None));
    fake.state.lock().token = Some("another".to_owned());
    assert_eq!(backend.get(&owner).await, Ok(None));
    let state = fake.state.lock();
    assert_eq!(state.logins.len(), 2);
    // A login and two lists (by tag and by description); one rejected list; a login and two lists.
    assert_eq!(state.requests.len(), 3 + 1 + 3, "{:?}", state.requests);
}

#[tokio::test]
async fn a_token_is_renewed_a_minute_before_it_ends() {
    let fake = FakeNeutron::start().await;
    let (backend, owner) = (backend(&fake, PASSWORD, "secret"), owner());
    let ends_in = |seconds: i64| {
        let end = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        fake.state.lock().expires = end.to_string();
    };
    ends_in(50);
    assert_eq!(backend.get(&owner).await, Ok(None));
    ends_in(3600);
    let before = fake.state.lock().logins.len();
    assert_eq!(backend.get(&owner).await, Ok(None));
    assert_eq!(fake.state.lock().logins.len(), before + 1);
    assert_eq!(backend.get(&owner).await, Ok(None));
    assert_eq!(fake.state.lock().logins.len(), before + 1);
}

#[tokio::test]
async fn the_catalog_is_searched_by_region_and_interface() {
    let fake = FakeNeutron::start().await;
    let elsewhere = [PASSWORD, &["--os-interface=internal"]].concat();
    let error = backend(&fake, &elsewhere, "secret").get(&owner()).await;
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("set --neutron-url"), "{error}");
    let url = format!("--neutron-url={}", fake.url);
    let fixed = [&elsewhere[..], &[&url]].concat();
    assert_eq!(
        backend(&fake, &fixed, "secret").get(&owner()).await,
        Ok(None)
    );
}

#[tokio::test]
async fn the_controller_runs_over_tls_with_a_trusted_authority() {
    let authority = Authority::new("trusted");
    let fake = FakeNeutron::start_tls(authority.acceptor()).await;
    let ca = authority.flag();
    for args in [PASSWORD, CREDENTIAL] {
        let backend = backend(&fake, &[args, &[&ca]].concat(), "secret");
        let rig = Rig::new();
        let running = rig.start_on(Arc::new(backend));
        rig.create(&network("blue", "10.8.0.0/16", "10.8.0.1"))
            .await;
        rig.until("blue", Phase::Active, "Available").await;
        assert_eq!(fake.state.lock().subnets.len(), 1);
        rig.delete("blue").await;
        rig.until_gone("blue").await;
        assert!(fake.state.lock().networks.is_empty());
        running.stop().await;
    }
    assert_eq!(fake.state.lock().refused_handshakes, 0);
}

#[tokio::test]
async fn a_server_of_another_authority_is_refused_and_told_nothing() {
    let fake = FakeNeutron::start_tls(Authority::new("trusted").acceptor()).await;
    let stranger = Authority::new("another");
    let other = stranger.flag();
    let url = format!("--neutron-url={}", fake.url);
    let without_login = |args: &[&str]| {
        let args = [&["network-controller", url.as_str()], args].concat();
        let flags = app().try_parse_from::<Flags>(args).unwrap().own.neutron;
        Neutron::with_environment(&flags, |_| None).unwrap()
    };
    for backend in [
        backend(&fake, &[PASSWORD, &[&other]].concat(), "secret"),
        // The system's authorities do not trust it, either.
        backend(&fake, PASSWORD, "secret"),
        without_login(&[&other]),
        without_login(&[]),
    ] {
        let refused = backend.get(&owner()).await;
        let Err(BackendError::Unavailable(message)) = refused else {
            panic!("{refused:?}");
        };
        assert!(message.contains("certificate"), "{message}");
    }
    assert!(eventually(|| fake.state.lock().refused_handshakes == 4).await);
    let requests = fake.state.lock().requests.clone();
    assert!(requests.is_empty(), "{requests:?}");
}

#[tokio::test]
async fn credentials_that_are_refused_are_told_in_the_status() {
    let fake = FakeNeutron::start().await;
    let rig = Rig::new();
    let running = rig.start_on(Arc::new(backend(&fake, PASSWORD, "wrong")));
    rig.create(&network("blue", "10.8.0.0/16", "10.8.0.1"))
        .await;
    rig.until("blue", Phase::Pending, "BackendUnauthorized")
        .await;
    rig.until_event("blue", "BackendUnauthorized").await;
    running.stop().await;
}
