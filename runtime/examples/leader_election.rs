//! Two contenders for one Lease: one leads and releases it, then the other leads.
//!
//! `cargo run --example leader_election` runs both in one process, against an embedded API server.
//! With `--cluster`, each run is one contender in the cluster of the kubeconfig: start it in two
//! terminals, and stop the leader with Ctrl-C.

use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::connect;
use codegen_runtime::kube::Client;
use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Leadership, Stopped};
use codegen_runtime::manager::shutdown_signal;
use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

type Error = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Error> {
    if std::env::args().any(|argument| argument == "--cluster") {
        let identity = format!("example-{}", std::process::id());
        let stop = shutdown_signal()?;
        let stopped = contend(connect::try_default().await?, &identity, &stop, |line| {
            print(&line)
        })
        .await?;
        print(&format!("{identity} ends: {stopped:?}"));
        return Ok(());
    }
    for line in run(embedded_apiserver::ApiServer::builder().build()?.client()).await? {
        print(&line);
    }
    Ok(())
}

#[allow(clippy::print_stdout, reason = "what an example says, it prints")]
fn print(line: &str) {
    println!("{line}");
}

/// Contends until `stop` is cancelled, and works while it leads.
async fn contend(
    client: Client,
    identity: &str,
    stop: &CancellationToken,
    say: impl Fn(String) + Send + Sync + 'static,
) -> Result<Stopped<()>, Error> {
    let elector = LeaderElector::new(
        client,
        LeaderElectionConfig::new("default", "example", identity),
    )?;
    let identity = identity.to_owned();
    let work = |leadership: Leadership| async move {
        say(format!("{identity} leads, epoch {}", leadership.epoch()));
        // The work: each step that must not overlap with another leader's checks leadership first,
        // or passes the epoch along.
        while leadership.check().is_ok() && !leadership.token().is_cancelled() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        say(format!("{identity} stops"));
    };
    Ok(elector.run(stop, work).await)
}

/// Lets one contender lead, then the other.
pub async fn run(client: Client) -> Result<Vec<String>, Error> {
    let said = Arc::new(Mutex::new(Vec::new()));
    let stops = [CancellationToken::new(), CancellationToken::new()];
    let mut contenders = Vec::new();
    for (identity, stop) in ["first", "second"].into_iter().zip(stops.clone()) {
        let (client, said) = (client.clone(), Arc::clone(&said));
        let say = move |line| said.lock().push(line);
        contenders.push(tokio::spawn(async move {
            contend(client, identity, &stop, say).await
        }));
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    for stop in stops {
        stop.cancel();
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    for contender in contenders {
        contender.await??;
    }
    Ok(std::mem::take(&mut *said.lock()))
}
