//! The API server that tests run on, and the program on it.

use std::time::Duration;

use codegen_runtime::fake::{ApiServer, Running};

use {{crate}}::app;

/// How long a test waits for what takes milliseconds, on a machine that does much else.
const PATIENCE: Duration = Duration::from_secs(60);

/// An API server with the definitions and the samples of `demo`.
pub fn server() -> ApiServer {
    app::demo().server().unwrap()
}

/// The program at work as the user [`app::NAME`], without an election unless `args` ask for one.
pub fn start(server: &ApiServer, args: &[&str]) -> Running {
    let client = server.client_as(app::NAME);
    Running::program(app::app(), client, args, app::setup)
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
