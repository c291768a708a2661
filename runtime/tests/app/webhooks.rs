//! Tests of a program's webhooks: their flags, and calls by the server of `demo`.

use std::time::Duration;

use codegen_runtime::app::{App, AppError, BoxError, Demo};
use codegen_runtime::codec;
use codegen_runtime::controller::{Action, Context, Controller, reconcile_with};
use codegen_runtime::fake;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::{Manager, ManagerBuilder};
use codegen_runtime::webhook::{AdmissionRequest, Certificates, Refusal, WebhookServer, Webhooks};
use k8s_openapi::api::core::v1::{ConfigMap, ConfigMapVolumeSource, SecretVolumeSource};
use kube::api::{Api, PostParams};
use tokio_util::sync::CancellationToken;

/// The configuration that `kube-codegen` generates from a marker.
const CONFIGURATION: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: greet}
webhooks:
- name: mconfigmap-v1.kb.io
  clientConfig: {service: {name: any, namespace: system, path: /mutate--v1-configmap}}
  rules:
  - {apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE]}
  admissionReviewVersions: [v1]
  sideEffects: None
"#;

fn greet(map: &mut ConfigMap, _: &AdmissionRequest) -> Result<(), Refusal> {
    let data = map.data.get_or_insert_default();
    data.entry("greeting".to_owned()).or_insert("hello".into());
    Ok(())
}

fn webhooks() -> Webhooks {
    Webhooks::builder().defaulter(greet).build()
}

fn app() -> App {
    App::new("greet-controller", "1.2.3")
}

/// The code of docs/webhooks.md.
async fn serving(
    factory: &SharedInformerFactory,
    controller: Controller,
) -> Result<Manager, BoxError> {
    // The folder has tls.crt and tls.key.
    let certificates = Certificates::from_folder("/tmp/k8s-webhook-server/serving-certs")?;
    let server = WebhookServer::bind("[::]:9443", certificates, webhooks()).await?;
    let manager = Manager::builder(factory)
        .controller(controller)
        .webhooks(server)
        .build()?;
    Ok(manager)
}

#[tokio::test]
async fn without_certificates_nothing_is_served() {
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let factory: SharedInformerFactory = SharedInformerFactory::builder(client).build();
    let builder = Controller::builder("maps", &factory).for_::<ConfigMap>();
    let (recorder, _events) = fake::recorder();
    let context = Context::<ConfigMap>::new(&factory, recorder);
    let idle = reconcile_with(context, |_, _| async {
        Ok::<_, kube::Error>(Action::done())
    });
    let served = serving(&factory, builder.build(idle).unwrap()).await;
    assert!(served.is_err(), "there is no such folder");
}

