//! The API server that tests run on, and the program on it.

use std::time::Duration;

use codegen_runtime::fake::{ApiServer, Running};

use sample_operator::app;

/// How long a test waits for what takes milliseconds, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// An API server with the definitions and the samples of `demo`, and the namespace that the operator is deployed to.
pub fn server() -> ApiServer {
    let namespace = include_str!("../../config/namespace.yaml");
    app::demo().objects(namespace).server().unwrap()
}

/// The program at work, as the user [`app::NAME`].
pub fn start(server: &ApiServer) -> Running {
    let client = server.client_as(app::NAME);
    let namespace = "--lease-lock-namespace=sample-operator-system";
    let args = ["--leader-elect", namespace];
    Running::program(app::app(), client, &args, app::setup)
}

/// Waits until `is` holds.
pub async fn until(is: impl AsyncFn() -> bool) {
    let wait = async {
        while !is().await {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(PATIENCE, wait).await.unwrap();
}
