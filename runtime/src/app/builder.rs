//! Describes a program of controllers and runs it.

use std::ffi::OsString;
use std::future::Future;
use std::io::Write;
use std::process::ExitCode;

use clap::{Args, Command, FromArgMatches};
use kube::Client;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{Layer, Registry};

#[cfg(feature = "webhooks")]
use super::WebhookFlags;
use super::{AppError, BoxError, Flags, Process, ShardFlags, cluster, logging};
#[cfg(feature = "demo")]
use super::{Demo, DemoFlags, DevFlags};
use crate::connect::ClientOptions;
use crate::error::chain;
use crate::manager::{Manager, ManagerBuilder, shutdown_signal};
use crate::metrics::Metrics;
use crate::traces;
#[cfg(feature = "webhooks")]
use crate::webhook::Webhooks;

/// A program of controllers: its name, its help and its `demo`. [`main`](Self::main) runs it.
#[must_use]
pub struct App {
    pub(super) name: &'static str,
    pub(super) version: &'static str,
    about: &'static str,
    reporter: String,
    crates: Vec<String>,
    adjust: Vec<fn(Command) -> Command>,
    sharded: bool,
    migrated: Vec<String>,
    spans: Option<logging::Spans>,
    #[cfg(feature = "webhooks")]
    webhooks: Option<Webhooks>,
    #[cfg(feature = "demo")]
    pub(super) demo: Option<Demo>,
}

/// A parsed command line: the common flags, the program's own flags and the subcommand to run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Invocation<F> {
    /// The flags common to all controllers.
    pub flags: Flags,
    /// The program's own flags.
    pub own: F,
    /// The flags of `demo`, if `demo` is to run.
    #[cfg(feature = "demo")]
    pub demo: Option<DemoFlags>,
    /// The flags of `dev`, if `dev` is to run.
    #[cfg(feature = "demo")]
    pub dev: Option<DevFlags>,
}

