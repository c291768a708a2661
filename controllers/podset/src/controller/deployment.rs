//! The Deployment of a set, with only the fields that the controller applies.

use std::collections::BTreeMap;

use codegen_runtime::k8s_openapi::api::apps::v1::{Deployment, DeploymentSpec};
use codegen_runtime::k8s_openapi::api::core::v1::{
    Container, ContainerPort, PodSpec, PodTemplateSpec,
};
use codegen_runtime::k8s_openapi::apimachinery::pkg::apis::meta::v1::{LabelSelector, ObjectMeta};
use codegen_runtime::owner::{self, OwnerError};

use crate::apis::apps::v1alpha1::PodSet;

/// The label that the Deployments and pods of all sets have, with the value [`APP`].
pub const APP_LABEL: &str = "app";

/// The value of [`APP_LABEL`].
pub const APP: &str = "podSet";

/// The label with the name of the set that a Deployment or pod belongs to.
pub const SET_LABEL: &str = "podSet_cr";

/// Returns the labels of the objects of the set `name`.
pub(super) fn labels(name: &str) -> BTreeMap<String, String> {
    [(APP_LABEL, APP), (SET_LABEL, name)]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into()
}

/// Returns the desired Deployment of `set`.
///
/// # Errors
///
/// If the set was not read from a server.
pub(super) fn desired(set: &PodSet) -> Result<Deployment, OwnerError> {
    let labels = labels(set.metadata.name.as_deref().unwrap_or_default());
    let container = Container {
        name: "podset".to_owned(),
        image: Some("busybox".to_owned()),
        command: Some(["sleep", "3600"].map(str::to_owned).into()),
        ports: Some(vec![ContainerPort {
            container_port: 1234,
            protocol: Some("TCP".to_owned()),
            ..ContainerPort::default()
        }]),
        ..Container::default()
    };
    let template = PodTemplateSpec {
        metadata: Some(ObjectMeta {
            labels: Some(labels.clone()),
            ..ObjectMeta::default()
        }),
        spec: Some(PodSpec {
            containers: vec![container],
            automount_service_account_token: Some(false),
            ..PodSpec::default()
        }),
    };
    let mut deployment = Deployment {
        metadata: ObjectMeta {
            name: set.metadata.name.clone(),
            namespace: set.metadata.namespace.clone(),
            labels: Some(labels.clone()),
            ..ObjectMeta::default()
        },
        spec: DeploymentSpec {
            replicas: Some(set.spec.size),
            selector: LabelSelector {
                match_labels: Some(labels),
                ..LabelSelector::default()
            },
            template,
            ..DeploymentSpec::default()
        },
        status: None,
    };
    owner::set_controller_reference(set, &mut deployment)?;
    Ok(deployment)
}
