//! The whole program with its samples: on an API server of the test's own, and with
//! `cargo xtask e2e --cluster` on the current cluster, which calls webhooks on this machine.

use {{crate}}::app;

#[tokio::test]
async fn samples_become_ready() {
    let app = app::app();
    let tested = app.end_to_end(app::setup, async |cluster| {
        cluster.samples_are_ready().await
        // Your own steps, with `cluster.client()`.
    });
    tested.await.unwrap();
}
