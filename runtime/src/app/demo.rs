//! `demo`: runs the program's controllers against an embedded API server, to try them without a
//! cluster.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::Future;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::pin::pin;

use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use embedded_apiserver::ApiServer;
use futures::future::BoxFuture;
use kube::Client;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{App, AppError, BoxError, LogFlags, Process};
use crate::manager::ManagerBuilder;
#[cfg(feature = "webhooks")]
use crate::webhook::Webhooks;

type Walk = Box<dyn FnOnce(Client) -> BoxFuture<'static, Result<(), BoxError>> + Send + Sync>;

/// Describes `demo`: the objects it serves and the commands it suggests.
///
/// `demo` serves the CRDs and sample objects on a loopback address, runs the program's controllers,
/// writes a kubeconfig, prints the commands to try, and runs until it is stopped. Only the
/// kubeconfig remains afterwards.
#[derive(Default)]
#[must_use]
pub struct Demo {
    about: Option<&'static str>,
    crds: Vec<&'static str>,
    objects: Vec<&'static str>,
    commands: Vec<&'static str>,
    args: Vec<&'static str>,
    #[cfg(feature = "webhooks")]
    webhooks: Option<Webhooks>,
    walk: Option<Walk>,
}

/// The flags of `demo`.
#[derive(Clone, Debug, Args)]
#[group(skip)]
#[non_exhaustive]
pub struct DemoFlags {
    /// Whether to play the scenario and exit; only if there is one.
    #[arg(skip)]
    pub once: bool,
    /// The address of the API server.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8001")]
    pub listen: SocketAddr,
    // The default contains the program's name; `Demo::command` sets it.
    /// The kubeconfig to write.
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: PathBuf,
    /// The log's level and format.
    #[command(flatten)]
    pub log: LogFlags,
    /// Flags of the controller.
    #[arg(last = true, value_name = "FLAG")]
    pub args: Vec<String>,
}

impl DemoFlags {
    pub(super) fn read(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::from_arg_matches(matches)?;
        let once = matches.try_get_one("once").ok().flatten();
        flags.once = once.copied().unwrap_or(false);
        Ok(flags)
    }
}

