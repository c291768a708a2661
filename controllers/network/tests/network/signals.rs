//! The program as a process: its demo, and termination by signals.

use std::time::Duration;

use controller_testing::cluster::{PATIENCE, eventually};
use controller_testing::deploy::Deploy;
use controller_testing::program::Program;
use network_controller::apis::samplecrd::v1::NetworkPhase as Phase;
use network_controller::generated::clientset::Clientset;
use tokio::net::TcpListener;

use crate::support::network;

const BINARY: &str = env!("CARGO_BIN_EXE_network-controller");

#[tokio::test]
async fn the_demo_serves_its_sample_and_ends_with_one_signal() {
    let program = Program::demo(BINARY).await;
    program.until_line("kubectl get networks").await;
    let networks = Clientset::new(program.client().await)
        .samplecrd_v1()
        .networks("default")
        .defaults();
    let is_active = async || {
        let blue = networks.get_opt("blue").await.unwrap();
        let status = blue.and_then(|it| it.status);
        status.is_some_and(|it| it.phase == Phase::Active)
    };
    assert!(eventually(is_active).await, "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert!(status.success(), "{status}: {lines:#?}");
}

#[tokio::test]
async fn a_second_sigterm_ends_the_program_at_once() {
    let server = Deploy::of(env!("CARGO_MANIFEST_DIR")).server();
    let serving = server.serve("127.0.0.1:0").await.unwrap();
    // A backend that never responds: the worker that calls it cannot stop.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let backend = format!("--neutron-url=http://{}", silent.local_addr().unwrap());
    let args = [
        "--leader-elect=false",
        "--backend=neutron",
        "--os-allow-http",
        &backend,
    ];
    let mut program = Program::start(BINARY, Some(serving.kubeconfig("test")), &args);
    let networks = Clientset::new(server.client())
        .samplecrd_v1()
        .networks("default")
        .defaults();
    let blue = network("blue", "10.0.0.0/8", "10.0.0.1");
    networks.create(&blue).await.unwrap();
    let _asked = tokio::time::timeout(PATIENCE, silent.accept())
        .await
        .unwrap_or_else(|_| panic!("{program:?}"))
        .unwrap();
    program.signal("TERM");
    program.until_line("stopping").await;
    // Real time, since the program is a process: after one signal it still waits for its worker.
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(program.is_alive(), "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert_eq!(status.code(), Some(1), "{lines:#?}");
    assert!(lines.iter().any(|it| it.contains("exiting immediately")));
}
