//! The command line, the demo, and the manager with its controllers.

#[cfg(feature = "demo")]
use codegen_runtime::app::Demo;
use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::ManagerBuilder;
use codegen_runtime::shard::Sharding;

/// The operator's name, also used for its Lease, as its event reporter and as its field manager.
pub const NAME: &str = "{{name}}";
{{watched}}
/// State shared by all controllers.
pub struct Shared {
    /// The shared informers.
    pub factory: SharedInformerFactory,
    /// Records events.
    pub recorder: EventRecorder,
    /// The number of objects that each controller reconciles at a time.
    pub workers: usize,
    /// How `--shard-by` divides the objects among the replicas; `None` if only the leader works.
    pub sharding: Option<Sharding>,
}

/// Returns the command line of the operator.
pub fn app() -> App {
    let app = App::new(NAME, env!("CARGO_PKG_VERSION")).sharded();
    #[cfg(feature = "demo")]
    let app = app.demo(demo());
    app
}

/// Returns the initial objects of the subcommand `demo`: the CRDs and a sample of each kind.
#[cfg(feature = "demo")]
pub fn demo() -> Demo {
    let demo = Demo::new();
    let demo = demo.crds(include_str!("../config/crd.yaml"));
{{watched_demo}}    demo.command_to_try("kubectl get events")
}

// Leader election and shards, in the operator's namespace, and events.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;delete;get;list;update;watch,namespace={{name}}-system,roleName={{name}}
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// Builds the manager with all controllers.
///
/// # Errors
///
/// If the leader election flags are invalid, or a controller cannot be built.
pub async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let shared = Shared {
        factory: process.factory(),
        recorder: process.recorder(),
        workers: process.threads(),
        sharding: process.sharding(),
    };
    let manager = process.manager(&shared.factory)?;
    Ok(manager)
}