impl Demo {
    /// Creates an empty demo.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the description in the help.
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = Some(about);
        self
    }

    /// Adds CRDs to serve: YAML of one or more documents, such as
    /// `include_str!("../deploy/crd.yaml")`.
    pub fn crds(mut self, yaml: &'static str) -> Self {
        self.crds.push(yaml);
        self
    }

    /// Adds sample objects that exist from the start: YAML of one or more documents.
    pub fn objects(mut self, yaml: &'static str) -> Self {
        self.objects.push(yaml);
        self
    }

    /// Lets the API server call webhooks in this process, without sockets or certificates, for
    /// every service that the CRDs and the webhook configurations among the objects name.
    #[cfg(feature = "webhooks")]
    pub fn webhooks(mut self, webhooks: Webhooks) -> Self {
        self.webhooks = Some(webhooks);
        self
    }

    /// Adds a command to try, such as `kubectl get networks -w`.
    pub fn command_to_try(mut self, line: &'static str) -> Self {
        self.commands.push(line);
        self
    }

    /// Sets flags of the controller that differ from their defaults in the demo. Flags that the
    /// user writes after `--` follow them.
    pub fn args(mut self, args: impl IntoIterator<Item = &'static str>) -> Self {
        self.args.extend(args);
        self
    }

    /// Sets the scenario of `--once`: it plays the life of an object through the client, prints it,
    /// and ends the demo.
    pub fn walk<W>(mut self, walk: impl FnOnce(Client) -> W + Send + Sync + 'static) -> Self
    where
        W: Future<Output = Result<(), BoxError>> + Send + 'static,
    {
        self.walk = Some(Box::new(|client| Box::pin(walk(client))));
        self
    }

    /// Builds the subcommand for the program `name`.
    pub(super) fn command(&self, name: &str) -> Command {
        let stem = name.strip_suffix("-controller").unwrap_or(name);
        let mut command = Command::new("demo");
        if self.walk.is_some() {
            let once = Arg::new("once").long("once").action(ArgAction::SetTrue);
            command = command.arg(once.help("Plays the life of one object, prints it, and exits"));
        }
        DemoFlags::augment_args(command)
            .about(
                self.about.unwrap_or(
                    "Starts an embedded API server and the controller, to try with kubectl",
                ),
            )
            .mut_arg("kubeconfig", |arg| {
                arg.required(false)
                    .default_value(format!("{stem}-demo.kubeconfig"))
            })
    }

    /// The CRDs.
    pub(super) fn definitions(&self) -> Result<Vec<Value>, AppError> {
        documents("a definition", &self.crds)
    }

    /// The sample objects.
    pub(super) fn samples(&self) -> Result<Vec<Value>, AppError> {
        documents("a sample object", &self.objects)
    }

    /// The command line of the controller: the demo's own flags and those of the user.
    pub(super) fn line<'a>(
        &'a self,
        name: &'a str,
        user: &'a [String],
    ) -> impl Iterator<Item = &'a str> {
        let own = std::iter::once(name).chain(self.args.iter().copied());
        own.chain(user.iter().map(String::as_str))
    }

    /// Creates the API server with its CRDs and objects.
    ///
    /// # Errors
    ///
    /// One of them is invalid.
    pub fn server(&self) -> Result<ApiServer, AppError> {
        let (crds, mut objects) = (self.definitions()?, self.samples()?);
        objects.extend(namespaces_of(&objects));
        let builder = ApiServer::builder();
        #[cfg(feature = "webhooks")]
        let builder = self.webhooks.iter().fold(builder, |builder, webhooks| {
            let services = crds.iter().chain(&objects).flat_map(services);
            services.fold(builder, |builder, (namespace, name)| {
                builder.webhooks(namespace, name, webhooks.clone())
            })
        });
        let server = builder.crd_values(crds).objects(objects).build();
        server.map_err(|error| failed("the API server")(Box::new(error)))
    }

    pub(super) async fn run<F, S, W, E>(
        self,
        app: &App,
        flags: &DemoFlags,
        setup: S,
        shutdown: &CancellationToken,
    ) -> Result<(), AppError>
    where
        F: Args,
        S: FnOnce(Process, F) -> W,
        W: Future<Output = Result<ManagerBuilder, E>>,
        E: Into<BoxError>,
    {
        let server = self.server()?;
        let args = self.line(app.name, &flags.args);
        #[cfg_attr(not(feature = "webhooks"), allow(unused_mut))]
        let mut invocation = app
            .try_parse_from::<F>(args)
            .map_err(|error| failed("the controller's flags")(Box::new(error)))?;
        // The embedded server calls webhooks in this process, so that these flags do not apply.
        #[cfg(feature = "webhooks")]
        if self.webhooks.is_some() {
            invocation.flags.webhooks = None;
        }
        let stop = shutdown.child_token();
        let controllers = app.run_with(
            server.client(),
            invocation.flags,
            invocation.own,
            setup,
            &stop,
        );
        let play = async {
            match self.walk {
                Some(walk) if flags.once => walk(server.client()).await.map_err(failed("the walk")),
                _ => stay(flags, &self.commands, &server, &stop).await,
            }
        };
        beside(controllers, play, &stop).await
    }
}

fn failed(what: impl Into<String>) -> impl FnOnce(BoxError) -> AppError {
    let what = what.into();
    move |source| AppError::Demo { what, source }
}

fn documents(what: &str, files: &[&str]) -> Result<Vec<Value>, AppError> {
    let mut all = Vec::new();
    for file in files {
        let read = serde_saphyr::from_multiple::<Value>(file);
        all.extend(read.map_err(|error| failed(what)(Box::new(error)))?);
    }
    Ok(all)
}

