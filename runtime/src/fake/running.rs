//! Runs a controller during a test.

use std::fmt;
use std::future::Future;

use tokio::task::{JoinError, JoinHandle};
use tokio_util::sync::CancellationToken;

/// A controller running in its own task, until it is [stopped](Self::stop) or [killed](Self::kill).
///
/// ```
/// # use codegen_runtime::fake::Running;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let running = Running::spawn(|stop| async move {
///     stop.cancelled().await;
///     Ok::<_, std::io::Error>(())
/// });
/// running.stop().await;
/// # }
/// ```
#[derive(Debug)]
#[must_use]
pub struct Running {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    /// Runs the future that `run` returns for a token, which [`stop`](Self::stop) cancels. An error
    /// of the future makes `stop` panic.
    ///
    /// # Panics
    ///
    /// Outside a tokio runtime.
    pub fn spawn<W, E>(run: impl FnOnce(CancellationToken) -> W) -> Self
    where
        W: Future<Output = Result<(), E>> + Send + 'static,
        E: fmt::Debug,
    {
        let stop = CancellationToken::new();
        let work = run(stop.clone());
        let task = tokio::spawn(async move {
            if let Err(error) = work.await {
                panic!("the controller ended with {error:?}");
            }
        });
        Self { stop, task }
    }

    /// Starts `app` with the command line `args` (without the program's name) on the cluster of
    /// `client`. Leader election is off unless `args` enable it.
    ///
    /// # Panics
    ///
    /// `args` are invalid, or there is no tokio runtime.
    #[cfg(feature = "app")]
    pub fn program<F, S, W, E>(
        app: crate::app::App,
        client: kube::Client,
        args: &[&str],
        setup: S,
    ) -> Self
    where
        F: clap::Args + Send + 'static,
        S: FnOnce(crate::app::Process, F) -> W + Send + 'static,
        W: Future<Output = Result<crate::manager::ManagerBuilder, E>> + Send,
        E: Into<crate::app::BoxError> + Send + 'static,
    {
        let asks = args.iter().any(|it| asks_for_election(it));
        let alone = (!asks).then_some("--leader-elect=false");
        let args = ["controller"].iter().chain(&alone).chain(args);
        let invocation = match app.try_parse_from::<F>(args) {
            Ok(invocation) => invocation,
            Err(error) => panic!("{error}"),
        };
        Self::spawn(async move |stop| {
            let (flags, own) = (invocation.flags, invocation.own);
            app.run_with(client, flags, own, setup, &stop).await
        })
    }

    /// Cancels the token and waits until the controller has stopped.
    ///
    /// # Panics
    ///
    /// The controller panicked or returned an error.
    pub async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.task.await {
            resume(error);
        }
    }

    /// Aborts the controller wherever it is, like `kill -9`.
    ///
    /// # Panics
    ///
    /// The controller has already ended.
    pub async fn kill(self) {
        self.task.abort();
        match self.task.await {
            Ok(()) => panic!("the controller ended before it was killed"),
            Err(error) if error.is_cancelled() => {}
            Err(error) => resume(error),
        }
    }
}

/// Whether a flag turns election on or off. Other flags have names that begin with this one's.
#[cfg(feature = "app")]
fn asks_for_election(flag: &str) -> bool {
    let rest = flag.strip_prefix("--leader-elect");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
}

/// Resumes the panic of a task.
fn resume(error: JoinError) -> ! {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(error) => panic!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "app")]
    #[test]
    fn only_the_flag_itself_asks_for_an_election() {
        for flag in [
            "--leader-elect",
            "--leader-elect=true",
            "--leader-elect=false",
        ] {
            assert!(asks_for_election(flag), "{flag}");
        }
        for flag in [
            "--leader-elect-lease-duration=1s",
            "--leader-elections",
            "--leader",
        ] {
            assert!(!asks_for_election(flag), "{flag}");
        }
    }

    #[tokio::test]
    async fn a_controller_that_is_killed_is_dropped_where_it_waits() {
        let (starts, started) = tokio::sync::oneshot::channel();
        let (sender, receiver) = tokio::sync::oneshot::channel::<()>();
        let running = Running::spawn(async move |_| {
            let _held = sender;
            let _ = starts.send(());
            std::future::pending::<Result<(), ()>>().await
        });
        started.await.unwrap();
        running.kill().await;
        assert!(receiver.await.is_err(), "what it held is gone");
    }

    #[tokio::test]
    #[should_panic(expected = "the controller ended with \"no backend\"")]
    async fn an_error_is_a_panic_of_the_test() {
        let running = Running::spawn(async |stop| {
            stop.cancelled().await;
            Err("no backend")
        });
        running.stop().await;
    }
}
