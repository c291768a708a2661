//! Hand-written apply configurations: what is sent, and what is extracted for a manager.

use codegen_runtime::apply::{self, Applier, ApplyConfiguration, ApplyError, ExtractError};
use codegen_runtime::client::TypedClient;
use codegen_runtime::codec;
use k8s_openapi::api::apps::v1::{Deployment, DeploymentCondition};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::{Patch, PatchParams};
use kube::{Client, ResourceExt};
use serde_json::{Value, json};

use crate::harness::cases;
use crate::support::namespace;

cases![
    what_is_set_is_applied_and_extracted,
    applying_what_was_extracted_changes_nothing,
    a_field_removed_from_what_was_extracted_is_removed,
    a_field_that_another_manager_shares_stays,
    a_field_that_another_manager_took_is_not_extracted,
    a_conflict_names_the_other_manager,
    fields_that_no_configuration_knows_stay,
    a_manager_that_applied_nothing_has_nothing,
    status_and_object_have_separate_entries,
    without_managed_fields_nothing_is_extracted,
    a_configuration_without_a_name_is_not_sent,
];

apply::configuration! {
    /// What to apply of a deployment.
    pub(crate) struct DeploymentApply of namespaced Deployment {
        spec: into DeploymentSpecApply,
        status: into DeploymentStatusApply,
    }
}

codec::kinds! {
    "apps" / "v1";
    DeploymentApply = "Deployment", "deployments", NamespaceResourceScope;
}

apply::configuration! {
    pub(crate) struct DeploymentSpecApply {
        replicas: plain i32,
        paused: plain bool,
        selector: into LabelSelector,
        template: into TemplateApply,
    }
}

apply::configuration! {
    pub(crate) struct TemplateApply {
        metadata: into kube::core::ObjectMeta,
        spec: into PodSpecApply,
    }
}

apply::configuration! {
    pub(crate) struct PodSpecApply {
        containers: list ContainerApply,
    }
}

apply::configuration! {
    pub(crate) struct ContainerApply {
        name: into String,
        image: into String,
        ports: list PortApply,
        args: list String,
    }
}

apply::configuration! {
    pub(crate) struct PortApply {
        container_port: plain i32,
        name: into String,
        protocol: into String,
    }
}

apply::configuration! {
    pub(crate) struct DeploymentStatusApply {
        conditions: list DeploymentCondition,
    }
}

fn container() -> ContainerApply {
    // The protocol is a key with a default, and is left out again when extracted.
    let port = PortApply::default().container_port(80).name("http");
    let container = ContainerApply::default().name("c").image("i");
    container.ports([port]).args(["a", "b"])
}

fn labels() -> std::collections::BTreeMap<String, String> {
    [("a".to_owned(), "b".to_owned())].into()
}

fn deployment() -> DeploymentApply {
    let metadata = kube::core::ObjectMeta {
        labels: Some(labels()),
        ..Default::default()
    };
    let selector = LabelSelector {
        match_labels: Some(labels()),
        ..Default::default()
    };
    let pods = PodSpecApply::default().containers([container()]);
    let template = TemplateApply::default().metadata(metadata).spec(pods);
    let spec = DeploymentSpecApply::default().paused(true).replicas(0);
    let mut deployment = DeploymentApply::new("a", "").labels([("tier", "web")]);
    deployment.metadata.namespace = None;
    deployment.spec(spec.selector(selector).template(template))
}

async fn deployments(client: &Client) -> TypedClient<Deployment> {
    TypedClient::namespaced(client.clone(), &namespace(client).await)
}

async fn applied(deployments: &TypedClient<Deployment>, as_: &str) -> Deployment {
    let params = PatchParams::apply(as_);
    deployments.apply(&deployment(), &params).await.unwrap()
}

fn extract(object: &Deployment, manager: &str) -> DeploymentApply {
    let found = DeploymentApply::extract(object, manager).unwrap();
    found.expect("the manager has applied something")
}

async fn what_is_set_is_applied_and_extracted(client: Client) {
    let deployments = deployments(&client).await;
    let stored = applied(&deployments, "one").await;
    let mut expected = deployment();
    expected
        .metadata
        .namespace
        .clone_from(&stored.metadata.namespace);
    assert_eq!(extract(&stored, "one"), expected);
    assert_eq!(
        extract(&deployments.get("a").await.unwrap(), "one"),
        expected
    );
}

async fn applying_what_was_extracted_changes_nothing(client: Client) {
    let deployments = deployments(&client).await;
    let stored = applied(&deployments, "one").await;
    let params = PatchParams::apply("one");
    let again = deployments.apply(&extract(&stored, "one"), &params).await;
    let again = again.unwrap();
    assert_eq!(again.resource_version(), stored.resource_version());
    assert_eq!(again.managed_fields(), stored.managed_fields());
}

