//! Tests of the program around controllers: its command line, the end of its process, and its demo.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod controllers_page;
#[cfg(feature = "webhooks")]
mod dev;
mod embedded_server_page;
mod migrating_from_controller_runtime;
mod migrating_from_kube_runtime;
mod restricted;
mod shards;
#[cfg(feature = "webhooks")]
mod webhooks;
mod website;

use std::error::Error;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use codegen_runtime::app::{App, AppError, BoxError, Demo, Process};
use codegen_runtime::controller::{Action, Context, Controller, reconcile_with};
use codegen_runtime::fake;
use codegen_runtime::manager::ManagerBuilder;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, Default, Args)]
struct Own {
    /// The name to greet.
    #[arg(long, default_value = "world")]
    greet: String,
}

fn app() -> App {
    App::new("greet-controller", "1.2.3").about("Greets\n\nIt greets every ConfigMap.")
}

fn parse(args: &[&str]) -> Result<codegen_runtime::app::Invocation<Own>, clap::Error> {
    app()
        .demo(Demo::new())
        .try_parse_from([&["greet-controller"], args].concat())
}

/// Builds a controller that counts the maps it receives.
fn setup(process: Process, seen: Arc<AtomicUsize>) -> Result<ManagerBuilder, BoxError> {
    let factory = process.factory();
    let context = Context::<ConfigMap>::new(&factory, process.recorder());
    let controller = Controller::builder("greet", &factory)
        .for_::<ConfigMap>()
        .sharded(process.sharding())
        .workers(process.threads())
        .build(reconcile_with(context, move |_, _| {
            seen.fetch_add(1, Ordering::SeqCst);
            async { Ok::<_, kube::Error>(Action::done()) }
        }))?;
    Ok(process.manager(&factory)?.controller(controller))
}

#[test]
fn the_command_line_is_consistent_and_takes_the_programs_name() {
    app().demo(Demo::new()).command::<Own>().debug_assert();
    app().command::<()>().debug_assert();
    let invocation = parse(&["--greet", "you", "--threads=7", "--namespace=n"]).unwrap();
    assert_eq!(invocation.own.greet, "you");
    assert_eq!(invocation.flags.threads, 7);
    assert_eq!(invocation.flags.namespaces, ["n"]);
    assert_eq!(
        invocation.flags.election.lease_lock_name,
        "greet-controller"
    );
    assert!(invocation.demo.is_none());

    let help = app().command::<Own>().render_long_help().to_string();
    assert!(help.contains("It greets every ConfigMap."), "{help}");
    let several = parse(&["--namespaces=a,b", "--namespaces", "c"]).unwrap();
    assert_eq!(several.flags.namespaces, ["a", "b", "c"]);
    for args in [
        &["--threads=0"][..],
        &["--namespaces=a,,b"],
        &["--namespace=A"],
        &["--leader-elect=maybe"],
        &["--metrics-bind-address=x"],
        &["--metrics-cert-path=folder"],
    ] {
        assert!(parse(args).is_err(), "{args:?}");
    }
}

#[test]
fn the_demo_has_flags_of_its_own_and_passes_on_the_rest() {
    let demo = parse(&["demo", "--listen=127.0.0.1:0", "--", "--greet=you"])
        .unwrap()
        .demo
        .unwrap();
    assert_eq!(demo.args, ["--greet=you"]);
    assert_eq!(demo.kubeconfig.to_str(), Some("greet-demo.kubeconfig"));
    assert!(!demo.once);
    assert!(parse(&["demo", "--once"]).is_err(), "there is no walk");
    let with_walk = app().demo(Demo::new().walk(|_| async { Ok(()) }));
    let once = with_walk.try_parse_from::<Own>(["greet-controller", "demo", "--once"]);
    assert!(once.unwrap().demo.unwrap().once);
}

