//! Adds a controller to a manager, with a start delay and health checks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use codegen_runtime::manager::{AnyRunnable, ManagerBuilder, RunContext, Runnable};
use tokio_util::sync::CancellationToken;

use crate::table::BoxError;

/// Adds `runnable` to `manager`, which starts it after `delay`, with two checks of its name: ready
/// once its caches have synced, and healthy unless it ended without being stopped.
///
/// The delays spread the first reconciliations of many controllers over time.
pub fn add(manager: ManagerBuilder, runnable: AnyRunnable, delay: Duration) -> ManagerBuilder {
    let name = runnable.name().to_owned();
    let state = State::default();
    let (ready, healthy) = (state.clone(), state.clone());
    manager
        .runnable(Supervised {
            runnable,
            delay,
            state,
        })
        .readyz(&name, move || match ready.get() {
            STARTING => Err("its caches have not synced yet".to_owned()),
            _ => Ok(()),
        })
        .healthz(&name, move || match healthy.get() {
            ENDED => Err("it has ended".to_owned()),
            _ => Ok(()),
        })
}

const STARTING: u8 = 0;
const SYNCED: u8 = 1;
const ENDED: u8 = 2;

#[derive(Clone, Default)]
struct State(Arc<AtomicU8>);

impl State {
    fn get(&self) -> u8 {
        self.0.load(Ordering::Acquire)
    }

    fn set(&self, state: u8) {
        self.0.store(state, Ordering::Release);
    }
}

struct Supervised {
    runnable: AnyRunnable,
    delay: Duration,
    state: State,
}

impl Runnable for Supervised {
    fn name(&self) -> &str {
        self.runnable.name()
    }

    fn needs_leader_election(&self) -> bool {
        self.runnable.needs_leader_election()
    }

    async fn run_caches(&self, stop: CancellationToken) {
        self.runnable.run_caches(stop).await;
    }

    async fn wait_for_caches(&self) -> Result<(), BoxError> {
        self.runnable.wait_for_caches().await?;
        self.state.set(SYNCED);
        Ok(())
    }

    async fn run(&self, context: RunContext) -> Result<(), BoxError> {
        let stop = context.stop.clone();
        let delay = tokio::time::sleep(self.delay);
        if stop.run_until_cancelled(delay).await.is_none() {
            return Ok(());
        }
        let result = self.runnable.run(context).await;
        if !stop.is_cancelled() {
            self.state.set(ENDED);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use codegen_runtime::fake;
    use codegen_runtime::informer::SharedInformerFactory;
    use codegen_runtime::manager::{Endpoints, Manager, runnable_fn};
    use tokio::time::sleep;

    use super::*;

    const DELAY: Duration = Duration::from_secs(10);

    fn status(endpoints: &Endpoints, path: &str) -> u16 {
        let request = http::Request::get(path).body(()).expect("a request");
        endpoints.respond(&request).status().as_u16()
    }

    #[tokio::test(start_paused = true)]
    async fn a_controller_starts_after_its_delay_and_has_checks_of_its_own() {
        let (client, _tracker) = fake::serve(&[], Vec::<fake::Object>::new());
        let factory = SharedInformerFactory::builder(client).build();
        let stays = runnable_fn("stays", true, async |context: RunContext| {
            context.stop.cancelled().await;
            Ok(())
        });
        let ends = runnable_fn("ends", true, async |_| Ok(()));
        let manager = add(
            Manager::builder(&factory),
            AnyRunnable::new(stays),
            Duration::ZERO,
        );
        let manager = add(manager, AnyRunnable::new(ends), DELAY);
        let manager = manager.build().expect("a manager");
        let endpoints = manager.endpoints().clone();
        assert_eq!(status(&endpoints, "/readyz/stays"), 500, "no cache yet");
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let run = tokio::spawn(async move { manager.run(&stopped).await });

        sleep(DELAY / 2).await;
        for path in ["/readyz/stays", "/readyz/ends", "/healthz/ends"] {
            assert_eq!(status(&endpoints, path), 200, "{path}");
        }
        sleep(DELAY).await;
        assert_eq!(status(&endpoints, "/healthz/ends"), 500, "it has ended");
        assert_eq!(status(&endpoints, "/healthz/stays"), 200);
        stop.cancel();
        run.await.expect("no panic").expect("graceful shutdown");
        assert_eq!(
            status(&endpoints, "/healthz/stays"),
            200,
            "it was asked to stop"
        );
    }
}
