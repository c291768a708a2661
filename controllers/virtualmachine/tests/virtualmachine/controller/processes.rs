//! Three controllers, as in three terminals: one leads, the others wait, and no two of them ever
//! call the driver at the same time.
//!
//! They share their simulated servers in a folder, whose journal records every caller and request.
//! The API server is an embedded one, or the cluster of `CONFORMANCE_KUBECONFIG`. With `KUBECTL`
//! set, the sample is applied with that kubectl.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use codegen_runtime::client::{
    Defaults, TypedClient,
    verbs::{All, WithStatus},
};
use codegen_runtime::k8s_openapi::api::coordination::v1::Lease;
use codegen_runtime::k8s_openapi::api::core::v1::Namespace;
use codegen_runtime::k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use codegen_runtime::kube::api::{ObjectMeta, Patch, PatchParams};
use codegen_runtime::kube::config::{KubeConfigOptions, Kubeconfig};
use codegen_runtime::kube::{Client, Config};
use embedded_apiserver::{ApiServer, Serving};
use serde_json::{Value, json};
use virtualmachine_controller::apis::cloudnative::v1alpha1::{
    VirtualMachine, VirtualMachinePhase as Phase,
};
use virtualmachine_controller::driver::simulated::{Latency, Simulated, Touch};
use virtualmachine_controller::generated::clientset::Clientset;

const CRD: &str = include_str!("../../../deploy/crd.yaml");
const SAMPLE: &str = include_str!("../../../deploy/samples/test-vm.yaml");

/// Longer than any test, so that a hand-over cannot be due to expiry.
const LONG: [&str; 3] = ["600s", "20s", "2s"];

/// For a leader that has to notice that it was paused; long enough to be renewed on a busy machine
/// until then.
const SHORT: [&str; 3] = ["4s", "3s", "500ms"];

/// As `SHORT`, the time without a renewal after which the leader stops by its own clock.
const DEADLINE: Duration = Duration::from_secs(3);

const PATIENCE: Duration = Duration::from_secs(60);

/// The name of the controllers' Lease.
const LEASE: &str = "virtualmachine-controller";

/// The default number of workers of a controller.
const WORKERS: usize = 2;

/// A cluster, a folder of servers, and controllers.
struct Site {
    folder: tempfile::TempDir,
    kubeconfig: PathBuf,
    client: Client,
    namespace: String,
    controllers: Vec<(String, Child)>,
    /// Kept alive as long as the site.
    _embedded: Option<Serving>,
}

impl Drop for Site {
    fn drop(&mut self) {
        for (_, child) in &mut self.controllers {
            drop(child.kill());
            drop(child.wait());
        }
    }
}

