//! The webhooks, one module per kind.

pub mod deployment;
pub mod widget;

use codegen_runtime::webhook::Webhooks;

// The self-signed certificate: the Secret shared by the replicas, and the CA in the webhook configurations.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create,namespace=sample-operator-system,roleName=sample-operator
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=webhook-service-cert,verbs=get;update,namespace=sample-operator-system,roleName=sample-operator
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,verbs=list
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,resourceNames=sample-operator,verbs=get;update

/// Returns all webhooks, by path.
pub fn all() -> Webhooks {
    let webhooks = Webhooks::builder();
    let webhooks = webhooks.defaulter(widget::default);
    let webhooks = webhooks.validator(widget::WidgetRules);
    let webhooks = widget::convert(webhooks);
    let webhooks = webhooks.defaulter(deployment::default);
    let webhooks = webhooks.validator(deployment::DeploymentRules);
    webhooks.build()
}

// +kubebuilder:webhookconfiguration:mutating=true,name=sample-operator

// +kubebuilder:webhookconfiguration:mutating=false,name=sample-operator
