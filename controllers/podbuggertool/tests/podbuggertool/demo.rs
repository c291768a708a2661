//! The program as a process: its demo.

use controller_testing::cluster::eventually;
use controller_testing::program::Program;
use podbuggertool_controller::generated::clientset::Clientset;

#[tokio::test]
async fn the_demo_serves_its_sample_and_ends_with_one_signal() {
    let program = Program::demo(env!("CARGO_BIN_EXE_podbuggertool-controller")).await;
    program.until_line("kubectl get podbuggertools").await;
    let tools = Clientset::new(program.client().await)
        .tools_v1alpha1()
        .pod_bugger_tools();
    let has_status = async || {
        let tool = tools.get_opt("netshoot").await.unwrap();
        tool.and_then(|it| it.status)
            .is_some_and(|it| it.conditions.iter().any(|it| it.reason == "NoPodsMatch"))
    };
    assert!(eventually(has_status).await, "{program:?}");
    program.signal("TERM");
    let (status, lines) = program.end().await;
    assert!(status.success(), "{status}: {lines:#?}");
}
