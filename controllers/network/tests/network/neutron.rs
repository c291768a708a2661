//! Tests of the Neutron backend on a fake, and with `NEUTRON_URL` on a real neutron-server without
//! authentication (`hack/neutron.sh`).

use std::sync::Arc;

use codegen_runtime::connect::ClientOptions;
use codegen_runtime::kube::Config;
use network_controller::apis::samplecrd::v1::NetworkPhase as Phase;
use network_controller::app::{Flags, app};
use network_controller::backend::neutron::Neutron;
use network_controller::backend::{Addresses, Backend, BackendError, Owner};
use serde_json::{Value, json};

use crate::fake_neutron::FakeNeutron;
use crate::support::{Rig, network};

/// A Neutron: the server at `NEUTRON_URL`, or else a fake.
struct Site {
    neutron: Arc<Neutron>,
    url: String,
    _fake: Option<FakeNeutron>,
}

fn neutron(args: &[&str]) -> Neutron {
    let args = [&["network-controller", "--os-allow-http"], args].concat();
    let flags = app().try_parse_from::<Flags>(args).unwrap().own;
    Neutron::new(&flags.neutron).unwrap()
}

impl Site {
    async fn new() -> Self {
        let (url, fake) = match std::env::var("NEUTRON_URL") {
            Ok(url) => (url, None),
            Err(_) => {
                let fake = FakeNeutron::start().await;
                (fake.url.clone(), Some(fake))
            }
        };
        let neutron = neutron(&[
            &format!("--neutron-url={url}"),
            "--neutron-project=0123456789abcdef0123456789abcdef",
        ]);
        Self {
            neutron: Arc::new(neutron),
            url,
            _fake: fake,
        }
    }

    /// Sends a request that the backend never sends.
    async fn send(&self, request: http::request::Builder, body: Value) -> Value {
        let config = Config::new(self.url.parse().unwrap());
        let client = ClientOptions::new().connect(config).unwrap();
        let request = request.header("content-type", "application/json");
        // Neutron rejects a DELETE with a body.
        let body = match body {
            Value::Null => Vec::new(),
            body => body.to_string().into_bytes(),
        };
        let request = request.body(body).unwrap();
        let text = client.request_text(request).await.unwrap();
        serde_json::from_str(&text).unwrap_or_default()
    }
}

/// An owner with a unique uid, so that runs do not collide.
fn owner(name: &str) -> Owner {
    let now = std::time::SystemTime::now();
    let nanos = now
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_nanos();
    Owner {
        namespace: "default".to_owned(),
        name: name.to_owned(),
        uid: format!("{name}-{nanos:x}"),
    }
}

fn addresses(cidr: &str, gateway: &str) -> Addresses {
    Addresses {
        cidr: cidr.parse().unwrap(),
        gateway: gateway.parse().unwrap(),
    }
}

#[tokio::test]
async fn a_network_lives_and_every_call_may_be_made_again() {
    let site = Site::new().await;
    let backend = &site.neutron;
    for (name, cidr, gateway, other) in [
        ("four", "10.7.0.0/16", "10.7.0.1", "10.7.255.254"),
        ("six", "fd00:7::/64", "fd00:7::1", "fd00:7::2"),
    ] {
        let (owner, wanted) = (owner(name), addresses(cidr, gateway));
        assert_eq!(backend.get(&owner).await, Ok(None));
        let made = backend.create(&owner, wanted).await.unwrap();
        assert_eq!(
            (made.cidr, made.gateway),
            (Some(wanted.cidr), Some(wanted.gateway))
        );
        assert_eq!(
            backend.create(&owner, wanted).await,
            Ok(made.clone()),
            "created once"
        );
        assert_eq!(backend.get(&owner).await, Ok(Some(made.clone())));
        let other = other.parse().unwrap();
        backend.set_gateway(&owner, other).await.unwrap();
        backend.set_gateway(&owner, other).await.unwrap();
        let changed = backend.get(&owner).await.unwrap().unwrap();
        assert_eq!((changed.id, changed.gateway), (made.id, Some(other)));
        backend.delete(&owner).await.unwrap();
        assert_eq!(backend.get(&owner).await, Ok(None));
        backend.delete(&owner).await.unwrap();
    }
}