#[tokio::test]
async fn the_server_of_a_demo_calls_webhooks_without_certificates() {
    let demo = Demo::new().objects(CONFIGURATION).webhooks(webhooks());
    let server = demo.server().unwrap();
    let api = Api::<ConfigMap>::namespaced(server.client(), "default");
    let map: ConfigMap = serde_json::from_str(r#"{"metadata": {"name": "a"}}"#).unwrap();
    let created = api.create(&PostParams::default(), &map).await.unwrap();
    assert_eq!(created.data.unwrap()["greeting"], "hello");
}

#[test]
fn only_programs_with_webhooks_have_their_flags() {
    let line = ["greet-controller", "--webhook-cert-path=/certificates"];
    assert!(app().try_parse_from::<()>(line).is_err());
    let app = app().webhooks(webhooks());
    app.command::<()>().debug_assert();
    let flags = app.try_parse_from::<()>(line).unwrap().flags.webhooks;
    let flags = flags.unwrap();
    assert_eq!(flags.webhook_bind_address.0.unwrap().port(), 9443);
    assert_eq!(
        flags.webhook_cert_path.unwrap().to_str(),
        Some("/certificates")
    );
    assert_eq!(flags.shutdown_delay, Duration::from_secs(10));
}

#[test]
fn the_delay_of_a_shutdown_may_be_none() {
    let app = app().webhooks(webhooks());
    for (text, expected) in [
        ("0", Some(0)),
        ("0s", Some(0)),
        ("90s", Some(90)),
        ("-1s", None),
    ] {
        let line = [
            "greet-controller".to_owned(),
            format!("--shutdown-delay={text}"),
        ];
        let parsed = app.try_parse_from::<()>(line).ok();
        let delay = parsed.map(|it| it.flags.webhooks.unwrap().shutdown_delay);
        assert_eq!(delay, expected.map(Duration::from_secs), "{text}");
    }
}

#[tokio::test]
async fn a_certificate_that_is_not_there_ends_the_program_before_setup() {
    let app = app().webhooks(webhooks());
    let line = [
        "greet-controller",
        "--webhook-cert-path=/nowhere",
        "--webhook-bind-address=127.0.0.1:0",
    ];
    let flags = app.try_parse_from::<()>(line).unwrap().flags;
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let setup = async |_, ()| -> Result<ManagerBuilder, BoxError> { unreachable!("setup") };
    let stop = CancellationToken::new();
    let ended = app.run_with(client, flags, (), setup, &stop).await;
    assert!(matches!(ended, Err(AppError::Certificate(_))), "{ended:?}");
}

#[tokio::test]
async fn the_manager_serves_webhooks_with_the_certificate_of_the_flags() {
    let folder = tempfile("certificates");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("tls.crt"), made.cert.pem()).unwrap();
    std::fs::write(folder.join("tls.key"), made.signing_key.serialize_pem()).unwrap();
    let health = free_address();
    let app = app().webhooks(webhooks());
    let line = [
        "greet-controller".to_owned(),
        "--leader-elect=false".to_owned(),
        format!("--webhook-cert-path={}", folder.display()),
        "--webhook-bind-address=127.0.0.1:0".to_owned(),
        format!("--health-probe-bind-address={health}"),
        "--shutdown-delay=0s".to_owned(),
    ];
    let flags = app.try_parse_from::<()>(line).unwrap().flags;
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let stop = CancellationToken::new();
    let setup = async |process: codegen_runtime::app::Process, ()| {
        let factory = process.factory();
        process.manager(&factory)
    };
    let running = app.run_with(client, flags, (), setup, &stop);
    let ready = async {
        while !says_ok(&health).await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    let mut running = std::pin::pin!(running);
    tokio::select! {
        ended = &mut running => panic!("the program ended: {ended:?}"),
        () = ready => stop.cancel(),
    }
    running.await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

/// Whether `/readyz` has the check of webhooks, and it passes.
async fn says_ok(address: &str) -> bool {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let Ok(mut stream) = tokio::net::TcpStream::connect(address).await else {
        return false;
    };
    let request = b"GET /readyz?verbose HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    let mut answer = String::new();
    // Another process that has the port for a moment does not answer.
    let asked = stream.write_all(request).await;
    let read = stream.read_to_string(&mut answer).await;
    asked.is_ok()
        && read.is_ok()
        && answer.starts_with("HTTP/1.1 200")
        && answer.contains("[+]webhooks ok")
}

fn free_address() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn tempfile(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn values_are_recoded_as_far_as_types_are_equal() {
    let secret = SecretVolumeSource {
        default_mode: Some(4),
        secret_name: Some("a".to_owned()),
        ..SecretVolumeSource::default()
    };
    let map: ConfigMapVolumeSource = codec::recoded(&secret).unwrap();
    assert_eq!(map.default_mode, Some(4));
    assert!(codec::recoded::<u32>(&secret).is_err());
}

#[cfg(feature = "self-signed")]
#[tokio::test]
async fn a_program_makes_the_certificate_of_its_webhooks() {
    use k8s_openapi::api::admissionregistration::v1::MutatingWebhookConfiguration;

    let app = app().webhooks(webhooks());
    let parse = |flag: &str| {
        let line = [
            "greet-controller",
            flag,
            "--webhook-bind-address=127.0.0.1:0",
        ];
        app.try_parse_from::<()>(line).map(|parsed| parsed.flags)
    };
    for wrong in ["any", "/any", "system/", "system/any/path", "system/Any"] {
        assert!(
            parse(&format!("--webhook-self-signed={wrong}")).is_err(),
            "{wrong}"
        );
    }
    let flags = parse("--webhook-self-signed=system/any").unwrap();
    let namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: system}}";
    let demo = Demo::new().objects(namespace).objects(CONFIGURATION);
    let server = demo.server().unwrap();
    let setup = async |_, ()| -> Result<ManagerBuilder, BoxError> { Err("setup".into()) };
    let stop = CancellationToken::new();
    let ended = app.run_with(server.client(), flags, (), setup, &stop).await;
    assert!(matches!(ended, Err(AppError::Setup(_))), "{ended:?}");
    let configurations = Api::<MutatingWebhookConfiguration>::all(server.client());
    let told = configurations.get("greet").await.unwrap();
    let client = told.webhooks.unwrap().swap_remove(0).client_config;
    let bundle = String::from_utf8(client.ca_bundle.unwrap().0).unwrap();
    assert!(bundle.starts_with("-----BEGIN CERTIFICATE-----"));
}
