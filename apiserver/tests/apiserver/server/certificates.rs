//! Certificates of webhooks, and the verdicts of a Go client on them.
//!
//! `hack/certificates.sh` writes the certificates of the table to a folder and compares Go's
//! verdicts with `testdata/certificates/verdicts.tsv`.

use std::path::Path;
use std::sync::Arc;

use embedded_apiserver::ApiServer;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::map;
use crate::support::ask;

const VERDICTS: &str = include_str!("../../../../testdata/certificates/verdicts.tsv");

/// A certificate with its key.
struct Made {
    params: CertificateParams,
    key: KeyPair,
    certificate: rcgen::Certificate,
}

/// Makes a certificate for the address 127.0.0.1, signed by another or by itself.
fn made(name: &str, issuer: Option<&Made>, change: impl FnOnce(&mut CertificateParams)) -> Made {
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    change(&mut params);
    let key = KeyPair::generate().unwrap();
    let certificate = match issuer {
        Some(issuer) => {
            let issuer = Issuer::from_params(&issuer.params, &issuer.key);
            params.signed_by(&key, &issuer).unwrap()
        }
        None => params.self_signed(&key).unwrap(),
    };
    Made {
        params,
        key,
        certificate,
    }
}

fn authority(params: &mut CertificateParams) {
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.subject_alt_names.clear();
}

fn expired(params: &mut CertificateParams) {
    params.not_before = date_time_ymd(2001, 2, 3);
    params.not_after = date_time_ymd(2004, 5, 6);
}

fn named(name: &'static str) -> impl FnOnce(&mut CertificateParams) {
    move |params| {
        params.subject_alt_names = CertificateParams::new([name.to_owned()])
            .unwrap()
            .subject_alt_names;
    }
}

/// What a server presents, its own certificate first, and the bundle of its client.
struct Case {
    name: &'static str,
    host: &'static str,
    key: PrivateKeyDer<'static>,
    presented: Vec<CertificateDer<'static>>,
    presented_pem: String,
    bundle: String,
}

fn case(name: &'static str, presented: &[&Made], bundle: &[&Made]) -> Case {
    let pem = |list: &[&Made]| -> String { list.iter().map(|it| it.certificate.pem()).collect() };
    Case {
        name,
        host: "127.0.0.1",
        key: PrivateKeyDer::try_from(presented[0].key.serialize_der()).unwrap(),
        presented: presented
            .iter()
            .map(|it| it.certificate.der().clone())
            .collect(),
        presented_pem: pem(presented),
        bundle: pem(bundle),
    }
}

fn cases() -> Vec<Case> {
    let plain = |_: &mut CertificateParams| {};
    let root = made("root", None, authority);
    let leaf = made("leaf", Some(&root), plain);
    let middle = made("middle", Some(&root), authority);
    let low = made("low", Some(&middle), plain);
    let alone = made("alone", None, plain);
    let own = |change: fn(&mut CertificateParams)| made("own", None, change);
    let is_ca = own(|it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained));
    let is_no_ca = own(|it| it.is_ca = IsCa::ExplicitNoCa);
    let old = own(expired);
    let early = own(|it| it.not_before = date_time_ymd(4000, 1, 1));
    let by_leaf = made("by a leaf", Some(&leaf), plain);
    let by_no_ca = made("by no authority", Some(&is_no_ca), plain);
    let old_root = made("old root", None, |it| {
        authority(it);
        expired(it);
    });
    let by_old_root = made("leaf", Some(&old_root), plain);
    let ca_leaf = made("leaf", Some(&root), |it| {
        it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    });
    let other = made("other", None, authority);
    let same_name = made("root", None, authority);
    let for_clients = made("leaf", Some(&root), |it| {
        it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    });
    let for_both = made("leaf", Some(&root), |it| {
        it.extended_key_usages = vec![
            ExtendedKeyUsagePurpose::ClientAuth,
            ExtendedKeyUsagePurpose::ServerAuth,
        ];
    });
    let own_for_clients =
        own(|it| it.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth]);
    let short_root = made("short root", None, |it| {
        authority(it);
        it.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    });
    let too_low = made("middle", Some(&short_root), authority);
    let lowest = made("leaf", Some(&too_low), plain);
    let no_signer = made("no signer", None, |it| {
        authority(it);
        it.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    });
    let by_no_signer = made("leaf", Some(&no_signer), plain);
    let elsewhere = made("own", None, named("127.0.0.2"));
    let host_only = made("own", None, named("example.com"));
    let wildcard = made("own", None, named("*.example.com"));
    let legacy = made("localhost", None, |it| it.subject_alt_names.clear());
    let local = made("own", None, named("localhost"));
    let at = |host, case: Case| Case { host, ..case };
    vec![
        case("self-signed", &[&alone], &[&alone]),
        case("self-signed, CA:TRUE", &[&is_ca], &[&is_ca]),
        case("self-signed, CA:FALSE", &[&is_no_ca], &[&is_no_ca]),
        case("leaf and CA", &[&leaf, &root], &[&root]),
        case("leaf without its CA", &[&leaf], &[&root]),
        case("leaf and that leaf", &[&leaf], &[&leaf]),
        case(
            "leaf, and others before it",
            &[&leaf],
            &[&other, &alone, &leaf],
        ),
        case("leaf that is a CA", &[&ca_leaf], &[&root]),
        case("chain of three", &[&low, &middle], &[&root]),
        case("chain with a gap", &[&low], &[&root]),
        case("intermediate as the anchor", &[&low], &[&middle]),
        case("signed by a leaf of the bundle", &[&by_leaf], &[&leaf]),
        case(
            "signed by a leaf of the chain",
            &[&by_leaf, &leaf],
            &[&root],
        ),
        case("signed by a CA:FALSE", &[&by_no_ca], &[&is_no_ca]),
        case(
            "signed by a key that may not sign",
            &[&by_no_signer],
            &[&no_signer],
        ),
        case("path too long", &[&lowest, &too_low], &[&short_root]),
        case("expired", &[&old], &[&old]),
        case("not yet valid", &[&early], &[&early]),
        case("expired CA", &[&by_old_root], &[&old_root]),
        case("other CA", &[&leaf], &[&other]),
        case("other CA of the same name", &[&leaf], &[&same_name]),
        case("other self-signed", &[&alone], &[&is_ca]),
        case("for clients", &[&for_clients], &[&root]),
        case(
            "for clients, in the bundle",
            &[&own_for_clients],
            &[&own_for_clients],
        ),
        case("for clients and servers", &[&for_both], &[&root]),
        case("other address", &[&elsewhere], &[&elsewhere]),
        case("name, not an address", &[&host_only], &[&host_only]),
        at("localhost", case("host name", &[&local], &[&local])),
        at(
            "localhost",
            case("address, not a name", &[&alone], &[&alone]),
        ),
        at(
            "localhost",
            case("other host name", &[&host_only], &[&host_only]),
        ),
        at(
            "localhost",
            case("wildcard of another domain", &[&wildcard], &[&wildcard]),
        ),
        at(
            "localhost",
            case("common name only", &[&legacy], &[&legacy]),
        ),
    ]
}