#[tokio::test]
async fn what_neutron_refuses_is_refused_with_its_words() {
    let site = Site::new().await;
    let owner = owner("refused");
    // The controller's validation rejects a gateway of the other family, but this test calls the
    // backend directly.
    let wrong = addresses("10.7.0.0/16", "fd00::1");
    let error = site.neutron.create(&owner, wrong).await.unwrap_err();
    assert!(matches!(error, BackendError::Refused(_)), "{error}");
    let made = site.neutron.get(&owner).await.unwrap().unwrap();
    assert_eq!(made.cidr, None, "a network without a subnet");
    let right = addresses("10.7.0.0/16", "10.7.0.1");
    let completed = site.neutron.create(&owner, right).await.unwrap();
    assert_eq!(completed.id, made.id, "completed, not created twice");
    site.neutron.delete(&owner).await.unwrap();
}

#[tokio::test]
async fn a_network_with_a_port_is_in_use_until_the_port_is_gone() {
    let site = Site::new().await;
    let (owner, wanted) = (owner("used"), addresses("10.7.0.0/16", "10.7.0.1"));
    let made = site.neutron.create(&owner, wanted).await.unwrap();
    let port = json!({ "port": { "network_id": made.id } });
    let port = site.send(http::Request::post("/v2.0/ports"), port).await;
    let error = site.neutron.delete(&owner).await.unwrap_err();
    assert!(matches!(error, BackendError::InUse(_)), "{error:?}");
    assert_eq!(site.neutron.get(&owner).await, Ok(Some(made)));
    let port = format!("/v2.0/ports/{}", port["port"]["id"].as_str().unwrap());
    site.send(http::Request::delete(port), Value::Null).await;
    site.neutron.delete(&owner).await.unwrap();
    assert_eq!(site.neutron.get(&owner).await, Ok(None));
}

#[tokio::test]
async fn the_controller_runs_on_neutron() {
    let (site, rig) = (Site::new().await, Rig::new());
    let running = rig.start_on(Arc::clone(&site.neutron) as Arc<dyn Backend>);
    let created = rig
        .create(&network("blue", "10.8.0.0/16", "10.8.0.1"))
        .await;
    let owner = Owner::of(&created);
    rig.until("blue", Phase::Active, "Available").await;
    rig.patch("blue", json!({ "gateway": "10.8.0.2" })).await;
    rig.until("blue", Phase::Active, "Available").await;
    let seen = site.neutron.get(&owner).await.unwrap().unwrap();
    assert_eq!(seen.gateway, Some("10.8.0.2".parse().unwrap()));
    rig.delete("blue").await;
    rig.until_gone("blue").await;
    assert_eq!(site.neutron.get(&owner).await, Ok(None));
    running.stop().await;
}

#[tokio::test]
async fn a_creation_that_was_cut_off_anywhere_is_completed() {
    let fake = FakeNeutron::start().await;
    let backend = neutron(&[&format!("--neutron-url={}", fake.url)]);
    let wanted = addresses("10.7.0.0/16", "10.7.0.1");
    // Any request may be the last one to arrive.
    for passes in 0..8 {
        let owner = owner(&format!("cut-{passes}"));
        let cut = CutOff::start(&fake, passes).await;
        let first = neutron(&[&format!("--neutron-url={}", cut.url)]);
        let failed = first.create(&owner, wanted).await.is_err();
        let made = backend.create(&owner, wanted).await.unwrap();
        assert_eq!(backend.get(&owner).await, Ok(Some(made)), "after {passes}");
        let state = fake.state.lock();
        let of_owner = |list: &[serde_json::Value]| {
            list.iter()
                .filter(|it| it["description"] == owner.uid)
                .count()
        };
        assert_eq!(
            (of_owner(&state.networks), of_owner(&state.subnets)),
            (1, 1),
            "after {passes}"
        );
        if passes == 7 {
            assert!(!failed, "the creation takes seven requests at most");
        }
    }
}