async fn a_field_removed_from_what_was_extracted_is_removed(client: Client) {
    let deployments = deployments(&client).await;
    let mut mine = extract(&applied(&deployments, "one").await, "one");
    let spec = mine.spec.as_mut().unwrap();
    let pods = spec.template.as_mut().unwrap().spec.as_mut().unwrap();
    pods.containers.as_mut().unwrap()[0].ports = None;
    let changed = Applier::new("one").apply(deployments.api(), &mine).await;
    let pods = changed.unwrap().spec.template.spec.unwrap();
    assert_eq!(pods.containers[0].ports.as_deref().unwrap_or_default(), []);
    assert_eq!(pods.containers[0].args.as_ref().unwrap().len(), 2);
}

async fn a_field_that_another_manager_shares_stays(client: Client) {
    let deployments = deployments(&client).await;
    applied(&deployments, "one").await;
    let mut mine = extract(&applied(&deployments, "two").await, "one");
    mine.metadata.labels = None;
    let changed = Applier::new("one").apply(deployments.api(), &mine).await;
    assert_eq!(changed.unwrap().labels()["tier"], "web");
    let left = deployments.get("a").await.unwrap();
    assert_eq!(extract(&left, "one").metadata.labels, None);
}

async fn a_field_that_another_manager_took_is_not_extracted(client: Client) {
    let deployments = deployments(&client).await;
    applied(&deployments, "one").await;
    let patch = Patch::Merge(json!({"metadata": {"labels": {"tier": "db"}}}));
    let params = PatchParams {
        field_manager: Some("two".to_owned()),
        ..PatchParams::default()
    };
    let taken = deployments.patch("a", &params, &patch).await.unwrap();
    assert_eq!(extract(&taken, "one").metadata.labels, None);
    // A manager has not applied what it wrote by other means.
    assert_eq!(DeploymentApply::extract(&taken, "two").unwrap(), None);
}

async fn a_conflict_names_the_other_manager(client: Client) {
    let deployments = deployments(&client).await;
    applied(&deployments, "one").await;
    let other = deployment().labels([("tier", "db")]);
    let refused = Applier::new("two").apply(deployments.api(), &other).await;
    match refused {
        Err(ApplyError::Conflict(conflicts)) => {
            assert_eq!(conflicts[0].field, ".metadata.labels.tier");
            assert_eq!(conflicts[0].message, "conflict with \"one\"");
        }
        other => panic!("{other:?}"),
    }
}

async fn fields_that_no_configuration_knows_stay(client: Client) {
    let deployments = deployments(&client).await;
    let mut object = serde_json::to_value(deployment()).unwrap();
    object["spec"]["minReadySeconds"] = json!(7);
    let two = Applier::new("two");
    two.apply(deployments.api(), &object).await.unwrap();
    let stored = applied(&deployments, "one").await;
    assert_eq!(stored.spec.min_ready_seconds, Some(7));
    // It is not an error either if a manager owns one.
    assert_eq!(
        extract(&stored, "two").spec.unwrap().replicas,
        Some(0),
        "the rest is there"
    );
}

async fn a_manager_that_applied_nothing_has_nothing(client: Client) {
    let stored = applied(&deployments(&client).await, "one").await;
    assert_eq!(DeploymentApply::extract(&stored, "two").unwrap(), None);
}

async fn status_and_object_have_separate_entries(client: Client) {
    let deployments = deployments(&client).await;
    applied(&deployments, "one").await;
    let condition: DeploymentCondition =
        serde_json::from_value(json!({"type": "Tested", "status": "True"})).unwrap();
    let status = DeploymentStatusApply::default().conditions([condition]);
    let params = PatchParams::apply("one");
    let stored = deployments
        .apply_status(&deployment().status(status.clone()), &params)
        .await
        .unwrap();
    assert_eq!(extract(&stored, "one").status, None);
    let found = DeploymentApply::extract_subresource(&stored, "one", "status");
    let found = found.unwrap().unwrap();
    assert_eq!((found.spec, found.status), (None, Some(status)));
}

async fn without_managed_fields_nothing_is_extracted(client: Client) {
    let mut stored = applied(&deployments(&client).await, "one").await;
    stored.metadata.managed_fields = None;
    let refused = DeploymentApply::extract(&stored, "one");
    assert!(matches!(refused, Err(ExtractError::NoManagedFields)));
}

async fn a_configuration_without_a_name_is_not_sent(client: Client) {
    let deployments = deployments(&client).await;
    let mut nameless = deployment();
    nameless.metadata.name = None;
    let applier = Applier::new("one");
    let refused = applier.apply(deployments.api(), &nameless).await;
    assert!(matches!(refused, Err(ApplyError::NoName)));
    let empty: Value = serde_json::to_value(DeploymentApply::default()).unwrap();
    let expected = json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {}});
    assert_eq!(empty, expected);
}
