//! The controllers that the binary can run, from which `--controllers` selects.
//!
//! A new controller is one entry of [`ALL`] with its constructor.

use std::sync::Arc;

use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::{FactoryBuilder, SharedInformerFactory};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::kube::Client;
use codegen_runtime::manager::{AnyRunnable, Selection, UnknownController};
use network_controller::controller::NetworkController;
use virtualmachine_controller::controller::{self as virtualmachine, VirtualMachineController};
use virtualmachine_controller::driver::simulated::{Latency, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::pods::trim;
use crate::settings::Settings;
use crate::{deployment, replicaset, simulator};

/// An error of a constructor.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The inputs of a controller's constructor: the client and factory of the process, and its
/// settings.
#[derive(Clone)]
pub struct Context<'a> {
    /// The client, shared by all controllers.
    pub client: Client,
    /// The informers, shared by all controllers.
    pub factory: SharedInformerFactory,
    /// Creates the event recorder for the named controller.
    pub recorder: &'a dyn Fn(&str) -> EventRecorder,
    /// Workers and metrics.
    pub settings: Settings,
    /// The name of the process.
    pub identity: String,
    /// The namespaces to watch; empty for all.
    pub namespaces: Vec<String>,
    /// How simulated pods behave.
    pub simulator: simulator::Options,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

/// The runnables of a controller: one, or several that work together.
pub type Loops = Vec<AnyRunnable>;

/// How much of each pod the cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pods {
    /// What [`trim`] keeps: metadata, node, phase, the condition Ready, restarts.
    Trimmed,
    /// The whole pod.
    Whole,
}

/// A controller that the binary can run.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor {
    /// Its name in `--controllers`, in metrics and in health checks.
    pub name: &'static str,
    /// Other names that select it.
    pub aliases: &'static [&'static str],
    /// Whether `*` selects it.
    pub on_by_default: bool,
    /// The API that it needs, as group version and plural. On a cluster that does not serve it, the
    /// controller is skipped.
    pub needs: (&'static str, &'static str),
    /// How much of each pod it reads from the shared cache.
    pub pods: Pods,
    /// Its constructor.
    pub build: fn(&Context<'_>) -> Result<Loops, BoxError>,
}

/// All controllers, in the order in which they start.
pub const ALL: &[Descriptor] = &[
    Descriptor {
        name: deployment::NAME,
        aliases: &["deployment"],
        on_by_default: true,
        needs: ("apps/v1", "deployments"),
        pods: Pods::Trimmed,
        build: |cx| {
            let recorder = (cx.recorder)(deployment::NAME);
            let controller = deployment::controller(&cx.factory, recorder, &cx.settings)?;
            Ok(vec![AnyRunnable::new(controller)])
        },
    },
    Descriptor {
        name: replicaset::NAME,
        aliases: &["replicaset"],
        on_by_default: true,
        needs: ("apps/v1", "replicasets"),
        pods: Pods::Trimmed,
        build: |cx| {
            let recorder = (cx.recorder)(replicaset::NAME);
            let controller = replicaset::controller(&cx.factory, recorder, &cx.settings)?;
            Ok(vec![AnyRunnable::new(controller)])
        },
    },
    Descriptor {
        name: virtualmachine::NAME,
        aliases: &["virtualmachine-controller"],
        // The servers of its simulated driver end with this process; the other drivers are
        // available in its own program.
        on_by_default: false,
        needs: ("cloudnative.czs/v1alpha1", "virtualmachines"),
        pods: Pods::Trimmed,
        build: |cx| Ok(vec![AnyRunnable::new(virtual_machines(cx))]),
    },
    Descriptor {
        name: network_controller::controller::NAME,
        aliases: &["network-controller"],
        // As for virtual machines: the networks of its simulated backend end with this process.
        on_by_default: false,
        needs: ("samplecrd.k8s.io/v1", "networks"),
        pods: Pods::Trimmed,
        build: |cx| Ok(vec![AnyRunnable::new(networks(cx))]),
    },
    Descriptor {
        name: podset_controller::controller::NAME,
        aliases: &["podset-controller"],
        on_by_default: false,
        needs: ("apps.jicki.cn/v1alpha1", "podsets"),
        pods: Pods::Trimmed,
        build: |cx| {
            let recorder = (cx.recorder)(podset_controller::app::REPORTER);
            let workers = cx.settings.workers;
            let controller =
                podset_controller::controller::controller(&cx.factory, recorder, workers)?;
            Ok(vec![AnyRunnable::new(controller)])
        },
    },
    Descriptor {
        name: "podbuggertool",
        aliases: &["podbuggertool-controller"],
        on_by_default: false,
        needs: ("tools.jicki.cn/v1alpha1", "podbuggertools"),
        pods: Pods::Trimmed,
        build: |cx| {
            let recorder = (cx.recorder)(podbuggertool_controller::app::REPORTER);
            let workers = cx.settings.workers;
            let reach = podbuggertool_controller::controller::Reach::default();
            let [pods, tools] = podbuggertool_controller::controller::controllers(
                &cx.factory,
                recorder,
                workers,
                &reach,
            )?;
            Ok(vec![AnyRunnable::new(pods), AnyRunnable::new(tools)])
        },
    },
    Descriptor {
        name: simulator::NAME,
        aliases: &["simulate-pods"],
        on_by_default: false,
        needs: ("v1", "pods"),
        pods: Pods::Whole,
        build: |cx| {
            let controller = simulator::controller(&cx.factory, cx.simulator, &cx.settings)?;
            Ok(vec![AnyRunnable::new(controller)])
        },
    },
];

