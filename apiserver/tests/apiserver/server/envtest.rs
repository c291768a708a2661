//! The programs `etcd` and `kube-apiserver`, started as controller-runtime's envtest starts them.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Service};
use kube::api::{DeleteParams, ListParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, SanType};
use serde_json::{Value, json};

use super::map;

/// A certificate authority.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        params
            .distinguished_name
            .push(DnType::CommonName, "envtest-environment");
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self {
            issuer: Issuer::new(params, key),
            pem,
        }
    }

    /// Returns a certificate and its key.
    fn sign(
        &self,
        name: &str,
        groups: &[&str],
        usage: ExtendedKeyUsagePurpose,
    ) -> (String, String) {
        let mut params = CertificateParams::default();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::CommonName, name);
        for group in groups {
            params
                .distinguished_name
                .push(DnType::OrganizationName, *group);
        }
        params.extended_key_usages = vec![usage];
        params.subject_alt_names = vec![SanType::IpAddress([127, 0, 0, 1].into())];
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }
}

/// A running program, which ends with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Program {
    fn start(folder: &Path, name: &str, arguments: &[String]) -> Self {
        let mut command = Command::new(folder.join(name));
        command.args(arguments).stderr(Stdio::piped());
        Self(command.spawn().unwrap())
    }

    /// Sends SIGTERM; returns whether the program succeeded, and what it said.
    fn terminate(mut self) -> (bool, String) {
        let id = self.0.id().to_string();
        assert!(Command::new("kill").arg(id).status().unwrap().success());
        let succeeded = self.0.wait().unwrap().success();
        let mut said = String::new();
        let errors = self.0.stderr.as_mut().unwrap();
        errors.read_to_string(&mut said).unwrap();
        (succeeded, said)
    }
}

/// A port that is free now: envtest picks ports in this way.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

fn assets(test: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("envtest-{test}"));
    let output = Command::new(env!("CARGO_BIN_EXE_embedded-apiserver"))
        .args(["envtest", "--install"])
        .arg(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let real = fs::canonicalize(&folder).unwrap();
    assert_eq!(
        said,
        format!("export KUBEBUILDER_ASSETS='{}'\n", real.display())
    );
    folder
}

/// Runs a program that answers a question and ends.
fn answer(folder: &Path, name: &str, flag: &str) -> String {
    let output = Command::new(folder.join(name)).arg(flag).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// A control plane of which only the API server matters.
struct Plane {
    server: Program,
    url: String,
    /// The authorities of the server's certificate and of its clients.
    serving: Authority,
    clients: Authority,
}

impl Plane {
    fn start(assets: &Path, name: &str, more: &[&str]) -> Self {
        let folder = assets.join(name);
        fs::create_dir_all(&folder).unwrap();
        let (serving, clients) = (Authority::new(), Authority::new());
        let (certificate, key) =
            serving.sign("localhost", &[], ExtendedKeyUsagePurpose::ServerAuth);
        fs::write(folder.join("apiserver.crt"), certificate).unwrap();
        fs::write(folder.join("apiserver.key"), key).unwrap();
        let file = |name: &str| folder.join(name).display().to_string();
        fs::write(file("clients.crt"), &clients.pem).unwrap();
        fs::write(file("tokens.csv"), "secret,bob,7,\"devs,testers\"\n").unwrap();
        let port = free_port();
        let mut arguments: Vec<String> = [
            "--allow-privileged=true".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--cert-dir={}", folder.display()),
            format!("--client-ca-file={}", file("clients.crt")),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            "--etcd-servers=http://127.0.0.1:1".to_owned(),
            format!("--secure-port={port}"),
            format!("--service-account-issuer=https://127.0.0.1:{port}/"),
            format!("--service-account-key-file={}", file("sa-signer.crt")),
            format!(
                "--service-account-signing-key-file={}",
                file("sa-signer.key")
            ),
            "--service-cluster-ip-range=10.7.0.0/24".to_owned(),
            format!("--token-auth-file={}", file("tokens.csv")),
        ]
        .into();
        arguments.extend(more.iter().map(|&flag| flag.to_owned()));
        Self {
            server: Program::start(assets, "kube-apiserver", &arguments),
            url: format!("https://127.0.0.1:{port}"),
            serving,
            clients,
        }
    }

    /// Returns a client with the credentials of a kubeconfig.
    async fn client(&self, credentials: Value) -> Client {
        let config: Kubeconfig = serde_json::from_value(json!({
            "clusters": [{"name": "c", "cluster": {
                "server": self.url, "certificate-authority-data": BASE64.encode(&self.serving.pem)}}],
            "users": [{"name": "u", "user": credentials}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "default"}}],
            "current-context": "x",
        }))
        .unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(config, &options).await;
        Client::try_from(config.unwrap()).unwrap()
    }

    async fn certified(&self, authority: &Authority, name: &str, groups: &[&str]) -> Client {
        let (certificate, key) = authority.sign(name, groups, ExtendedKeyUsagePurpose::ClientAuth);
        self.client(json!({
            "client-certificate-data": BASE64.encode(certificate), "client-key-data": BASE64.encode(key)}))
            .await
    }

    /// Waits until the server is healthy, as envtest does: without credentials.
    async fn ready(&self) {
        let client = self.client(json!({})).await;
        let mut healthy = String::new();
        while healthy != "ok" {
            tokio::time::sleep(Duration::from_millis(20)).await;
            let request = http::Request::get("/healthz").body(Vec::new()).unwrap();
            healthy = client.request_text(request).await.unwrap_or_default();
        }
    }
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: kube::Result<T>) -> (u16, String) {
    match result {
        Err(kube::Error::Api(status)) => (status.code, status.message),
        other => panic!("{other:?}"),
    }
}

