//! `embedded-apiserver`: serves the API over HTTP, for kubectl and other clients; [`program`] has
//! its other names.

mod program;

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Parser, Subcommand, ValueEnum};
use embedded_apiserver::{ApiServer, AuthorizationMode, Controllers, FeatureGate, ServeOptions};
use serde_json::Value;

/// Gives memory back after large requests, which the system allocator keeps for each thread.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An in-process Kubernetes API server, served over plain HTTP; without credentials, a client is
/// the administrator.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// A directory (or file) of CustomResourceDefinitions to serve, in YAML or JSON.
    #[arg(long, value_name = "DIR")]
    crds: Vec<PathBuf>,
    /// A directory (or file) of objects to load at start-up, in YAML or JSON.
    #[arg(long, value_name = "DIR")]
    load: Vec<PathBuf>,
    /// Accept requests to this host name, in addition to `localhost` and IP addresses.
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,
    /// Write a kubeconfig for the server to this file.
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Who may do what: everyone everything, or what the roles allow the impersonated user or the
    /// service account of the token.
    #[arg(long, value_name = "MODE", value_enum, default_value_t = Mode::AlwaysAllow)]
    authorization_mode: Mode,
    /// Check the permissions that owner references need, as the admission plugin of that name does.
    #[arg(long)]
    owner_references_permission_enforcement: bool,
    /// How far the server does the work of kube-controller-manager: `full`, as on a cluster;
    /// `envtest`, finalizers are set and nobody removes them; `off`, no finalizers.
    #[arg(long, value_name = "MODE", default_value = "full")]
    controllers: Controllers,
    /// Turn features of kube-apiserver on or off: `ShardedListAndWatch=true`.
    #[arg(long, value_name = "NAME=BOOL", value_delimiter = ',', value_parser = FeatureGate::parse_setting)]
    feature_gates: Vec<(FeatureGate, bool)>,
    /// Neither delete the dependents of deleted objects nor set the garbage collector's finalizers.
    #[arg(long)]
    no_garbage_collector: bool,
    /// The maximum number of events kept in the watch history.
    #[arg(long, default_value_t = 10_000)]
    history: usize,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write programs that envtest starts instead of etcd and kube-apiserver.
    Envtest(program::Envtest),
}

/// The authorization modes, as kube-apiserver names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// Everyone may do everything.
    #[value(name = "AlwaysAllow")]
    AlwaysAllow,
    /// What the stored roles and their bindings allow.
    #[value(name = "RBAC")]
    Rbac,
}

impl From<Mode> for AuthorizationMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::AlwaysAllow => Self::AlwaysAllow,
            Mode::Rbac => Self::Rbac,
        }
    }
}

fn main() -> anyhow::Result<()> {
    if let Some(done) = program::by_name() {
        return done;
    }
    let args = Args::parse();
    match &args.command {
        Some(Command::Envtest(envtest)) => envtest.run(),
        None => tokio::runtime::Runtime::new()?.block_on(serve(args)),
    }
}

fn log_to_stderr() {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
}

async fn serve(args: Args) -> anyhow::Result<()> {
    log_to_stderr();
    let mut builder = ApiServer::builder().controllers(args.controllers);
    if args.no_garbage_collector {
        builder = builder.garbage_collector(Controllers::Off);
    }
    for (gate, on) in args.feature_gates {
        builder = builder.feature_gate(gate, on);
    }
    let server = builder
        .crd_values(read_all(&args.crds)?)
        .objects(read_all(&args.load)?)
        .authorization(args.authorization_mode.into())
        .owner_references_permission_enforcement(args.owner_references_permission_enforcement)
        .history(args.history)
        .build()?;
    let options = args
        .allow_host
        .iter()
        .fold(ServeOptions::default(), ServeOptions::allow_host);
    let serving = server
        .serve_with(args.listen, options)
        .await
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    if let Some(path) = &args.kubeconfig {
        fs::write(path, serving.kubeconfig("embedded"))
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    if serving.is_exposed() {
        writeln!(
            std::io::stderr(),
            "warning: {} accepts unauthenticated requests from other machines",
            serving.local_addr()
        )?;
    }
    writeln!(std::io::stdout(), "listening on {}", serving.url())?;
    program::stopped().await?;
    serving.shutdown().await;
    Ok(())
}

/// Reads the objects in files and directories; lists are split into their items.
fn read_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Value>> {
    let mut objects = Vec::new();
    for path in paths {
        read_path(path, &mut objects)?;
    }
    Ok(objects)
}

fn read_path(path: &Path, objects: &mut Vec<Value>) -> anyhow::Result<()> {
    let metadata = fs::metadata(path).with_context(|| format!("cannot read {}", path.display()))?;
    if metadata.is_dir() {
        let mut entries: Vec<PathBuf> = fs::read_dir(path)?
            .map(|entry| entry.map(|e| e.path()))
            .collect::<Result<_, _>>()?;
        entries.sort();
        for entry in entries {
            let is_manifest = entry
                .extension()
                .is_some_and(|e| e == "yaml" || e == "yml" || e == "json");
            if is_manifest || entry.is_dir() {
                read_path(&entry, objects)?;
            }
        }
        return Ok(());
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let documents: Vec<Value> = serde_saphyr::from_multiple(&text)
        .with_context(|| format!("cannot parse {}", path.display()))?;
    for document in documents {
        match document.get("items").and_then(Value::as_array) {
            Some(items) => objects.extend(items.iter().cloned()),
            None if document.is_null() => {}
            None => objects.push(document),
        }
    }
    Ok(())
}