impl App {
    /// Describes the program `name`, such as `network-controller`, at `version`:
    /// `env!("CARGO_PKG_VERSION")`.
    ///
    /// `name` is the command's name, the User-Agent, the default name of the Lease and the reporter
    /// of events. With `-` replaced by `_`, it is the crate whose log lines `-v` shows.
    pub fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            about: "",
            reporter: name.to_owned(),
            crates: vec![name.replace('-', "_")],
            adjust: Vec::new(),
            sharded: false,
            migrated: Vec::new(),
            spans: None,
            #[cfg(feature = "webhooks")]
            webhooks: None,
            #[cfg(feature = "demo")]
            demo: None,
        }
    }

    /// Sets the description in the help. Of several lines, `-h` shows the first.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// Sets the reporter of events, such as `samplecrd.k8s.io/network-controller`; defaults to the
    /// program's name.
    pub fn reporter(mut self, reporter: impl Into<String>) -> Self {
        self.reporter = reporter.into();
        self
    }

    /// Adds crates whose log lines `-v` shows.
    pub fn verbose_crates<'a>(mut self, crates: impl IntoIterator<Item = &'a str>) -> Self {
        self.crates.extend(crates.into_iter().map(str::to_owned));
        self
    }

    /// Adjusts the command line with `Command::mut_arg`: a default value, say, or a more specific
    /// help string.
    pub fn adjust_command(mut self, adjust: fn(Command) -> Command) -> Self {
        self.adjust.push(adjust);
        self
    }

    /// Serves webhooks through the [manager](Process::manager), on every replica, with the
    /// certificate in the folder of `--webhook-cert-path`. `demo` needs no certificate: use
    /// [`Demo::webhooks`](super::Demo::webhooks) there.
    #[cfg(feature = "webhooks")]
    pub fn webhooks(mut self, webhooks: Webhooks) -> Self {
        self.webhooks = Some(webhooks);
        self
    }

    /// Adds the flags of sharded controllers: `--shard-by` lets every replica work. `setup` passes
    /// [`Process::sharding`] to its controllers.
    pub fn sharded(mut self) -> Self {
        self.sharded = true;
        self
    }

    /// Rewrites the stored objects of a kind whenever its storage version changes, while this
    /// process leads: see [`storage_version`](crate::storage_version). `crd` is the name of its
    /// CustomResourceDefinition.
    pub fn migrates_storage_of(mut self, crd: impl Into<String>) -> Self {
        self.migrated.push(crd.into());
        self
    }

    /// Hands the runtime's [spans](crate::traces) to a layer, such as that of the crate
    /// `tracing-opentelemetry`, which sends them to a collector.
    pub fn spans(mut self, layer: impl Layer<Registry> + Send + Sync) -> Self {
        self.spans = Some(layer.boxed());
        self
    }

    /// Puts the ids of traces into the log's lines and the annotations of events: `identify` reads
    /// that of a span, from the layer of [`spans`](Self::spans).
    pub fn trace_ids(self, identify: traces::Identify) -> Self {
        if !traces::identify(identify) {
            tracing::warn!("ids of traces are read already; the later function is ignored");
        }
        self
    }

    /// Adds the subcommands `demo` and `dev`. The latter runs the controllers on this machine
    /// against the current cluster: it applies the demo's CRDs and webhook configurations, and lets
    /// the API server call the webhooks of this process.
    #[cfg(feature = "demo")]
    pub fn demo(mut self, demo: Demo) -> Self {
        self.demo = Some(demo);
        self
    }

    /// Builds the command line, with the program's own flags `F` (`()` for none).
    pub fn command<F: Args>(&self) -> Command {
        let command = Command::new(self.name);
        let command = F::augment_args(Flags::augment_args(command))
            .about(self.about.lines().next().unwrap_or_default())
            .long_about(self.about)
            .version(self.version)
            .max_term_width(120)
            .mut_arg("lease_lock_name", |arg| {
                arg.required(false).default_value(self.name)
            });
        #[cfg(feature = "webhooks")]
        let command = match &self.webhooks {
            Some(_) => WebhookFlags::augment_args(command),
            None => command,
        };
        let command = match self.sharded {
            true => ShardFlags::augment_args(command),
            false => command,
        };
        #[cfg(feature = "demo")]
        let command = match &self.demo {
            Some(demo) => command
                .args_conflicts_with_subcommands(true)
                .subcommand(demo.command(self.name))
                .subcommand(DevFlags::command()),
            None => command,
        };
        self.adjust.iter().fold(command, |it, adjust| adjust(it))
    }

    /// Parses a command line whose first argument is the program's name.
    ///
    /// # Errors
    ///
    /// clap's: an invalid argument, or a request for help.
    pub fn try_parse_from<F: Args>(
        &self,
        args: impl IntoIterator<Item = impl Into<OsString> + Clone>,
    ) -> Result<Invocation<F>, clap::Error> {
        let mut command = self.command::<F>();
        let matches = command.try_get_matches_from_mut(args)?;
        let told = |error: clap::Error| error.format(&mut command.clone());
        let mut flags = Flags::from_arg_matches(&matches).map_err(told)?;
        if self.sharded {
            flags.shards = Some(ShardFlags::from_arg_matches(&matches).map_err(told)?);
        }
        #[cfg(feature = "webhooks")]
        if self.webhooks.is_some() {
            flags.webhooks = Some(WebhookFlags::from_arg_matches(&matches).map_err(told)?);
        }
        Ok(Invocation {
            flags,
            own: F::from_arg_matches(&matches).map_err(told)?,
            #[cfg(feature = "demo")]
            demo: match matches.subcommand() {
                Some(("demo", matches)) => Some(DemoFlags::read(matches).map_err(told)?),
                _ => None,
            },
            #[cfg(feature = "demo")]
            dev: match matches.subcommand() {
                Some(("dev", matches)) => Some(DevFlags::read(matches).map_err(told)?),
                _ => None,
            },
        })
    }

    /// Parses the process's command line and runs the program until SIGTERM, SIGINT or a failure. A
    /// second signal ends the process immediately.
    ///
    /// `setup` builds the controllers and adds them to a [manager](Process::manager), which this
    /// function runs. The first signal drops a `setup` that is still waiting. An exit code other
    /// than 0 follows a logged error. Lost leadership is such an error: the process must restart.
    pub fn main<F, S, W, E>(self, setup: S) -> ExitCode
    where
        F: Args,
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let invocation = match self.try_parse_from::<F>(std::env::args_os()) {
            Ok(invocation) => invocation,
            Err(error) => error.exit(),
        };
        let runtime = match tokio::runtime::Runtime::new() {
            Ok(runtime) => runtime,
            Err(error) => {
                let _ = writeln!(std::io::stderr(), "{error}");
                return ExitCode::FAILURE;
            }
        };
        let result = runtime.block_on(self.invoke(invocation, setup));
        // A blocked thread must not keep the process alive, as it would go on working without
        // leadership.
        runtime.shutdown_background();
        match result {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                tracing::error!("{}", chain(&error));
                ExitCode::FAILURE
            }
        }
    }

    async fn invoke<F, S, W, E>(
        mut self,
        invocation: Invocation<F>,
        setup: S,
    ) -> Result<(), AppError>
    where
        F: Args,
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let spans = self.spans.take();
        #[cfg(feature = "demo")]
        if let (Some(flags), Some(demo)) = (&invocation.demo, self.demo.take()) {
            logging::start(
                &flags.log,
                if flags.once { "warn" } else { "info" },
                &self.crates,
                spans,
            )?;
            let shutdown = shutdown_signal().map_err(AppError::Start)?;
            return demo.run(&self, flags, setup, &shutdown).await;
        }
        #[cfg(feature = "demo")]
        if let Some(dev) = &invocation.dev {
            logging::start(&dev.log, "info", &self.crates, spans)?;
            let shutdown = shutdown_signal().map_err(AppError::Start)?;
            return self.develop_here(dev, setup, &shutdown).await;
        }
        logging::start(&invocation.flags.log, "info", &self.crates, spans)?;
        let shutdown = shutdown_signal().map_err(AppError::Start)?;
        let Invocation { flags, own, .. } = invocation;
        self.run(flags, own, setup, &shutdown).await
    }

    /// Runs the program against the cluster that `flags` or the environment specify, until
    /// `shutdown` is cancelled.
    ///
    /// # Errors
    ///
    /// No cluster is configured, an address is in use, `setup` fails, or the manager stops by
    /// itself.
    pub async fn run<F, S, W, E>(
        &self,
        flags: Flags,
        own: F,
        setup: S,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError>
    where
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let start = async {
            let metrics = Metrics::new();
            let client = self.connect(&flags, &metrics).await?;
            let process = self.process(client, flags, metrics).await?;
            build(setup(process, own)).await
        };
        self.manage(start, shutdown).await
    }

    /// Like [`run`](Self::run), but with the caller's client: for tests, and for several programs
    /// in one process. The flags that select a cluster have no effect.
    ///
    /// # Errors
    ///
    /// See [`run`](Self::run).
    pub async fn run_with<F, S, W, E>(
        &self,
        client: Client,
        flags: Flags,
        own: F,
        setup: S,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError>
    where
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let start = async {
            let process = self.process(client, flags, Metrics::new()).await?;
            build(setup(process, own)).await
        };
        self.manage(start, shutdown).await
    }

    /// The client of the cluster that the flags or the environment specify.
    pub(super) async fn connect(
        &self,
        flags: &Flags,
        metrics: &Metrics,
    ) -> Result<Client, AppError> {
        let (kubeconfig, master) = (flags.kubeconfig.as_deref(), flags.master.as_deref());
        let config = cluster::config(kubeconfig, master).await?;
        let options = ClientOptions::new().user_agent(format!("{}/{}", self.name, self.version));
        let client = options.metrics(metrics).connect(config);
        client.map_err(AppError::Client)
    }

    /// The webhooks that it serves.
    #[cfg(all(feature = "webhooks", feature = "demo"))]
    pub(super) const fn own_webhooks(&self) -> Option<&Webhooks> {
        self.webhooks.as_ref()
    }

    pub(super) async fn process(
        &self,
        client: Client,
        flags: Flags,
        metrics: Metrics,
    ) -> Result<Process, AppError> {
        let mut process = Process::new(self.reporter.clone(), client, flags, metrics).await?;
        process.migrates(&self.migrated);
        #[cfg(feature = "webhooks")]
        if let Some(webhooks) = &self.webhooks {
            process.serve(webhooks).await?;
        }
        let identity = process.identity();
        tracing::info!(identity, version = self.version, "starting");
        Ok(process)
    }

    /// Runs the manager that `start` builds. A stop drops `start`: an API server that it waits for
    /// must not keep the process alive.
    pub(super) async fn manage(
        &self,
        start: impl Future<Output = Result<Manager, AppError>>,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError> {
        let Some(manager) = shutdown.run_until_cancelled(start).await else {
            tracing::info!(program = self.name, "stopped before setup was complete");
            return Ok(());
        };
        manager?.run(shutdown).await?;
        tracing::info!(program = self.name, "stopped");
        Ok(())
    }
}

pub(super) async fn build<E: Into<BoxError>>(
    setup: impl Future<Output = Result<ManagerBuilder, E>>,
) -> Result<Manager, AppError> {
    let manager = setup.await.map_err(|error| AppError::Setup(error.into()))?;
    Ok(manager.build()?)
}

impl std::fmt::Debug for App {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App")
            .field("name", &self.name)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
