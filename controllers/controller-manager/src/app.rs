//! The program: the selected controllers over one client and one informer factory.

use std::collections::BTreeMap;
use std::time::Duration;

use clap::{Args, Command};
use codegen_runtime::app::{App, Process, parse_duration};
use codegen_runtime::error::chain;
use codegen_runtime::kube::{Client, Error};
use codegen_runtime::manager::{ManagerBuilder, Runnable, Selection};
use rand::RngExt;

use crate::settings::Settings;
use crate::table::{self, BoxError, Context, Descriptor};
use crate::{simulator, supervised};

/// The flags of this program, in addition to those that every controller has.
#[derive(Clone, Debug, Args)]
pub struct Flags {
    /// The controllers to run: * for all that are on by default, foo for foo, -foo for all but foo.
    #[arg(long, value_name = "LIST", default_value = "*")]
    pub controllers: Selection,
    /// Plays scheduler and kubelet: pods get a node, become ready and end. Only for servers without
    /// real nodes.
    #[arg(long)]
    pub simulate_pods: bool,
    /// How long a simulated pod takes to become ready.
    #[arg(long, value_name = "DURATION", default_value = "100ms", value_parser = parse_duration, requires = "simulate_pods")]
    pub simulate_ready_after: Duration,
    /// The time between the starts of two controllers; up to as much is added at random. All start
    /// at once unless set.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration)]
    pub controller_start_interval: Option<Duration>,
}

/// Returns the program, without its demo.
pub fn app() -> App {
    App::new("controller-manager", env!("CARGO_PKG_VERSION"))
        .about(
            "Runs Deployments, ReplicaSets and the controllers of this repository\n\nWithout a kubeconfig it uses the one of $KUBECONFIG or \
             ~/.kube/config, and in a pod the pod's service account.",
        )
        .adjust_command(list_controllers)
}

fn list_controllers(command: Command) -> Command {
    let names = |on: bool| {
        let names = table::ALL
            .iter()
            .filter(|it| it.on_by_default == on)
            .map(|it| it.name);
        names.collect::<Vec<_>>().join(", ")
    };
    let help = format!(
        "The controllers to run: * for all that are on by default, foo for foo, -foo for all but foo.\nAll: {}.\nOff by default: {}",
        names(true),
        names(false),
    );
    command
        .mut_arg("controllers", |arg| arg.help(help))
        .mut_arg("threads", |arg| arg.default_value("5"))
        // client-go's informers of kube-controller-manager resync every 12 hours or more.
        .mut_arg("resync_period", |arg| arg.default_value("12h"))
}

// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=controller-manager-system,resources=leases,verbs=create;get;update;watch
/// Builds a manager that runs the selected controllers.
///
/// # Errors
///
/// If the selection names an unknown controller, none, or one twice.
pub async fn setup(process: Process, flags: Flags) -> Result<ManagerBuilder, BoxError> {
    let served = served(process.client(), enabled(&flags)?).await;
    let factory = table::factory(process.factory_builder(), &served);
    let controllers = {
        let context = Context {
            client: process.client().clone(),
            factory: factory.clone(),
            recorder: &|name| process.recorder_as(name),
            settings: Settings {
                workers: process.threads(),
                metrics: process.metrics().clone(),
            },
            identity: process.identity().to_owned(),
            namespaces: process.flags().namespaces.clone(),
            simulator: simulator::Options {
                ready_after: flags.simulate_ready_after,
                ..Default::default()
            },
        };
        served
            .into_iter()
            .map(|descriptor| (descriptor.build)(&context))
            .collect::<Result<Vec<_>, _>>()?
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
    };
    let mut manager = process.manager(&factory)?;
    let delays = start_delays(flags.controller_start_interval);
    for (controller, delay) in controllers.into_iter().zip(delays) {
        tracing::info!(controller = controller.name(), ?delay, "enabled");
        manager = supervised::add(manager, controller, delay);
    }
    Ok(manager)
}

/// Yields the start delay of each controller: zero, or one interval more than the one before plus
/// up to one interval at random.
fn start_delays(interval: Option<Duration>) -> impl Iterator<Item = Duration> {
    let mut next = Duration::ZERO;
    std::iter::repeat_with(move || {
        let jittered = |it: Duration| it.mul_f64(1.0 + rand::rng().random_range(0.0..1.0));
        let delay = next;
        next += interval.map_or(Duration::ZERO, jittered);
        delay
    })
}

