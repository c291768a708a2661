//! The program: its command line, its demo, and the manager with its controller.

#[cfg(feature = "demo")]
use codegen_runtime::app::Demo;
use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::k8s_openapi::api::core::v1::Pod;
use codegen_runtime::manager::ManagerBuilder;

use crate::controller::{controller, own_pods, trim};

/// The name under which events are reported.
pub const REPORTER: &str = "apps.jicki.cn/podset-controller";

/// Returns the program.
pub fn app() -> App {
    let app = App::new("podset-controller", env!("CARGO_PKG_VERSION"))
        .about("Keeps a Deployment of the desired size for each PodSet, and reports its pods")
        .reporter(REPORTER);
    #[cfg(feature = "demo")]
    let app = app.demo(
        Demo::new()
            .crds(include_str!("../deploy/crd.yaml"))
            .objects(include_str!("../deploy/samples/example.yaml"))
            .command_to_try("kubectl get podsets,deployments")
            .command_to_try("kubectl scale podset example --replicas=5")
            .command_to_try(
                "kubectl run pod-1 --image=busybox --labels=app=podSet,podSet_cr=example",
            )
            .command_to_try("kubectl get podset example -o jsonpath='{.status}'"),
    );
    app
}

/// Builds the manager with the controller.
///
/// # Errors
///
/// If the leader election flags are inconsistent.
pub async fn setup(process: Process, _own: ()) -> Result<ManagerBuilder, BoxError> {
    let factory = process
        .factory_builder()
        .list_options_for::<Pod>(own_pods)
        .transform::<Pod>(trim)
        .build();
    let controller = controller(&factory, process.recorder(), process.threads())?;
    Ok(process.manager(&factory)?.controller(controller))
}