impl Site {
    async fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let kubeconfig = folder.path().join("kubeconfig");
        let mut embedded = None;
        match std::env::var("CONFORMANCE_KUBECONFIG") {
            Ok(given) => drop(fs::copy(given, &kubeconfig).unwrap()),
            Err(_) => {
                let server = ApiServer::builder().build().unwrap();
                let serving = server.serve("127.0.0.1:0").await.unwrap();
                let url = format!("http://{}", serving.local_addr());
                fs::write(&kubeconfig, kubeconfig_of(&url)).unwrap();
                embedded = Some(serving);
            }
        }
        let given = Kubeconfig::read_from(&kubeconfig).unwrap();
        let options = KubeConfigOptions::default();
        let config = Config::from_custom_kubeconfig(given, &options).await;
        let client = Client::try_from(config.unwrap()).unwrap();
        let site = Self {
            folder,
            kubeconfig,
            client,
            namespace: format!("vm-{name}"),
            controllers: Vec::new(),
            _embedded: embedded,
        };
        site.install().await;
        site
    }

    /// Installs the CRD and creates a namespace for the test.
    async fn install(&self) {
        let crds = TypedClient::<CustomResourceDefinition>::cluster(self.client.clone()).defaults();
        let crd: CustomResourceDefinition = serde_saphyr::from_str(CRD).unwrap();
        let name = crd.metadata.name.clone().unwrap();
        let apply = PatchParams::apply("test").force();
        crds.patch(&name, &apply, &Patch::Apply(&crd))
            .await
            .unwrap();
        let is_served = async {
            while self.machines().list().await.is_err() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::time::timeout(PATIENCE, is_served).await.unwrap();
        let namespaces = TypedClient::<Namespace>::cluster(self.client.clone()).defaults();
        let namespace = Namespace {
            metadata: ObjectMeta {
                name: Some(self.namespace.clone()),
                ..ObjectMeta::default()
            },
            ..Namespace::default()
        };
        namespaces.create(&namespace).await.unwrap();
    }

    fn machines(&self) -> Defaults<VirtualMachine, WithStatus> {
        Clientset::new(self.client.clone())
            .cloudnative_v1alpha1()
            .virtual_machines(&self.namespace)
            .defaults()
    }

    fn start(&mut self, identity: &str, [lease, renew, retry]: [&str; 3]) {
        let log = fs::File::create(self.folder.path().join(format!("{identity}.log"))).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_virtualmachine-controller"))
            .arg("--kubeconfig")
            .arg(&self.kubeconfig)
            .arg("--simulated-dir")
            .arg(self.servers())
            .args([
                "--namespace",
                &self.namespace,
                "--holder-identity",
                identity,
            ])
            .args(["--lease-lock-namespace", &self.namespace])
            .args(["--lease-duration", lease, "--renew-deadline", renew])
            .args(["--retry-period", retry, "--log-format", "json"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        self.controllers.push((identity.to_owned(), child));
    }

    async fn start_three(&mut self) -> String {
        for identity in ["a", "b", "c"] {
            self.start(identity, LONG);
        }
        self.until_leader(|_| true).await
    }

    /// Starts the leader `a`, whose deadline is short, and two that wait for its lease to expire.
    async fn start_three_with_a_short_deadline(&mut self) -> String {
        self.start("a", SHORT);
        let leader = self.until_leader(|_| true).await;
        self.start("b", LONG);
        self.start("c", LONG);
        leader
    }

    /// Lets the lease of a leader that cannot renew it expire after a second: the lease duration in
    /// the Lease counts.
    async fn expire(&self) {
        let second = Patch::Merge(json!({ "spec": { "leaseDurationSeconds": 1 } }));
        let params = PatchParams::default();
        let patched = self.leases().patch(LEASE, &params, &second).await;
        patched.unwrap();
    }

    fn leases(&self) -> Defaults<Lease, All> {
        TypedClient::<Lease>::namespaced(self.client.clone(), &self.namespace).defaults()
    }

    fn servers(&self) -> PathBuf {
        self.folder.path().join("servers")
    }

    fn cloud(&self) -> Simulated {
        Simulated::in_directory(Latency::NONE, self.servers()).unwrap()
    }

    fn journal(&self) -> Vec<Touch> {
        self.cloud().journal().unwrap()
    }

    fn signal(&self, identity: &str, signal: &str) {
        let pid = self.child(identity).id();
        // The shell's built-in kill, since not every machine has another.
        let status = Command::new("sh")
            .args(["-c", &format!("kill -{signal} {pid}")])
            .status();
        assert!(status.unwrap().success());
    }

    /// Waits until every thread of a stopped process is suspended, since the signal's sender does
    /// not wait for that. Skipped without `/proc`.
    async fn until_still(&self, identity: &str) {
        let tasks = PathBuf::from(format!("/proc/{}/task", self.child(identity).id()));
        let runs = |task: &PathBuf| {
            let stat = fs::read_to_string(task.join("stat")).unwrap_or_default();
            let state = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
            !state.is_empty() && !state.starts_with('T')
        };
        while let Ok(tasks) = fs::read_dir(&tasks)
            && tasks.flatten().any(|task| runs(&task.path()))
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn child(&self, identity: &str) -> &Child {
        &self
            .controllers
            .iter()
            .find(|(it, _)| it == identity)
            .unwrap()
            .1
    }

    /// Waits until the process has ended, and returns its exit code.
    async fn exit_code(&mut self, identity: &str) -> Option<i32> {
        let (_, child) = self
            .controllers
            .iter_mut()
            .find(|(it, _)| it == identity)
            .unwrap();
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = child.try_wait().unwrap() {
                return status.code();
            }
            assert!(Instant::now() < deadline, "{identity} does not end");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits for a holder of the Lease for which `is` is true.
    async fn until_leader(&self, is: impl Fn(&str) -> bool) -> String {
        let leases = self.leases();
        let deadline = Instant::now() + PATIENCE;
        loop {
            let lease = leases.get_opt(LEASE).await.unwrap();
            let holder = lease
                .and_then(|it| it.spec)
                .and_then(|it| it.holder_identity);
            match holder {
                Some(holder) if !holder.is_empty() && is(&holder) => return holder,
                holder => assert!(
                    Instant::now() < deadline,
                    "{holder:?} leads\n{}",
                    self.logs()
                ),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    async fn until(&self, name: &str, is: impl Fn(Option<&VirtualMachine>) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let machine = self.machines().get_opt(name).await.unwrap();
            if is(machine.as_ref()) {
                return;
            }
            assert!(Instant::now() < deadline, "{machine:#?}\n{}", self.logs());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn until_phase(&self, name: &str, phase: Phase) {
        self.until(name, |machine| {
            machine.is_some_and(|it| {
                let status = it.status.as_ref();
                status.is_some_and(|status| {
                    status.phase == phase && status.observed_generation == it.metadata.generation
                })
            })
        })
        .await;
    }

    /// Creates the sample under another name, or applies it under its own name with kubectl.
    async fn apply_sample(&self, name: &str) {
        if let (Ok(kubectl), "test-vm") = (std::env::var("KUBECTL"), name) {
            let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("deploy/samples/test-vm.yaml");
            let applied = Command::new(kubectl)
                .args(["apply", "--namespace", &self.namespace, "--kubeconfig"])
                .arg(&self.kubeconfig)
                .arg("-f")
                .arg(sample)
                .output()
                .unwrap();
            assert!(applied.status.success(), "{applied:?}");
            return;
        }
        let mut machine: Value = serde_saphyr::from_str(SAMPLE).unwrap();
        machine["metadata"]["name"] = name.into();
        let apply = PatchParams::apply("test");
        self.machines()
            .patch(name, &apply, &Patch::Apply(machine))
            .await
            .unwrap();
    }

    async fn set_action(&self, name: &str, action: &str) {
        let patch = Patch::Merge(json!({ "spec": { "action": action } }));
        let params = PatchParams::default();
        self.machines().patch(name, &params, &patch).await.unwrap();
    }

    async fn delete(&self, name: &str) {
        self.machines().delete(name).await.unwrap();
        self.until(name, |machine| machine.is_none()).await;
    }

    /// Checks that each holder called the driver in one stretch, with its own epoch, and none was
    /// rejected.
    fn assert_one_at_a_time(&self, holders: &[&str]) {
        let refused = self.journal().into_iter().find(|touch| touch.refused);
        assert!(refused.is_none(), "{refused:?}");
        self.assert_one_stretch_each(holders);
    }

    /// Checks that each holder called the driver in one stretch, with its own epoch, ignoring
    /// rejected calls.
    fn assert_one_stretch_each(&self, holders: &[&str]) {
        let mut stretches: Vec<(String, u64)> = Vec::new();
        for touch in self.journal().into_iter().filter(|touch| !touch.refused) {
            let stretch = (touch.holder, touch.epoch);
            if stretches.last() != Some(&stretch) {
                stretches.push(stretch);
            }
        }
        let seen: Vec<&str> = stretches
            .iter()
            .map(|(holder, _)| holder.as_str())
            .collect();
        assert_eq!(seen, holders);
        assert!(
            stretches.is_sorted_by(|one, two| one.1 < two.1),
            "{stretches:?}"
        );
    }

    fn logs(&self) -> String {
        let mut logs = String::new();
        for (identity, _) in &self.controllers {
            let path = self.folder.path().join(format!("{identity}.log"));
            logs += &format!(
                "== {identity}\n{}",
                fs::read_to_string(path).unwrap_or_default()
            );
        }
        logs
    }
}

fn kubeconfig_of(url: &str) -> String {
    json!({
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "test",
        "clusters": [{ "name": "test", "cluster": { "server": url } }],
        "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "test" } }],
        "users": [{ "name": "test", "user": {} }],
    })
    .to_string()
}

#[tokio::test]
async fn one_of_three_works_and_a_stopped_leader_hands_over_at_once() {
    let mut site = Site::new("handover").await;
    let first = site.start_three().await;
    site.apply_sample("test-vm").await;
    site.until_phase("test-vm", Phase::Active).await;
    assert_eq!(site.cloud().cloud().unwrap().servers.len(), 1);

    let stopped = Instant::now();
    site.signal(&first, "TERM");
    let second = site.until_leader(|holder| holder != first).await;
    eprintln!("handed over {:?} after SIGTERM", stopped.elapsed());
    assert_eq!(site.exit_code(&first).await, Some(0), "{}", site.logs());

    // The new leader adopts the running server, and continues.
    site.set_action("test-vm", "stopped").await;
    site.until_phase("test-vm", Phase::Stopped).await;
    site.delete("test-vm").await;
    let cloud = site.cloud().cloud().unwrap();
    assert_eq!((cloud.servers.len(), cloud.created), (0, 1));
    site.assert_one_at_a_time(&[&first, &second]);
}

#[tokio::test]
async fn a_killed_leader_is_replaced_when_its_lease_has_expired() {
    let mut site = Site::new("killed").await;
    let first = site.start_three().await;
    site.apply_sample("one").await;
    site.until_phase("one", Phase::Active).await;
    site.signal(&first, "KILL");
    assert_eq!(site.exit_code(&first).await, None, "{}", site.logs());
    let killed = Instant::now();
    site.expire().await;
    site.apply_sample("two").await;
    let second = site.until_leader(|holder| holder != first).await;
    let took = killed.elapsed();
    eprintln!("taken over {took:?} after SIGKILL, with a lease of 1s");
    assert!(took >= Duration::from_secs(1), "{took:?}");
    site.until_phase("two", Phase::Active).await;
    site.delete("one").await;
    site.delete("two").await;
    let cloud = site.cloud().cloud().unwrap();
    assert_eq!((cloud.servers.len(), cloud.created), (0, 2));
    site.assert_one_at_a_time(&[&first, &second]);
}

#[tokio::test]
async fn a_paused_leader_that_wakes_up_does_nothing_to_any_server() {
    let mut site = Site::new("paused").await;
    let first = site.start_three_with_a_short_deadline().await;
    for n in 0..5 {
        site.apply_sample(&format!("vm-{n}")).await;
    }
    for n in 0..5 {
        site.until_phase(&format!("vm-{n}"), Phase::Active).await;
    }
    // Paused with work in progress: servers that are stopping.
    for n in 0..5 {
        site.set_action(&format!("vm-{n}"), "stopped").await;
    }
    {
        // Not in the middle of a call: the process would keep the driver's lock, which a real
        // provider does not have.
        let lock = fs::File::create(site.servers().join("lock")).unwrap();
        lock.lock().unwrap();
        site.signal(&first, "STOP");
        // Otherwise a call that waits for the lock would get it.
        site.until_still(&first).await;
    }
    let paused = Instant::now();
    site.expire().await;
    let second = site.until_leader(|holder| holder != first).await;
    for n in 0..5 {
        site.until_phase(&format!("vm-{n}"), Phase::Stopped).await;
        site.set_action(&format!("vm-{n}"), "active").await;
    }
    // Until its own clock tells the leader that it no longer leads.
    tokio::time::sleep(DEADLINE.saturating_sub(paused.elapsed())).await;
    let before = site.journal().len();
    site.signal(&first, "CONT");
    assert_eq!(site.exit_code(&first).await, Some(1), "{}", site.logs());
    for n in 0..5 {
        site.until_phase(&format!("vm-{n}"), Phase::Active).await;
    }
    // A call that passed the leader's own check before the process was paused still reaches the
    // driver, which rejects it; no election can prevent that. Each worker has at most one such
    // call.
    let woken = site.journal().split_off(before);
    let late: Vec<_> = woken.iter().filter(|t| t.holder != second).collect();
    assert!(
        late.iter().all(|touch| touch.refused) && late.len() <= WORKERS,
        "{woken:#?}"
    );
    for n in 0..5 {
        site.delete(&format!("vm-{n}")).await;
    }
    assert_eq!(site.cloud().cloud().unwrap().servers.len(), 0);
    site.assert_one_stretch_each(&[&first, &second]);
}

#[tokio::test]
async fn wrong_flags_are_refused_with_what_to_write() {
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_virtualmachine-controller"))
            .args(args)
            .env("KUBECONFIG", "/nonexistent")
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error)
    };
    let (code, error) = run(&["--vm-driver", "vmware"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("possible values: simulated, qemu, kubevirt"),
        "{error}"
    );
    let (code, error) = run(&["--lease-duration", "soon"]);
    assert_eq!(code, Some(2));
    assert!(
        error.contains("expected a positive duration such as 15s"),
        "{error}"
    );
    let (code, error) = run(&["--kubeconfig", "/nonexistent"]);
    assert_eq!(code, Some(1));
    assert!(
        error.contains("cannot read the kubeconfig /nonexistent"),
        "{error}"
    );
    let times = ["--lease-duration", "5s", "--renew-deadline", "10s"];
    let (code, error) = run(&[&["--master", "http://127.0.0.1:1"], &times[..]].concat());
    assert_eq!(code, Some(1));
    assert!(error.contains("leader election: "), "{error}");
}