fn virtual_machines(cx: &Context<'_>) -> VirtualMachineController {
    let options = virtualmachine::Options {
        workers: cx.settings.workers,
        namespaces: cx.namespaces.clone(),
        ..virtualmachine::Options::default()
    };
    VirtualMachineController::new(
        Clientset::new(cx.client.clone()),
        &virtualmachine_controller::generated::informers::SharedInformerFactory::from(
            cx.factory.clone(),
        ),
        Arc::new(Simulated::new(Latency::default())),
        cx.identity.as_str(),
        (cx.recorder)(virtualmachine_controller::app::REPORTER),
        &cx.settings.metrics,
        options,
    )
}

fn networks(cx: &Context<'_>) -> NetworkController {
    NetworkController::new(
        network_controller::generated::clientset::Clientset::new(cx.client.clone()),
        &network_controller::generated::informers::SharedInformerFactory::from(cx.factory.clone()),
        Arc::new(network_controller::backend::simulated::Simulated::new()),
        (cx.recorder)(network_controller::app::REPORTER),
        &cx.settings.metrics,
        cx.settings.workers,
    )
}

/// Returns the controllers that `selection` enables, in the order of the table. Names and aliases
/// are equivalent.
///
/// # Errors
///
/// If it names a controller that is not in the table.
pub fn selected(selection: &Selection) -> Result<Vec<&'static Descriptor>, UnknownController> {
    let by_name: Selection = match selection
        .to_string()
        .split(',')
        .map(own_name)
        .collect::<Vec<_>>()
        .join(",")
        .parse()
    {
        Ok(selection) => selection,
        Err(never) => match never {},
    };
    by_name.check(ALL.iter().map(|descriptor| descriptor.name))?;
    let enabled = ALL
        .iter()
        .filter(|descriptor| by_name.is_enabled(descriptor.name, descriptor.on_by_default));
    Ok(enabled.collect())
}

/// Returns a controller that `selection` both enables and disables, if there is one.
pub fn contradiction(selection: &Selection) -> Option<String> {
    let text = selection.to_string();
    let entries: Vec<String> = text.split(',').map(own_name).collect();
    let disabled = entries.iter().filter_map(|it| it.strip_prefix('-'));
    let mut twice = disabled.filter(|name| entries.iter().any(|it| it == name));
    twice.next().map(str::to_owned)
}

/// Creates the informer factory for `selected`. Pods are trimmed unless one of the controllers
/// reads whole pods.
pub fn factory(
    builder: FactoryBuilder<SharedInformerFactory>,
    selected: &[&Descriptor],
) -> SharedInformerFactory {
    if selected.iter().any(|it| it.pods == Pods::Whole) {
        builder.build()
    } else {
        builder.transform::<Pod>(trim).build()
    }
}

/// Returns an entry of a selection with an alias replaced by the name.
fn own_name(entry: &str) -> String {
    let (sign, name) = match entry.strip_prefix('-') {
        Some(name) => ("-", name),
        None => ("", entry),
    };
    let known = ALL
        .iter()
        .find(|descriptor| descriptor.aliases.contains(&name));
    format!("{sign}{}", known.map_or(name, |descriptor| descriptor.name))
}
