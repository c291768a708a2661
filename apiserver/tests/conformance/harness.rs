//! Runs cases as tests: one server per run, known differences, and results for the table.
//!
//! Other packages include it with `#[path]` to run their own cases; each describes its suite with a
//! [`Suite`].
//!
//! `CONFORMANCE_KUBECONFIG` names the cluster to run against (default: an embedded server),
//! `CONFORMANCE_CONTROLLERS=1` declares that the cluster runs kube-controller-manager,
//! `CONFORMANCE_GATES=1`, that its feature gates are those of [`GATES`], and `CONFORMANCE_RESULTS`
//! names a file that gets a line per case: `<module>::<case> <outcome>`, where the outcome is
//! `pass`, `FAIL`, `known` or `skip`.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;
use std::sync::LazyLock;

use embedded_apiserver::{ApiServer, FeatureGate, Serving};
use futures::FutureExt;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::runtime::{Builder, Runtime};

use crate::SUITE;
use crate::support::cleanup::Bin;

/// The properties of a suite.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite {
    /// The prefix of the suite's case names: `runtime::`, or empty.
    pub(crate) prefix: &'static str,
    /// Whether to reach the embedded server over HTTP, like a cluster, or in-process.
    pub(crate) over_http: bool,
    /// Whether the client retries, as kube's does by default, or returns each response unchanged.
    pub(crate) retries: bool,
    /// Known differences of the embedded server: the case, without the prefix, and the reason.
    pub(crate) known: &'static [(&'static str, &'static str)],
}

impl Suite {
    /// Returns why a case is known to fail on the embedded server, if it is.
    fn known_difference(&self, case: &str) -> Option<&'static str> {
        let listed = self.known.iter().find(|(name, _)| *name == case);
        listed.map(|(_, reason)| *reason)
    }
}

/// The stack size of a case, in bytes: an unoptimised build keeps every temporary value on the
/// stack.
const STACK: usize = 32 << 20;

/// The feature gates that are on. `hack/conformance.sh` starts the real server with them.
const GATES: [FeatureGate; 1] = [FeatureGate::ShardedListAndWatch];

/// What a case needs.
#[allow(dead_code, reason = "not every suite has cases of each")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The API server alone.
    Server,
    /// Controllers as well: skipped on a cluster without them.
    Controllers,
    /// The feature gates that the suite turns on: skipped on a cluster without them.
    Gates,
}

/// Declares a test for each case of a module: an async function of a [`Client`], or a table row
/// `name: function(arguments)`, which calls such a function with the client and the arguments.
macro_rules! cases {
    (gates: $($rows:tt)*) => { $crate::harness::cases!(@ Gates: $($rows)*); };
    (controllers: $($rows:tt)*) => { $crate::harness::cases!(@ Controllers: $($rows)*); };
    (@ $needs:ident: $($case:ident $(: $function:ident ($($argument:expr),* $(,)?))?),* $(,)?) => {
        $($(
            async fn $case(client: kube::Client) {
                $function(client, $($argument),*).await;
            }
        )?)*
        mod case {
            $(
                #[test]
                fn $case() {
                    let path = concat!(module_path!(), "::", stringify!($case));
                    let needs = $crate::harness::Needs::$needs;
                    $crate::harness::run(path, needs, |client| Box::pin(super::$case(client)));
                }
            )*
        }
    };
    ($($rows:tt)*) => { $crate::harness::cases!(@ Server: $($rows)*); };
}
pub(crate) use cases;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
});

static TARGET: LazyLock<Target> = LazyLock::new(|| RUNTIME.block_on(Target::connect()));

struct Target {
    client: Client,
    embedded: bool,
    controllers: bool,
    gates: bool,
    // Keeps the embedded server alive for the whole run.
    _server: Option<(ApiServer, Option<Serving>)>,
}

