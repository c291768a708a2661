//! The program: its command line, its demo, and the manager with its controllers.

#[cfg(feature = "demo")]
use codegen_runtime::app::Demo;
use codegen_runtime::app::{App, BoxError, Process};
use codegen_runtime::manager::ManagerBuilder;

use crate::controller::{PodMeta, Reach, controllers, running_pods, trim};

/// The name under which events are reported.
pub const REPORTER: &str = "tools.jicki.cn/podbuggertool-controller";

/// Returns the program.
pub fn app() -> App {
    let app = App::new("podbuggertool-controller", env!("CARGO_PKG_VERSION"))
        .about("Adds debugging tools to running pods as ephemeral containers")
        .reporter(REPORTER);
    #[cfg(feature = "demo")]
    let app = app.demo(
        Demo::new()
            .crds(include_str!("../deploy/crd.yaml"))
            .objects(include_str!("../deploy/samples/netshoot.yaml"))
            .command_to_try("kubectl run web --image=nginx --labels=debug=true")
            .command_to_try(
                "kubectl patch pod web --subresource=status --type=merge -p '{\"status\":{\"phase\":\"Running\"}}'",
            )
            .command_to_try("kubectl get pod web -o jsonpath='{.spec.ephemeralContainers}'")
            .command_to_try("kubectl get podbuggertools"),
    );
    app
}

/// Builds the manager with both controllers.
///
/// # Errors
///
/// If the leader election flags are inconsistent.
pub async fn setup(process: Process, reach: Reach) -> Result<ManagerBuilder, BoxError> {
    let factory = process
        .factory_builder()
        .list_options_for::<PodMeta>(running_pods)
        .transform::<PodMeta>(trim)
        .build();
    let [pods, tools] = controllers(&factory, process.recorder(), process.threads(), &reach)?;
    let manager = process.manager(&factory)?;
    Ok(manager.controller(pods).controller(tools))
}
