//! The controller of `Memcached`. Start reading at `reconcile`.

use std::collections::BTreeMap;

use codegen_runtime::app::BoxError;
use codegen_runtime::apply::Applier;
use codegen_runtime::condition;
use codegen_runtime::controller::{Action, BuildError, Controller, Request};
use codegen_runtime::controller::{Context, reconcile_with};
use codegen_runtime::finalizer;
use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use codegen_runtime::k8s_openapi::api::core::v1::{
    ConfigMap, ConfigMapEnvSource, Container, ContainerPort, EnvFromSource, PodSpec,
    PodTemplateSpec, Service, ServicePort, ServiceSpec,
};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use codegen_runtime::kube::{Api, ResourceExt};
use codegen_runtime::manager::ManagerBuilder;
use codegen_runtime::owner::{self, OwnerError};

use crate::apis::cache::v1alpha1::{Memcached, MemcachedStatus};
use crate::app::{NAME, Shared};

/// Keeps a Memcached until its deletion is reported.
const FINALIZER: &str = "cache.example.com/report";

/// memcached's port.
const PORT: i32 = 11211;

/// Adds the controller to the manager.
///
/// # Errors
///
/// If the controller cannot be built.
pub fn add(manager: ManagerBuilder, shared: &Shared) -> Result<ManagerBuilder, BuildError> {
    let recorder = shared.recorder.clone();
    let context = Context::<Memcached>::new(&shared.factory, recorder);
    let controller = Controller::builder("memcached", &shared.factory)
        .for_::<Memcached>()
        .owns::<ConfigMap>()
        .owns::<Deployment>()
        .owns::<Service>()
        .workers(shared.workers)
        .build(reconcile_with(context, reconcile))?;
    Ok(manager.controller(controller))
}

// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/status,verbs=patch
// +kubebuilder:rbac:groups=cache.example.com,resources=memcacheds/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps;services,verbs=list;watch;create;patch
// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=list;watch;create;patch

/// Applies ConfigMap, Deployment and Service of a Memcached, and reports them.
async fn reconcile(request: Request, context: Context<Memcached>) -> Result<Action, BoxError> {
    let Some(cached) = context.object(&request) else {
        return Ok(Action::done()); // The garbage collector deletes what it owned.
    };
    let client = context.client().clone();
    let namespace = request.namespace().unwrap_or_default();
    let api = Api::<Memcached>::namespaced(client.clone(), namespace);
    let recorder = context.recorder();
    if finalizer::is_deleting(&*cached) {
        recorder.normal(&*cached, "Released", "Delete", "Its items are lost");
        finalizer::release(&api, &*cached, FINALIZER).await?;
        return Ok(Action::done());
    }
    let cached = finalizer::ensure(&api, &*cached, FINALIZER).await?;

    let applier = Applier::new(NAME).force();
    let config_maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    applier.apply(&config_maps, &settings(&cached)?).await?;
    let services = Api::<Service>::namespaced(client.clone(), namespace);
    applier.apply(&services, &service(&cached)?).await?;
    let deployments = Api::<Deployment>::namespaced(client, namespace);
    let deployment = applier.apply(&deployments, &deployment(&cached)?).await?;

    let status = observe(&cached, &deployment);
    if cached.status.as_ref() != Some(&status) {
        let mut observed = cached.clone();
        observed.status = Some(status);
        applier.apply_status(&api, &observed).await?;
        recorder.normal(&cached, "Deployed", "Deploy", "The spec is met");
    }
    Ok(Action::done())
}

/// The metadata of an object that a Memcached owns.
fn metadata(cached: &Memcached) -> ObjectMeta {
    ObjectMeta {
        name: Some(cached.name_any()),
        namespace: cached.namespace(),
        labels: Some(labels(cached)),
        ..ObjectMeta::default()
    }
}

fn labels(cached: &Memcached) -> BTreeMap<String, String> {
    [("cache.example.com/memcached".to_owned(), cached.name_any())].into()
}

/// The environment of the servers.
fn settings(cached: &Memcached) -> Result<ConfigMap, OwnerError> {
    let memory = ("MEMORY".to_owned(), cached.spec.memory.to_string());
    let mut map = ConfigMap {
        metadata: metadata(cached),
        data: Some([memory].into()),
        ..ConfigMap::default()
    };
    owner::set_controller_reference(cached, &mut map)?;
    Ok(map)
}

/// The address of the servers.
fn service(cached: &Memcached) -> Result<Service, OwnerError> {
    let port = ServicePort {
        name: Some("memcached".to_owned()),
        port: PORT,
        ..ServicePort::default()
    };
    let mut service = Service {
        metadata: metadata(cached),
        spec: Some(ServiceSpec {
            selector: Some(labels(cached)),
            ports: Some(vec![port]),
            ..ServiceSpec::default()
        }),
        status: None,
    };
    owner::set_controller_reference(cached, &mut service)?;
    Ok(service)
}

/// The servers.
fn deployment(cached: &Memcached) -> Result<Deployment, OwnerError> {
    let environment = EnvFromSource {
        config_map_ref: Some(ConfigMapEnvSource {
            name: cached.name_any(),
            optional: None,
        }),
        ..EnvFromSource::default()
    };
    let container = Container {
        name: "memcached".to_owned(),
        image: Some("memcached:1.6-alpine".to_owned()),
        command: Some(
            ["memcached", "--memory-limit=$(MEMORY)"]
                .map(str::to_owned)
                .into(),
        ),
        env_from: Some(vec![environment]),
        ports: Some(vec![ContainerPort {
            container_port: PORT,
            ..ContainerPort::default()
        }]),
        ..Container::default()
    };
    let mut deployment = Deployment {
        metadata: metadata(cached),
        spec: DeploymentSpec {
            replicas: Some(cached.spec.size),
            selector: LabelSelector {
                match_labels: Some(labels(cached)),
                ..LabelSelector::default()
            },
            template: PodTemplateSpec {
                metadata: Some(ObjectMeta {
                    labels: Some(labels(cached)),
                    ..ObjectMeta::default()
                }),
                spec: Some(PodSpec {
                    containers: vec![container],
                    automount_service_account_token: Some(false),
                    ..PodSpec::default()
                }),
            },
            ..DeploymentSpec::default()
        },
        status: None,
    };
    owner::set_controller_reference(cached, &mut deployment)?;
    Ok(deployment)
}

/// The status of a Memcached with this Deployment.
fn observe(cached: &Memcached, deployment: &Deployment) -> MemcachedStatus {
    let mut status = cached.status.clone().unwrap_or_default();
    let generation = cached.metadata.generation;
    let of_deployment = deployment.status.clone().unwrap_or_default();
    let available = of_deployment.available_replicas.unwrap_or_default();
    status.replicas = of_deployment.replicas.unwrap_or_default();
    status.observed_generation = generation;
    let ready = condition::new("Ready", true, "Deployed", "", generation);
    condition::set(&mut status.conditions, ready);
    let message = format!("{available} of {} servers are available", cached.spec.size);
    let is_available = available == cached.spec.size;
    let available = condition::new("Available", is_available, "Counted", message, generation);
    condition::set(&mut status.conditions, available);
    status
}
