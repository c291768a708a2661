//! The program as a process: its demo.

use controller_testing::cluster::eventually;
use controller_testing::program::Program;
use podset_controller::generated::clientset::Clientset;

#[tokio::test]
async fn the_demo_serves_its_sample_and_ends_with_one_signal() {
    let program = Program::demo(env!("CARGO_BIN_EXE_podset-controller")).await;
    program.until_line("kubectl scale podset example").await;
    let sets = Clientset::new(program.client().await)
        .apps_v1alpha1()
        .pod_sets("default");
    let has_status = async || {
        let set = sets.get_opt("example").await.unwrap();
        set.and_then(|it| it.status)
            .is_some_and(|it| it.conditions.iter().any(|it| it.reason == "Scaling"))
    };
    assert!(eventually(has_status).await, "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert!(status.success(), "{status}: {lines:#?}");
}

#[tokio::test]
async fn a_demo_whose_address_is_taken_names_the_flag_for_another() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let listen = format!("--listen={}", taken.local_addr().unwrap());
    let binary = env!("CARGO_BIN_EXE_podset-controller");
    let (status, lines) = Program::start(binary, None, &["demo", &listen]).end().await;
    assert!(!status.success());
    let is_told = |line: &String| line.contains("choose another address with --listen");
    assert!(lines.iter().any(is_told), "{lines:#?}");
}

#[tokio::test]
async fn flags_that_name_nothing_or_the_same_are_refused() {
    let binary = env!("CARGO_BIN_EXE_podset-controller");
    for (args, expected) in [
        (&["--namespace=a b"] as &[&str], "--namespace"),
        (&["--lease-lock-name=A"], "--lease-lock-name"),
        (&["--lease-lock-namespace="], "--lease-lock-namespace"),
    ] {
        let (status, lines) = Program::start(binary, None, args).end().await;
        assert!(!status.success(), "{args:?}");
        assert!(lines.iter().any(|it| it.contains(expected)), "{lines:#?}");
    }
}