#[tokio::test]
async fn a_program_runs_its_controllers_until_it_is_stopped() {
    let map: ConfigMap =
        serde_json::from_str(r#"{"metadata":{"name":"m","namespace":"default"}}"#).unwrap();
    let (client, tracker) = fake::serve(&[], [map]);
    let (seen, stop) = (Arc::new(AtomicUsize::new(0)), CancellationToken::new());
    let invocation = parse(&[]).unwrap();
    let (counted, stopped) = (Arc::clone(&seen), stop.clone());
    let running = tokio::spawn(async move {
        let setup = async |process, _| setup(process, counted);
        app()
            .run_with(client, invocation.flags, invocation.own, setup, &stopped)
            .await
    });
    while seen.load(Ordering::SeqCst) == 0 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let lease =
        tracker.get::<k8s_openapi::api::coordination::v1::Lease>("default", "greet-controller");
    assert!(lease.is_some(), "the Lease has the program's name");
    stop.cancel();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn an_address_that_is_taken_ends_the_program_before_setup() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("--metrics-bind-address={}", taken.local_addr().unwrap());
    let invocation = parse(&[&address]).unwrap();
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let setup = async |_, _| -> Result<ManagerBuilder, BoxError> { unreachable!("setup") };
    let ended = app()
        .run_with(
            client,
            invocation.flags,
            invocation.own,
            setup,
            &CancellationToken::new(),
        )
        .await;
    assert!(
        matches!(
            ended,
            Err(AppError::Listen {
                what: "metrics",
                ..
            })
        ),
        "{ended:?}"
    );
}

#[tokio::test]
async fn what_setup_says_is_the_programs_error() {
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let invocation = parse(&[]).unwrap();
    let setup = async |_, _| -> Result<ManagerBuilder, BoxError> { Err("no backend".into()) };
    let ended = app()
        .run_with(
            client,
            invocation.flags,
            invocation.own,
            setup,
            &CancellationToken::new(),
        )
        .await;
    let error: Box<dyn Error> = ended.unwrap_err().into();
    assert_eq!(error.to_string(), "no backend");
}

#[tokio::test]
async fn a_stop_ends_a_setup_that_waits() {
    let (client, _) = fake::serve(&[], Vec::<fake::Object>::new());
    let invocation = parse(&[]).unwrap();
    let stop = CancellationToken::new();
    let stopping = stop.clone();
    let setup = async move |_, _| -> Result<ManagerBuilder, BoxError> {
        stopping.cancel();
        std::future::pending().await
    };
    let app = app();
    let ended = app.run_with(client, invocation.flags, invocation.own, setup, &stop);
    let ended = tokio::time::timeout(Duration::from_secs(60), ended).await;
    assert!(matches!(ended, Ok(Ok(()))), "{ended:?}");
}

#[tokio::test]
async fn a_kubeconfig_that_is_not_there_is_named() {
    let invocation = parse(&["--kubeconfig=/nowhere/config"]).unwrap();
    let setup = async |_, _| -> Result<ManagerBuilder, BoxError> { unreachable!("setup") };
    let ended = app()
        .run(
            invocation.flags,
            invocation.own,
            setup,
            &CancellationToken::new(),
        )
        .await;
    let error = ended.unwrap_err().to_string();
    assert_eq!(error, "cannot read the kubeconfig /nowhere/config");
}

#[tokio::test]
async fn a_demo_serves_its_definitions_and_objects() {
    let server = Demo::new()
        .crds(include_str!("../../../controllers/virtualmachine/deploy/crd.yaml"))
        .objects(include_str!("../../../controllers/virtualmachine/deploy/samples/test-vm.yaml"))
        .objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: b, namespace: default}}")
        .server()
        .unwrap();
    let count = |group, plural| server.objects().list(group, plural, "default").len();
    assert_eq!(count("cloudnative.czs", "virtualmachines"), 1);
    assert_eq!(count("", "configmaps"), 2);
    let wrong = Demo::new().objects("{kind: [").server();
    assert!(matches!(wrong, Err(AppError::Demo { .. })));
}
