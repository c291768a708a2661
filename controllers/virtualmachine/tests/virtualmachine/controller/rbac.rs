//! The roles of `deploy/role.yaml` grant what the controller does, and nothing more.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use codegen_runtime::k8s_openapi::api::rbac::v1::{ClusterRole, PolicyRule, Role};
use codegen_runtime::kube::api::{DeleteParams, PostParams};
use codegen_runtime::scheme::Scheme;
use embedded_apiserver::{ApiServer, Fault as ApiFault, FaultKind};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use virtualmachine_controller::app;
use virtualmachine_controller::cli::Flags;
use virtualmachine_controller::driver::DriverError;
use virtualmachine_controller::driver::simulated::{Fault, Latency, Operation, Simulated};
use virtualmachine_controller::generated::clientset::Clientset;

use crate::controller::support::{eventually, sample};

/// A verb on a resource of a group.
type Grant = (String, String, String);

fn granted() -> BTreeSet<Grant> {
    let mut scheme = Scheme::new();
    scheme.register::<ClusterRole>().unwrap();
    scheme.register::<Role>().unwrap();
    let objects = scheme
        .decode_all(include_str!("../../../deploy/role.yaml"))
        .unwrap();
    let rules = objects.into_iter().flat_map(|object| -> Vec<PolicyRule> {
        let rules = match object.downcast::<ClusterRole>() {
            Ok(role) => role.rules,
            Err(object) => object.downcast::<Role>().unwrap().rules,
        };
        rules.unwrap_or_default()
    });
    let mut grants = BTreeSet::new();
    for rule in rules {
        for group in rule.api_groups.iter().flatten() {
            for resource in rule.resources.iter().flatten() {
                for verb in &rule.verbs {
                    grants.insert((group.clone(), resource.clone(), verb.clone()));
                }
            }
        }
    }
    grants
}

#[tokio::test]
async fn the_roles_grant_each_verb_that_the_controller_uses_and_no_other() {
    let crd: Value = serde_saphyr::from_str(include_str!("../../../deploy/crd.yaml")).unwrap();
    let server = ApiServer::builder().crd_values([crd]).build().unwrap();
    let clientset = Clientset::new(server.client());
    let driver = Simulated::new(Latency::NONE);
    // The first creation fails: then the machine is read again before the second.
    let error = DriverError::Failed("no host has room".to_owned());
    driver.fault(Fault {
        times: Some(2),
        ..Fault::once(Operation::Create, error)
    });
    // The informer falls back to a plain list.
    let refused = FaultKind::InternalError;
    server
        .faults()
        .add(ApiFault::new(refused).on("watch", "virtualmachines").once());

    let stop = CancellationToken::new();
    let mut invocation = app::app()
        .try_parse_from::<Flags>(["virtualmachine-controller"])
        .unwrap();
    invocation.flags.election.lease_lock_namespace = "default".to_owned();
    let (client, stopped, driven) = (server.client(), stop.clone(), driver.clone());
    let running = tokio::spawn(async move {
        app::run_with(client, Arc::new(driven), invocation, &stopped)
            .await
            .unwrap();
    });
    let machines = clientset.cloudnative_v1alpha1().virtual_machines("default");
    machines
        .create(&sample(), &PostParams::default())
        .await
        .unwrap();
    let stored = || {
        server
            .objects()
            .get("cloudnative.czs", "virtualmachines", "default", "test-vm")
    };
    let is_active = || stored().is_some_and(|it| it["status"]["phase"] == "Active");
    assert!(eventually(is_active).await);
    drop(
        machines
            .delete("test-vm", &DeleteParams::default())
            .await
            .unwrap(),
    );
    assert!(eventually(|| stored().is_none()).await);
    tokio::time::sleep(Duration::from_millis(100)).await;
    stop.cancel();
    running.await.unwrap();

    let mut used: BTreeSet<Grant> = server
        .recorder()
        .actions()
        .into_iter()
        .map(|action| {
            let resource = match action.subresource.as_str() {
                "" => action.resource,
                subresource => format!("{}/{subresource}", action.resource),
            };
            (action.group, resource, action.verb.to_owned())
        })
        .collect();
    // This test's own.
    for verb in ["create", "delete"] {
        let grant = ["cloudnative.czs", "virtualmachines", verb].map(str::to_owned);
        assert!(used.remove(&grant.into()));
    }
    // An event that comes again is patched into a series, which this test does not wait for.
    used.insert(
        ["events.k8s.io", "events", "patch"]
            .map(str::to_owned)
            .into(),
    );
    assert_eq!(used, granted());
}
