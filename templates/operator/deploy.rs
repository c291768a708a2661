//! Tests of the deployment manifests.

use codegen_runtime::app::Demo;

use {{crate}}::app;

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
{{watched_test}}}
