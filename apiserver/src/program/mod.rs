//! The program under its other names: as envtest's `etcd` and `kube-apiserver`, which [`install`]
//! writes.

mod etcd;
mod flags;
mod install;
mod kube_apiserver;
mod plugins;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;

/// Runs a program with its arguments.
type Run = fn(&[String]) -> anyhow::Result<()>;

/// The names, each with what it does.
const PROGRAMS: &[(&str, Run)] = &[("etcd", etcd::run), ("kube-apiserver", kube_apiserver::run)];

/// The arguments of `embedded-apiserver envtest`.
#[derive(Debug, Args)]
pub(crate) struct Envtest {
    /// The folder to write the programs `etcd` and `kube-apiserver` to, for KUBEBUILDER_ASSETS.
    #[arg(long, value_name = "DIR")]
    install: PathBuf,
}

impl Envtest {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let names: Vec<&str> = PROGRAMS.iter().map(|(name, _)| *name).collect();
        install::install(&self.install, &names)
    }
}

/// Runs what the name of the program says; `None` if it is the program's own.
pub(crate) fn by_name() -> Option<anyhow::Result<()>> {
    let mut arguments = std::env::args_os();
    let program = arguments.next()?;
    let name = Path::new(&program).file_stem()?.to_str()?;
    let (_, run) = PROGRAMS.iter().find(|(own, _)| *own == name)?;
    let arguments: Vec<String> = arguments
        .map(|it| it.to_string_lossy().into_owned())
        .collect();
    Some(run(&arguments))
}

/// Waits for SIGINT or SIGTERM.
#[cfg(unix)]
pub(crate) async fn stopped() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
        _ = terminate.recv() => Ok(()),
    }
}

#[cfg(not(unix))]
pub(crate) async fn stopped() -> anyhow::Result<()> {
    Ok(tokio::signal::ctrl_c().await?)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}
