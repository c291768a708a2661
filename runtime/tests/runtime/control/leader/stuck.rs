//! Work that blocks its thread and does not stop.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Leadership, Stopped};
use codegen_runtime::manager::{Manager, ManagerError, OnStuckWork, RunContext, runnable_fn};
use tokio_util::sync::CancellationToken;

use super::{config, spec};
use crate::control::rig::Rig;
use crate::control::server::Server;
use crate::control::{ms, secs};

fn short(identity: &str) -> LeaderElectionConfig {
    config(identity)
        .times(ms(2500), ms(1500), ms(300))
        .stop_timeout(ms(100))
}

/// Blocks a thread for `time` as soon as it is asked to stop, in a task of its own as workers do.
async fn stubborn(leadership: Leadership, time: std::time::Duration, ended: Arc<AtomicBool>) {
    let asked = leadership.token().clone();
    let work = leadership.fence(async move {
        asked.cancelled().await;
        std::thread::sleep(time);
        ended.store(true, Ordering::SeqCst);
    });
    let _ = tokio::spawn(work).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_lease_is_not_released_while_the_work_runs_on() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), short("a")).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let (shutdown, at_work) = (CancellationToken::new(), Arc::clone(&ended));
    let stop = shutdown.clone();
    let result = elector.run(&shutdown, |leadership| async move {
        stop.cancel();
        stubborn(leadership, secs(4), at_work).await;
    });
    assert_eq!(result.await, Stopped::RunsOn);
    assert!(!ended.load(Ordering::SeqCst));
    assert!(!elector.is_leader());
    assert_eq!(spec(&server)["holderIdentity"], "a", "not released");
    // Nor does the next run of this process work beside it.
    let seen = Arc::clone(&ended);
    let go_on = CancellationToken::new();
    let result = elector.run(&go_on, |_| async move { seen.load(Ordering::SeqCst) });
    assert_eq!(result.await, Stopped::Finished(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_lease_is_released_once_work_that_took_its_time_has_ended() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), short("a")).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let (shutdown, at_work) = (CancellationToken::new(), Arc::clone(&ended));
    let stop = shutdown.clone();
    let result = elector.run(&shutdown, |leadership| async move {
        stop.cancel();
        stubborn(leadership, ms(500), at_work).await;
    });
    assert_eq!(result.await, Stopped::Overdue);
    assert!(ended.load(Ordering::SeqCst), "waited for");
    assert_eq!(spec(&server)["holderIdentity"], "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_step_on_another_thread_holds_the_release_up() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), short("a")).unwrap();
    let shutdown = CancellationToken::new();
    let stop = shutdown.clone();
    let ended = Arc::new(AtomicBool::new(false));
    let at_work = Arc::clone(&ended);
    let result = elector.run(&shutdown, |leadership| async move {
        let step = leadership.step().unwrap();
        std::thread::spawn(move || {
            std::thread::sleep(ms(400));
            at_work.store(true, Ordering::SeqCst);
            drop(step);
        });
        stop.cancel();
    });
    assert_eq!(result.await, Stopped::Finished(()));
    assert!(ended.load(Ordering::SeqCst));
    assert_eq!(spec(&server)["holderIdentity"], "");
}

/// A manager whose runnable blocks its thread, in a task that the manager spawns.
async fn manage(on_stuck_work: OnStuckWork, time: std::time::Duration) -> Result<(), ManagerError> {
    let rig = Rig::new();
    let stop = CancellationToken::new();
    let asked = stop.clone();
    let run = move |context: RunContext| {
        let asked = asked.clone();
        async move {
            asked.cancel();
            context.stop.cancelled().await;
            std::thread::sleep(time);
            Ok(())
        }
    };
    let manager = Manager::builder(&rig.factory)
        .runnable(runnable_fn("stubborn", true, run))
        .leader_election(rig.server.client_of("a"), short("a"))
        .graceful_timeout(ms(100))
        .on_stuck_work(on_stuck_work)
        .build()
        .unwrap();
    let result = manager.run(&stop).await;
    assert_eq!(spec(&rig.server)["holderIdentity"], "a", "not released");
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_manager_lets_the_lease_run_out_unless_it_is_told_to_exit() {
    let result = manage(OnStuckWork::LetLeaseExpire, secs(3)).await;
    assert!(
        matches!(result, Err(ManagerError::WorkRunsOn)),
        "{result:?}"
    );
}

/// Not a test of its own: the process that the next one starts.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn stuck_process() {
    if std::env::var_os("STUCK_PROCESS").is_some() {
        drop(manage(OnStuckWork::ExitProcess, secs(60)).await);
    }
}

#[test]
fn a_manager_that_is_told_to_exits_before_somebody_else_leads() {
    let start = Instant::now();
    let status = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "control::leader::stuck::stuck_process"])
        .env("STUCK_PROCESS", "1")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(1));
    assert!(start.elapsed() < secs(30), "{:?}", start.elapsed());
}
