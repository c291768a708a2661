//! What server and client of the benchmark share: the reviews.

use serde_json::{Value, json};

/// The path of the defaulter of pods, in kubebuilder's form.
pub const PATH: &str = "/mutate--v1-pod";

/// A review of the creation of a pod with so many containers, each with so many variables.
pub fn review(containers: usize, variables: usize) -> String {
    let env: Vec<Value> = (0..variables)
        .map(|n| json!({"name": format!("VARIABLE_{n}"), "value": "a value of some length, as values have"}))
        .collect();
    let container = |n: usize| {
        json!({
            "name": format!("c{n}"), "image": "registry.example.com/team/program:1.2.3", "env": env,
            "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}],
            "resources": {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}},
            "volumeMounts": [{"name": "config", "mountPath": "/etc/config", "readOnly": true}],
        })
    };
    let containers: Vec<Value> = (0..containers).map(container).collect();
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": "a", "namespace": "n", "labels": {"app": "a"}},
        "spec": {
            "containers": containers, "serviceAccountName": "a", "terminationGracePeriodSeconds": 30,
            "volumes": [{"name": "config", "configMap": {"name": "config"}}],
        },
    });
    let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "operation": "CREATE", "name": "a", "namespace": "n",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "resource": {"group": "", "version": "v1", "resource": "pods"},
        "userInfo": {"username": "admin"}, "object": pod, "dryRun": false,
    }});
    review.to_string()
}