async fn maps(client: Client) -> kube::Result<usize> {
    let maps = Api::<ConfigMap>::default_namespaced(client);
    Ok(maps.list(&ListParams::default()).await?.items.len())
}

#[test]
fn etcd_is_healthy_and_stops() {
    let assets = assets("etcd");
    assert!(answer(&assets, "etcd", "--help").contains("\n      --unsafe-no-fsync "));
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let etcd = Program::start(
        &assets,
        "etcd",
        &[
            format!("--advertise-client-urls={url}"),
            "--data-dir=/nowhere".to_owned(),
            format!("--listen-client-urls={url}"),
            "--listen-peer-urls=http://127.0.0.1:1".to_owned(),
            "--unsafe-no-fsync=true".to_owned(),
        ],
    );
    let mut said = String::new();
    while said.is_empty() {
        std::thread::sleep(Duration::from_millis(20));
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else {
            continue;
        };
        let request = b"GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
        stream.write_all(request).unwrap();
        stream.read_to_string(&mut said).unwrap();
    }
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    assert!(said.ends_with(r#"{"health":"true","reason":""}"#), "{said}");
    assert_eq!(etcd.terminate(), (true, String::new()));
}

#[tokio::test]
async fn a_certificate_a_token_or_nothing_says_who_a_client_is() {
    let assets = assets("users");
    let plane = Plane::start(&assets, "users", &[]);
    plane.ready().await;
    let admin = plane
        .certified(&plane.clients, "admin", &["system:masters"])
        .await;
    assert_eq!(maps(admin.clone()).await.unwrap(), 0);
    let forbidden = |user: &str| {
        let why =
            format!("configmaps is forbidden: User {user:?} cannot list resource \"configmaps\"");
        (
            403,
            format!("{why} in API group \"\" in the namespace \"default\""),
        )
    };
    let ann = plane.certified(&plane.clients, "ann", &["devs"]).await;
    assert_eq!(refused(maps(ann.clone()).await), forbidden("ann"));
    let anonymous = plane.client(json!({})).await;
    let seen = refused(maps(anonymous).await);
    assert_eq!(seen, forbidden("system:anonymous"));
    let bob = plane.client(json!({"token": "secret"})).await;
    assert_eq!(refused(maps(bob.clone()).await), forbidden("bob"));
    let unknown = plane.client(json!({"token": "other"})).await;
    assert_eq!(
        refused(maps(unknown).await),
        (401, "Unauthorized".to_owned())
    );
    let stranger = Authority::new();
    let stranger = plane
        .certified(&stranger, "admin", &["system:masters"])
        .await;
    assert_eq!(
        refused(maps(stranger).await),
        (401, "Unauthorized".to_owned())
    );
    let masked = plane
        .client(json!({"token": "secret", "as": "ann", "as-groups": ["devs"]}))
        .await;
    let (code, why) = refused(maps(masked).await);
    assert_eq!(code, 403);
    assert_eq!(
        why,
        "users \"ann\" is forbidden: User \"bob\" cannot impersonate resource \"users\" in API group \"\" at the cluster scope"
    );
    // The group of both.
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "devs"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "devs"}],
    });
    Api::all(admin)
        .create(
            &PostParams::default(),
            &serde_json::from_value::<k8s_openapi::api::rbac::v1::ClusterRoleBinding>(binding)
                .unwrap(),
        )
        .await
        .unwrap();
    assert_eq!(maps(ann).await.unwrap(), 0);
    assert_eq!(maps(bob).await.unwrap(), 0);
}

