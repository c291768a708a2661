//! Runs the loops with an API server of its own, to try them without a cluster.

use codegen_runtime::app::Demo;

/// The objects and columns of `controller-manager demo`.
pub fn demo() -> Demo {
    Demo::new()
        .about("Starts an API server of its own and the controllers with simulated pods, to try with kubectl")
        .args(["--simulate-pods", "--simulate-ready-after=2s"])
        .command_to_try("kubectl apply --server-side -f controllers/controller-manager/deploy/samples/web.yaml")
        .command_to_try("kubectl rollout status deployment/web")
        .command_to_try("kubectl set image deployment/web web=nginx:2")
        .command_to_try("kubectl rollout status deployment/web")
        .command_to_try("kubectl get replicasets,pods")
        .command_to_try("kubectl rollout history deployment/web")
        .command_to_try("kubectl rollout undo deployment/web")
        .command_to_try("kubectl rollout pause deployment/web")
        .command_to_try("kubectl rollout resume deployment/web")
        .command_to_try("kubectl rollout restart deployment/web")
        .command_to_try("kubectl scale deployment/web --replicas=5")
}