/// Writes the cases for Go.
fn write_cases(folder: &Path) {
    for case in cases() {
        let folder = folder.join(case.name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("host"), case.host).unwrap();
        std::fs::write(folder.join("presented.pem"), case.presented_pem).unwrap();
        std::fs::write(folder.join("bundle.pem"), case.bundle).unwrap();
    }
}

/// Serves TLS with a certificate, and refuses every request.
async fn serve(case: &Case) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(case.presented.clone(), case.key.clone_key())
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                use tokio::io::{AsyncReadExt, AsyncWriteExt};
                let Ok(mut stream) = acceptor.accept(stream).await else {
                    return;
                };
                let mut sent = [0; 4096];
                drop(stream.read(&mut sent).await);
                let answer =
                    "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                drop(stream.write_all(answer.as_bytes()).await);
                drop(stream.shutdown().await);
            });
        }
    });
    port
}

/// Returns the server's verdict on a certificate, as Go's program prints it.
async fn verdict(case: &Case) -> String {
    use base64::Engine;
    let port = serve(case).await;
    let url = format!("https://{}:{port}/", case.host);
    let bundle = base64::engine::general_purpose::STANDARD.encode(&case.bundle);
    let configuration = json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "c"},
        "webhooks": [{
            "name": "a.b.c", "clientConfig": {"url": url, "caBundle": bundle},
            "rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "scope": "*"}],
            "admissionReviewVersions": ["v1"], "sideEffects": "None", "timeoutSeconds": 10,
        }],
    });
    let server = ApiServer::builder()
        .objects([configuration])
        .build()
        .unwrap();
    let path = "/api/v1/namespaces/default/configmaps";
    let body = serde_json::to_value(map("a")).unwrap();
    let (_, answer) = ask(&server, http::Method::POST, path, &body).await;
    let message = answer["message"].as_str().unwrap_or_default().to_owned();
    // A trusted server is heard: its answer is the failure.
    if message.ends_with("the server could not find the requested resource") {
        return "trusted".to_owned();
    }
    let marker = format!("Post \"{url}?timeout=10s\": tls: failed to verify certificate: ");
    let (_, why) = message
        .split_once(&marker)
        .unwrap_or_else(|| panic!("{}: {message}", case.name));
    match why.split_once("current time ") {
        None => why.to_owned(),
        Some((before, rest)) => {
            let (_, after) = rest.split_once(' ').unwrap();
            format!("{before}current time T {after}")
        }
    }
}

#[tokio::test]
async fn certificates_are_trusted_as_by_a_go_client() {
    if let Ok(folder) = std::env::var("CERTIFICATE_CASES") {
        return write_cases(Path::new(&folder));
    }
    let expected: Value = VERDICTS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(name, verdict)| (name.to_owned(), Value::from(verdict)))
        .collect();
    let mut found = json!({});
    for case in cases() {
        found[case.name] = verdict(&case).await.into();
    }
    assert_eq!(
        format!("{found:#}"),
        format!("{expected:#}"),
        "run hack/certificates.sh"
    );
}
