//! `network-controller`: see [`network_controller`].

use std::process::ExitCode;

use codegen_runtime::app::App;
use network_controller::app::{REPORTER, setup};

fn main() -> ExitCode {
    let app = App::new("network-controller", env!("CARGO_PKG_VERSION"))
        .about("Makes networks that are declared as Kubernetes objects")
        .reporter(REPORTER);
    #[cfg(feature = "demo")]
    let app = app.demo(
        codegen_runtime::app::Demo::new()
            .crds(include_str!("../deploy/crd.yaml"))
            .objects(include_str!("../deploy/samples/networks.yaml"))
            .args(["--network-per-deployment"])
            .command_to_try("kubectl get networks")
            .command_to_try(r#"kubectl patch network blue --type merge -p '{"spec":{"gateway":"192.168.0.254"}}'"#)
            .command_to_try("kubectl apply -f controllers/network/deploy/samples/overlap.yaml")
            .command_to_try("kubectl describe network overlap")
            .command_to_try("kubectl create deployment web --image nginx")
            .command_to_try("kubectl label deployment web samplecrd.k8s.io/network=auto")
            .command_to_try("kubectl get network web -o yaml"),
    );
    app.main(setup)
}
