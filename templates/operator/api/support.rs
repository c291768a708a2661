//! Test fixtures: an embedded API server, and the operator running against it.

use std::time::Duration;

use codegen_runtime::fake::{ApiServer, Running};

use {{crate}}::app;

/// How long tests wait for a condition. It usually takes milliseconds; a busy machine needs more.
const PATIENCE: Duration = Duration::from_secs(60);

/// Creates an API server with the CRDs and samples of `demo` and the operator's namespace.
pub fn server() -> ApiServer {
    let namespace = include_str!("../../config/namespace.yaml");
    app::demo().objects(namespace).server().unwrap()
}

/// Starts the operator as the user [`app::NAME`].
pub fn start(server: &ApiServer) -> Running {
    let client = server.client_as(app::NAME);
    let namespace = "--lease-lock-namespace={{name}}-system";
    let args = ["--leader-elect", namespace{{watched_flag}}];
    Running::program(app::app(), client, &args, app::setup)
}

/// Waits until `is` returns true.
pub async fn until(is: impl AsyncFn() -> bool) {
    let wait = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap();
}
