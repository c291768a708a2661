//! The files that the operator is deployed with.

use codegen_runtime::app::Demo;
use codegen_runtime::fake::assert_rbac;

use {{crate}}::app;

use crate::support::{start, until};

/// The namespace that the operator is deployed to.
const NAMESPACE: &str = "{{name}}-system";

#[tokio::test]
async fn the_deployment_passes_flags_that_exist() {
    let deployment = include_str!("../../config/deployment.yaml");
    let server = Demo::new().objects(deployment).server().unwrap();
    let objects = server.objects();
    let deployment = objects.get("apps", "deployments", NAMESPACE, app::NAME);
    let args = &deployment.unwrap()["spec"]["template"]["spec"]["containers"][0]["args"];
    let args = args.as_array().unwrap().iter();
    let args = args.map(|arg| arg.as_str().unwrap());
    let line = std::iter::once(app::NAME).chain(args);
    let invocation = app::app().try_parse_from::<()>(line).unwrap();
    invocation.flags.election.config("pod").unwrap();
}

#[tokio::test]
async fn the_role_allows_what_the_program_does() {
    let namespace = include_str!("../../config/namespace.yaml");
    let server = app::demo().objects(namespace).server().unwrap();
    let args = ["--leader-elect", "--lease-lock-namespace", NAMESPACE];
    let running = start(&server, &args);
    let objects = server.objects();
    let lease = || objects.get("coordination.k8s.io", "leases", NAMESPACE, app::NAME);
    until(async || lease().is_some()).await;
    running.stop().await;
    let role = include_str!("../../config/role.yaml");
    assert_rbac(&server, app::NAME, [role]);
}