/// Forwards the first `passes` requests to a fake, then closes every connection.
struct CutOff {
    url: String,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for CutOff {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl CutOff {
    async fn start(fake: &FakeNeutron, passes: usize) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let target = fake.url.trim_start_matches("http://").to_owned();
        let state = Arc::clone(&fake.state);
        let before = state.lock().requests.len();
        let task = tokio::spawn(async move {
            loop {
                let (mut client, _) = listener.accept().await.unwrap();
                let (target, state) = (target.clone(), Arc::clone(&state));
                tokio::spawn(async move {
                    let mut server = tokio::net::TcpStream::connect(target).await.unwrap();
                    let (mut from_client, mut to_client) = client.split();
                    let (mut from_server, mut to_server) = server.split();
                    let mut buffer = vec![0; 1 << 16];
                    loop {
                        use tokio::io::{AsyncReadExt, AsyncWriteExt};
                        let Ok(read @ 1..) = from_client.read(&mut buffer).await else {
                            return;
                        };
                        if state.lock().requests.len() - before >= passes {
                            return; // drops the response and all further requests
                        }
                        to_server.write_all(&buffer[..read]).await.unwrap();
                        let Ok(read @ 1..) = from_server.read(&mut buffer).await else {
                            return;
                        };
                        to_client.write_all(&buffer[..read]).await.unwrap();
                    }
                });
            }
        });
        Self { url, task }
    }
}

#[tokio::test]
async fn two_networks_of_one_object_become_one() {
    let fake = FakeNeutron::start().await;
    let backend = neutron(&[&format!("--neutron-url={}", fake.url)]);
    let (owner, wanted) = (owner("double"), addresses("10.7.0.0/16", "10.7.0.1"));
    let made = backend.create(&owner, wanted).await.unwrap();
    {
        let mut state = fake.state.lock();
        let mut double = state.networks[0].clone();
        double["id"] = json!("double");
        double["created_at"] = json!("2027-01-01T00:00:00Z");
        state.networks.push(double);
    }
    assert_eq!(backend.create(&owner, wanted).await, Ok(made));
    assert_eq!(fake.state.lock().networks.len(), 1);
}

#[tokio::test]
async fn later_is_tried_later_and_other_errors_are_told() {
    use http::StatusCode as S;
    let fake = FakeNeutron::start().await;
    let backend = neutron(&[&format!("--neutron-url={}", fake.url)]);
    let owner = owner("later");
    let check = async |refuse: &[S], requests: usize, is_ok: bool| {
        let before = {
            let mut state = fake.state.lock();
            state.refuse = refuse.to_vec();
            state.requests.len()
        };
        let result = backend.get(&owner).await;
        assert_eq!(result.is_ok(), is_ok, "{refuse:?}: {result:?}");
        let state = fake.state.lock();
        assert_eq!(state.requests.len() - before, requests, "{refuse:?}");
        result
    };
    let _ = check(&[S::TOO_MANY_REQUESTS, S::SERVICE_UNAVAILABLE], 4, true).await;
    fake.state.lock().retry_after = Some("0");
    let _ = check(&[S::SERVICE_UNAVAILABLE; 9], 4, false).await;
    let _ = check(&[S::TOO_MANY_REQUESTS; 9], 4, false).await;
    let refused = check(&[S::BAD_REQUEST], 1, false).await;
    assert_eq!(refused, Err(BackendError::Refused("to order".to_owned())));
    let broken = check(&[S::INTERNAL_SERVER_ERROR], 1, false).await;
    assert!(matches!(broken, Err(BackendError::Unavailable(_))));
}

#[tokio::test]
async fn flags_that_do_not_fit_are_named() {
    let parse = |args: &[&str]| {
        let args = [&["network-controller"], args].concat();
        let flags = app().try_parse_from::<Flags>(args).unwrap().own;
        Neutron::new(&flags.neutron).unwrap_err().to_string()
    };
    assert_eq!(
        parse(&[]),
        "--backend=neutron needs --neutron-url or --os-auth-url"
    );
    assert!(parse(&["--neutron-url=neutron:9696"]).contains("is not a URL"));
    let auth = "--os-auth-url=http://127.0.0.1:1/v3";
    assert!(parse(&[auth]).contains("--os-username"));
    assert!(
        parse(&[auth, "--os-application-credential-id=x"])
            .contains("$OS_APPLICATION_CREDENTIAL_SECRET")
    );
}

#[tokio::test]
async fn addresses_without_encryption_are_refused_unless_asked_for() {
    let built = |args: &[&str]| {
        let args = [
            &[
                "network-controller",
                "--os-username=x",
                "--os-project-name=x",
            ],
            args,
        ]
        .concat();
        let flags = app().try_parse_from::<Flags>(args).unwrap().own;
        let built = Neutron::with_environment(&flags.neutron, |_| Some("s3cret".to_owned()));
        built
            .map(|neutron| format!("{neutron:?}"))
            .map_err(|error| error.to_string())
    };
    for address in [
        "--os-auth-url=http://127.0.0.1:1/v3",
        "--neutron-url=http://127.0.0.1:1",
    ] {
        let refused = built(&[address]).unwrap_err();
        assert!(refused.contains("is not encrypted"), "{refused}");
        let shown = built(&[address, "--os-allow-http"]).unwrap();
        assert!(!shown.contains("s3cret"), "{shown}");
        built(&[&address.replace("http:", "https:")]).unwrap();
    }
}
