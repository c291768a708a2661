//! Work that blocks its thread and does not stop.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use codegen_runtime::leader::{LeaderElectionConfig, LeaderElector, Leadership, Stopped};
use codegen_runtime::manager::{Manager, ManagerError, OnStuckWork, RunContext, runnable_fn};
use tokio_util::sync::CancellationToken;

use super::{config, spec};
use crate::control::rig::Rig;
use crate::control::server::Server;
use crate::control::{ms, secs};

/// How long work may continue after the end of its term before its process counts as stuck.
const GRACE: Duration = ms(1000);

/// Returns terms that no pause of the machine ends: the results of these tests depend only on
/// `grace` and the stop timeout.
fn config_with(identity: &str, grace: Duration) -> LeaderElectionConfig {
    config(identity)
        .times(secs(600) + grace, secs(600), ms(300))
        .stop_timeout(ms(100))
}

/// Blocks its thread in a separate task, as workers do: asks to be stopped while it blocks, and
/// ends when `until` does.
async fn stubborn(
    leadership: Leadership,
    stop: CancellationToken,
    until: impl FnOnce() + Send + 'static,
    ended: Arc<AtomicBool>,
) {
    let work = leadership.fence(async move {
        ask_from_another_thread(stop);
        until();
        ended.store(true, Ordering::SeqCst);
    });
    let _ = tokio::spawn(work).await;
}

/// Blocks the thread until the test continues; a minute at most, so that a failing test ends.
fn wait(released: &Receiver<()>) {
    let _ = released.recv_timeout(secs(60));
}

/// Cancels `stop` for a task that then blocks its thread: a task woken by that task might wait for
/// its thread.
fn ask_from_another_thread(stop: CancellationToken) {
    std::thread::spawn(move || stop.cancel());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_lease_is_not_released_while_the_work_runs_on() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), config_with("a", GRACE)).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let (shutdown, at_work) = (CancellationToken::new(), Arc::clone(&ended));
    let (stop, (release, released)) = (shutdown.clone(), channel());
    let result = elector.run(&shutdown, |leadership| {
        stubborn(leadership, stop, move || wait(&released), at_work)
    });
    assert_eq!(result.await, Stopped::RunsOn);
    assert!(!ended.load(Ordering::SeqCst));
    assert!(!elector.is_leader());
    assert_eq!(spec(&server)["holderIdentity"], "a", "not released");
    // The next run of this process does not work concurrently either.
    let seen = Arc::clone(&ended);
    let go_on = CancellationToken::new();
    let next = elector.run(&go_on, |_| async move { seen.load(Ordering::SeqCst) });
    let later = async {
        tokio::time::sleep(ms(300)).await;
        release.send(()).unwrap();
    };
    let (result, ()) = tokio::join!(next, later);
    assert_eq!(result, Stopped::Finished(true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_lease_is_released_once_work_that_took_its_time_has_ended() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), config_with("a", secs(60))).unwrap();
    let ended = Arc::new(AtomicBool::new(false));
    let (shutdown, at_work) = (CancellationToken::new(), Arc::clone(&ended));
    let stop = shutdown.clone();
    let result = elector.run(&shutdown, |leadership| {
        let term = leadership.clone();
        // Longer than the stop timeout: until its term has ended.
        let until = move || {
            while term.is_leading() {
                std::thread::sleep(ms(5));
            }
            std::thread::sleep(ms(100));
        };
        stubborn(leadership, stop, until, at_work)
    });
    assert_eq!(result.await, Stopped::Overdue);
    assert!(ended.load(Ordering::SeqCst), "waited for");
    assert_eq!(spec(&server)["holderIdentity"], "");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_step_on_another_thread_holds_the_release_up() {
    let server = Server::new();
    let elector = LeaderElector::new(server.client_of("a"), config_with("a", secs(60))).unwrap();
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

/// Runs a manager whose runnable spawns a task that blocks its thread until the manager has ended.
async fn manage(on_stuck_work: OnStuckWork) -> Result<(), ManagerError> {
    let rig = Rig::new();
    let stop = CancellationToken::new();
    let (release, released) = channel();
    let (asked, released) = (stop.clone(), Arc::new(Mutex::new(released)));
    let run = move |_: RunContext| {
        let (asked, released) = (asked.clone(), Arc::clone(&released));
        async move {
            ask_from_another_thread(asked);
            wait(&released.lock().unwrap());
            Ok(())
        }
    };
    let manager = Manager::builder(&rig.factory)
        .runnable(runnable_fn("stubborn", true, run))
        .leader_election(rig.server.client_of("a"), config_with("a", GRACE))
        .graceful_timeout(ms(100))
        .on_stuck_work(on_stuck_work)
        .build()
        .unwrap();
    let result = manager.run(&stop).await;
    assert_eq!(spec(&rig.server)["holderIdentity"], "a", "not released");
    drop(release);
    result
}

#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn a_manager_lets_the_lease_run_out_unless_it_is_told_to_exit() {
    let result = manage(OnStuckWork::LetLeaseExpire).await;
    assert!(
        matches!(result, Err(ManagerError::WorkRunsOn)),
        "{result:?}"
    );
}

/// The process that the next test starts; not a test of its own.
#[tokio::test(flavor = "multi_thread", worker_threads = 3)]
async fn stuck_process() {
    if std::env::var_os("STUCK_PROCESS").is_some() {
        drop(manage(OnStuckWork::ExitProcess).await);
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
