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