/// Returns the controllers that the flags select.
///
/// # Errors
///
/// If they name an unknown controller, none, or one in two entries.
pub fn enabled(flags: &Flags) -> Result<Vec<&'static Descriptor>, BoxError> {
    let mut enabled = table::selected(&flags.controllers)?;
    if let Some(name) = table::contradiction(&flags.controllers) {
        let given = &flags.controllers;
        return Err(format!("--controllers={given} both enables and disables {name}").into());
    }
    if enabled.is_empty() && !flags.simulate_pods {
        return Err(format!("--controllers={} selects none", flags.controllers).into());
    }
    if flags.simulate_pods && enabled.iter().all(|it| it.name != simulator::NAME) {
        enabled.extend(table::ALL.iter().filter(|it| it.name == simulator::NAME));
    }
    Ok(enabled)
}

/// Keeps the controllers whose APIs the cluster serves. An informer of an API that is not served
/// would never sync and block the others. Waits for the API server, as the informers of other
/// programs do.
async fn served(
    client: &Client,
    descriptors: Vec<&'static Descriptor>,
) -> Vec<&'static Descriptor> {
    let mut known: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut served = Vec::new();
    for descriptor in descriptors {
        let (version, plural) = descriptor.needs;
        if !known.contains_key(version) {
            known.insert(version, resources(client, version).await);
        }
        if known
            .get(version)
            .is_some_and(|resources| resources.iter().any(|it| it == plural))
        {
            served.push(descriptor);
        } else {
            tracing::warn!(
                controller = descriptor.name,
                "skipped: the server does not serve {plural} of {version}"
            );
        }
    }
    served
}

/// The delays between attempts to ask an API server that does not answer: the first and the
/// longest.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(30));

/// Returns the plurals of a group and version, once the API server answers.
async fn resources(client: &Client, version: &str) -> Vec<String> {
    let (mut delay, longest) = BACKOFF;
    loop {
        match try_resources(client, version).await {
            Ok(resources) => return resources,
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(%version, %error, retry = ?delay, "cannot ask the API server what it serves");
            }
        }
        tokio::time::sleep(delay).await;
        delay = (delay * 2).min(longest);
    }
}

async fn try_resources(client: &Client, version: &str) -> Result<Vec<String>, Error> {
    let list = match version.contains('/') {
        true => client.list_api_group_resources(version).await,
        false => client.list_core_api_resources(version).await,
    };
    match list {
        Ok(list) => Ok(list
            .resources
            .into_iter()
            .map(|resource| resource.name)
            .collect()),
        // The response is plain text, not a Status with a reason.
        Err(Error::Api(answer)) if answer.code == 404 => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selection_that_contradicts_itself_or_selects_nothing_is_refused() {
        let check = |list: &str, expected: &str| {
            let all = ["controller-manager", "--controllers", list];
            let flags = app().try_parse_from::<Flags>(all).expect("flags").own;
            let error = enabled(&flags).expect_err("it is refused").to_string();
            assert!(error.contains(expected), "{list}: {error}");
        };
        let name = table::ALL[0].name;
        check(&format!("{name},-{name}"), "both enables and disables");
        check("", "selects none");
        check("nonsense", "not in the list of known controllers");
    }

    #[test]
    fn controllers_start_at_once_or_an_interval_and_jitter_apart() {
        assert!(start_delays(None).take(5).all(|it| it.is_zero()));
        let interval = Duration::from_secs(10);
        let delays: Vec<Duration> = start_delays(Some(interval)).take(20).collect();
        assert_eq!(delays[0], Duration::ZERO);
        let gaps: Vec<Duration> = delays.windows(2).map(|it| it[1] - it[0]).collect();
        let is_apart = |gap: &Duration| (interval..interval * 2).contains(gap);
        assert!(gaps.iter().all(is_apart), "{gaps:?}");
        assert!(gaps.iter().any(|gap| *gap != gaps[0]), "{gaps:?}");
    }
}