impl Target {
    async fn connect() -> Self {
        match env::var("CONFORMANCE_KUBECONFIG") {
            Ok(path) if !path.is_empty() => {
                let kubeconfig =
                    Kubeconfig::read_from(&path).expect("CONFORMANCE_KUBECONFIG can be read");
                let options = KubeConfigOptions::default();
                let config = Config::from_custom_kubeconfig(kubeconfig, &options)
                    .await
                    .expect("CONFORMANCE_KUBECONFIG has a usable context");
                Self {
                    client: client_of(config),
                    embedded: false,
                    controllers: env::var("CONFORMANCE_CONTROLLERS")
                        .is_ok_and(|value| value == "1"),
                    gates: env::var("CONFORMANCE_GATES").is_ok_and(|value| value == "1"),
                    _server: None,
                }
            }
            _ => Self::embedded().await,
        }
    }

    async fn embedded() -> Self {
        let server = GATES
            .into_iter()
            .fold(ApiServer::builder(), |builder, gate| {
                builder.feature_gate(gate, true)
            })
            .build()
            .expect("an embedded server with default options");
        let serving = if SUITE.over_http {
            let serving = server.serve("127.0.0.1:0").await;
            Some(serving.expect("a free port on loopback"))
        } else {
            None
        };
        let client = match &serving {
            Some(serving) => {
                let url = format!("http://{}", serving.local_addr());
                client_of(Config::new(url.parse().expect("a URL")))
            }
            None => server.client(),
        };
        Self {
            client,
            embedded: true,
            controllers: true,
            gates: true,
            _server: Some((server, serving)),
        }
    }
}

fn client_of(mut config: Config) -> Client {
    config.default_retry = SUITE.retries;
    Client::try_from(config).expect("a client for the server")
}

/// A running case. Boxed, since otherwise hundreds of cases would each instantiate the runtime.
pub(crate) type Case = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs a case and evaluates it: a known difference must fail on the embedded server, every other
/// case must pass.
pub(crate) fn run(path: &str, needs: Needs, case: fn(Client) -> Case) {
    let case_name = short_name(path);
    let name = format!("{}{case_name}", SUITE.prefix);
    let target = &*TARGET;
    let lacks = match needs {
        Needs::Controllers if !target.controllers => {
            Some("kube-controller-manager (set CONFORMANCE_CONTROLLERS=1 if it runs)")
        }
        Needs::Gates if !target.gates => {
            Some("feature gates (set CONFORMANCE_GATES=1 if they are on)")
        }
        _ => None,
    };
    if let Some(what) = lacks {
        println!("skipped: {name} needs {what}");
        return report(&name, "skip");
    }
    let client = target.client.clone();
    let bin = Bin::default();
    let run = || {
        RUNTIME.block_on(async {
            let case = bin.clone().collect_during(case(client.clone()));
            let outcome = AssertUnwindSafe(case).catch_unwind().await;
            bin.empty(&client).await;
            outcome
        })
    };
    // A separate thread: its output belongs to the test, and it has room for large generated types
    // by value.
    let outcome = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new()
            .name(name.clone())
            .stack_size(STACK);
        let thread = thread.spawn_scoped(scope, run).expect("a thread");
        thread.join().unwrap_or_else(Err)
    });
    let reason = SUITE
        .known_difference(&case_name)
        .filter(|_| target.embedded);
    match (outcome, reason) {
        (Ok(()), None) => report(&name, "pass"),
        (Err(_), Some(reason)) => {
            println!("known difference: {name}: {reason}");
            report(&name, "known");
        }
        (Ok(()), Some(reason)) => {
            report(&name, "FAIL");
            panic!(
                "{name} passes, but is listed as a known difference ({reason}): remove it from the list and from README.md"
            );
        }
        (Err(panic), None) => {
            report(&name, "FAIL");
            resume_unwind(panic);
        }
    }
}

/// `conformance::crud::case::x` → `crud::x`, and `runtime::conformance::leader::case::x` →
/// `leader::x`.
fn short_name(path: &str) -> String {
    path.split("::")
        .skip(1)
        .filter(|part| !matches!(*part, "case" | "conformance"))
        .collect::<Vec<_>>()
        .join("::")
}

fn report(name: &str, outcome: &str) {
    if let Ok(path) = env::var("CONFORMANCE_RESULTS") {
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(path)
            .expect("CONFORMANCE_RESULTS can be written");
        // A single write per line, since tests append concurrently.
        file.write_all(format!("{name} {outcome}\n").as_bytes())
            .expect("CONFORMANCE_RESULTS can be written");
    }
}