#[tokio::test]
async fn control_planes_run_beside_each_other_as_envtests_do() {
    let assets = assets("planes");
    let help = answer(&assets, "kube-apiserver", "--help");
    assert!(!help.contains("--insecure-port"));
    let version = answer(&assets, "kube-apiserver", "--version");
    assert_eq!(
        version,
        format!("Kubernetes {}\n", embedded_apiserver::VERSION)
    );
    let flags = [
        "--audit-log-path=-",
        "--enable-admission-plugins=ResourceQuota,OwnerReferencesPermissionEnforcement",
    ];
    let planes = [
        Plane::start(&assets, "first", &flags),
        Plane::start(&assets, "second", &[]),
    ];
    for plane in &planes {
        plane.ready().await;
        let admin = plane
            .certified(&plane.clients, "admin", &["system:masters"])
            .await;
        let maps = Api::<ConfigMap>::default_namespaced(admin.clone());
        maps.create(&PostParams::default(), &map("m"))
            .await
            .unwrap();
        let foreground = DeleteParams::foreground();
        maps.delete("m", &foreground).await.unwrap();
        let kept = maps.get("m").await.unwrap().metadata.finalizers;
        assert_eq!(kept.unwrap(), ["foregroundDeletion"]);
        let namespaces = Api::<Namespace>::all(admin.clone());
        assert!(namespaces.get("default").await.is_ok());
        let services = Api::<Service>::default_namespaced(admin);
        let service = services.get("kubernetes").await.unwrap().spec.unwrap();
        assert_eq!(service.cluster_ip.as_deref(), Some("10.7.0.1"));
    }
    let [first, second] = planes;
    let (succeeded, said) = first.server.terminate();
    assert!(succeeded);
    assert_eq!(
        said,
        "warning: the flag --audit-log-path is ignored\n\
         warning: --enable-admission-plugins: there is no plugin ResourceQuota here, so it stays off\n"
    );
    assert_eq!(second.server.terminate(), (true, String::new()));
}

#[test]
fn a_kube_apiserver_that_cannot_start_says_why() {
    let assets = assets("faults");
    let check = |arguments: &[&str], expected: &str| {
        let output = Command::new(assets.join("kube-apiserver"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(!output.status.success());
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains(expected), "{said}");
    };
    check(
        &["--cert-dir=/nowhere"],
        "name a certificate and its key with --tls-cert-file and --tls-private-key-file, or with --cert-dir",
    );
    check(&["--secure-port=no"], "--secure-port: expected a port");
    check(
        &["--bind-address", "x"],
        "--bind-address: expected an IP address",
    );
    check(
        &["--service-cluster-ip-range=10.0.0.0/30"],
        "expected a range such as 10.0.0.0/24, not \"10.0.0.0/30\"",
    );
    check(
        &["--authorization-mode=Webhook"],
        "--authorization-mode: expected RBAC or AlwaysAllow, not Webhook",
    );
}
