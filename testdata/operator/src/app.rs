//! The program: its command line, its demo, and the controllers in their manager.

#[cfg(feature = "demo")]
use codegen_runtime::app::Demo;
use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::event::EventRecorder;
use codegen_runtime::informer::SharedInformerFactory;
use codegen_runtime::manager::ManagerBuilder;

/// The name of the program: of its Lease, of the reporter of its events, and of the manager of the fields that it writes.
pub const NAME: &str = "sample-operator";

/// What controllers have in common.
pub struct Shared {
    /// The informers.
    pub factory: SharedInformerFactory,
    /// Records events.
    pub recorder: EventRecorder,
    /// How many objects a controller works on at a time.
    pub workers: usize,
}

/// The command line.
pub fn app() -> App {
    let app = App::new(NAME, env!("CARGO_PKG_VERSION"));
    let app = app.webhooks(crate::webhooks::all());
    #[cfg(feature = "demo")]
    let app = app.demo(demo());
    app
}

/// What the subcommand `demo` starts with: definitions, and a sample of each kind.
#[cfg(feature = "demo")]
pub fn demo() -> Demo {
    let demo = Demo::new();
    let demo = demo.crds(include_str!("../config/crd.yaml"));
    let demo = demo.objects(include_str!("../config/samples/widget.yaml"));
    let demo = demo.command_to_try("kubectl get widgets.batch.example.com");
    let demo = demo.objects(include_str!("../config/samples/region.yaml"));
    let demo = demo.command_to_try("kubectl get regions.cache.example.com");
    let demo = demo.objects(include_str!("../config/samples/widget_v1beta1.yaml"));
    let demo = demo.webhooks(crate::webhooks::all());
    let demo = demo.objects(include_str!("../config/webhooks.yaml"));
    demo.command_to_try("kubectl get events")
}

// The Lease of leader election, in the namespace that the program is deployed to, and events.
// +kubebuilder:rbac:groups=coordination.k8s.io,resources=leases,verbs=create;get;update;watch,namespace=sample-operator-system,roleName=sample-operator
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/// The manager with all controllers.
///
/// # Errors
///
/// The flags of leader election don't fit, or a controller can't be built.
pub async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let shared = Shared {
        factory: process.factory(),
        recorder: process.recorder(),
        workers: process.threads(),
    };
    let manager = process.manager(&shared.factory)?;
    let manager = crate::controllers::widget::add(manager, &shared)?;
    let manager = crate::controllers::region::add(manager, &shared)?;
    Ok(manager)
}