/// The namespaces that objects are in and that are not among them, except `default`, which each
/// server has.
pub(super) fn namespaces_of(objects: &[Value]) -> Vec<Value> {
    let names = objects
        .iter()
        .filter_map(|it| it["metadata"]["namespace"].as_str());
    let is_there = |name: &str| {
        let mut namespaces = objects.iter().filter(|it| it["kind"] == "Namespace");
        name == "default" || namespaces.any(|it| it["metadata"]["name"] == name)
    };
    let missing: BTreeSet<&str> = names.filter(|name| !is_there(name)).collect();
    let missing = missing
        .into_iter()
        .map(|name| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}));
    missing.collect()
}

/// Returns the namespace and name of each service whose webhooks a CRD or a webhook configuration
/// names.
#[cfg(feature = "webhooks")]
fn services(object: &Value) -> impl Iterator<Item = (&str, &str)> {
    let conversion = &object["spec"]["conversion"]["webhook"];
    let webhooks = object["webhooks"].as_array().into_iter().flatten();
    std::iter::once(conversion)
        .chain(webhooks)
        .filter_map(|webhook| {
            let service = &webhook["clientConfig"]["service"];
            Some((service["namespace"].as_str()?, service["name"].as_str()?))
        })
}

/// Runs `play` next to the controllers, and stops the controllers afterwards.
async fn beside(
    controllers: impl Future<Output = Result<(), AppError>>,
    play: impl Future<Output = Result<(), AppError>>,
    stop: &CancellationToken,
) -> Result<(), AppError> {
    let mut controllers = pin!(controllers);
    let played = tokio::select! {
        ended = &mut controllers => return ended,
        played = play => played,
    };
    stop.cancel();
    controllers.await?;
    played
}

/// Serves until `stop` is cancelled.
async fn stay(
    flags: &DemoFlags,
    commands: &[&str],
    server: &ApiServer,
    stop: &CancellationToken,
) -> Result<(), AppError> {
    let listen = flags.listen;
    let serving = server.serve(listen).await.map_err(|error| {
        let what = format!("cannot listen on {listen}: choose another address with --listen");
        failed(what)(Box::new(error))
    })?;
    let path = &flags.kubeconfig;
    std::fs::write(path, serving.kubeconfig("demo"))
        .and_then(|()| writeln!(io::stdout(), "{}", instructions(path, commands)))
        .map_err(|error| failed(format!("cannot write {}", path.display()))(Box::new(error)))?;
    stop.cancelled().await;
    serving.shutdown().await;
    Ok(())
}

fn instructions(kubeconfig: &Path, commands: &[&str]) -> String {
    // Another terminal may be in another folder.
    let kubeconfig = std::path::absolute(kubeconfig).unwrap_or_else(|_| kubeconfig.to_owned());
    let mut text = format!(
        "The API server and the controller run. In another terminal:\n\n  export KUBECONFIG={}\n",
        quoted(&kubeconfig.to_string_lossy())
    );
    for line in commands {
        text.push_str(&format!("  {line}\n"));
    }
    text.push_str("\nCtrl-C ends it.");
    text
}

/// A word for a shell, in quotes if it needs them.
fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:@%".contains(c);
    match word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}

impl std::fmt::Debug for Demo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Demo")
            .field("commands", &self.commands)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kubeconfig_is_found_from_any_folder() {
        let said = instructions(Path::new("it's a demo.kubeconfig"), &["kubectl get pods"]);
        let here = std::env::current_dir().unwrap();
        let expected = format!(
            "  export KUBECONFIG='{}/it'\\''s a demo.kubeconfig'\n  kubectl get pods\n",
            here.display()
        );
        assert!(said.contains(&expected), "{said}");
        let said = instructions(Path::new("/tmp/demo.kubeconfig"), &[]);
        assert!(
            said.contains("  export KUBECONFIG=/tmp/demo.kubeconfig\n"),
            "{said}"
        );
    }
}
