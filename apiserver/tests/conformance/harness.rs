//! What turns a case into a test: one server for the whole run, known differences, results for the table.
//!
//! `CONFORMANCE_KUBECONFIG` names the cluster to run against (default: an embedded server), `CONFORMANCE_CONTROLLERS=1`
//! says that this cluster runs kube-controller-manager, and `CONFORMANCE_RESULTS` names a file that gets a line for each
//! case: `<module>::<case> <outcome>`, the outcome one of `pass`, `FAIL`, `known` and `skip`.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::{AssertUnwindSafe, resume_unwind};
use std::pin::Pin;
use std::sync::LazyLock;

use futures::FutureExt;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use tokio::runtime::{Builder, Runtime};

use crate::known;
use crate::support::cleanup::Bin;

/// Whether a case needs the garbage collector and the namespace controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// The API server alone.
    Server,
    /// Controllers, too: skipped on a cluster that has none.
    Controllers,
}

/// Declares a test for each of a module's cases, which are async functions of a [`Client`].
macro_rules! cases {
    ($($case:ident),* $(,)?) => { $crate::harness::cases!(@ Server: $($case),*); };
    (controllers: $($case:ident),* $(,)?) => { $crate::harness::cases!(@ Controllers: $($case),*); };
    (@ $needs:ident: $($case:ident),*) => {
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
    // Held so that the embedded server lives as long as the run.
    _server: Option<embedded_apiserver::ApiServer>,
}

impl Target {
    async fn connect() -> Self {
        match env::var("CONFORMANCE_KUBECONFIG") {
            Ok(path) if !path.is_empty() => {
                let kubeconfig =
                    Kubeconfig::read_from(&path).expect("CONFORMANCE_KUBECONFIG can be read");
                let options = KubeConfigOptions::default();
                let mut config = Config::from_custom_kubeconfig(kubeconfig, &options)
                    .await
                    .expect("CONFORMANCE_KUBECONFIG has a usable context");
                // Cases want to see each answer, not what became of it on a later try.
                config.default_retry = false;
                Self {
                    client: Client::try_from(config).expect("a client for CONFORMANCE_KUBECONFIG"),
                    embedded: false,
                    controllers: env::var("CONFORMANCE_CONTROLLERS")
                        .is_ok_and(|value| value == "1"),
                    _server: None,
                }
            }
            _ => {
                let server = embedded_apiserver::ApiServer::builder()
                    .build()
                    .expect("an embedded server with default options");
                Self {
                    client: server.client(),
                    embedded: true,
                    controllers: true,
                    _server: Some(server),
                }
            }
        }
    }
}

/// A case under way. Boxed, since hundreds of them would otherwise each compile the runtime anew.
pub(crate) type Case = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs a case and judges it: a known difference must fail on the embedded server, every other case must pass.
pub(crate) fn run(path: &str, needs: Needs, case: fn(Client) -> Case) {
    let name = short_name(path);
    let target = &*TARGET;
    if needs == Needs::Controllers && !target.controllers {
        println!(
            "skipped: {name} needs kube-controller-manager (CONFORMANCE_CONTROLLERS=1 says that it runs)"
        );
        return report(&name, "skip");
    }
    let client = target.client.clone();
    let bin = Bin::default();
    let outcome = RUNTIME.block_on(async {
        // On the test's own thread, so that the panic's message lands in the test's own output.
        let case = bin.clone().collect_during(case(client.clone()));
        let outcome = AssertUnwindSafe(case).catch_unwind().await;
        bin.empty(&client).await;
        outcome
    });
    let reason = known::reason(&name).filter(|_| target.embedded);
    match (outcome, reason) {
        (Ok(()), None) => report(&name, "pass"),
        (Err(_), Some(reason)) => {
            println!("known difference: {name}: {reason}");
            report(&name, "known");
        }
        (Ok(()), Some(reason)) => {
            report(&name, "FAIL");
            panic!(
                "{name} passes, yet is listed as a known difference ({reason}): remove it from known.rs and README.md"
            );
        }
        (Err(panic), None) => {
            report(&name, "FAIL");
            resume_unwind(panic);
        }
    }
}

/// `conformance::crud::case::x` → `crud::x`.
fn short_name(path: &str) -> String {
    path.split("::")
        .filter(|part| !matches!(*part, "conformance" | "case"))
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
        // One write of one line: tests append at the same time.
        file.write_all(format!("{name} {outcome}\n").as_bytes())
            .expect("CONFORMANCE_RESULTS can be written");
    }
}
