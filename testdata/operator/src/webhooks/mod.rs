//! The webhooks, a module for each kind.

pub mod widget;
mod widget_v1beta1_conversion;

use codegen_runtime::webhook::Webhooks;

// The certificate that the program makes: the Secret that its replicas share, and the authority in the webhook configurations.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create,namespace=sample-operator-system,roleName=sample-operator
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=webhook-service-cert,verbs=get;update,namespace=sample-operator-system,roleName=sample-operator
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,verbs=list
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,resourceNames=sample-operator,verbs=get;update

/// All webhooks, by their paths.
pub fn all() -> Webhooks {
    let webhooks = Webhooks::builder();
    let webhooks = webhooks.defaulter(widget::default);
    let webhooks = webhooks.validator(widget::WidgetRules);
    let webhooks = widget::convert(webhooks);
    webhooks.build()
}

// +kubebuilder:webhookconfiguration:mutating=true,name=sample-operator

// +kubebuilder:webhookconfiguration:mutating=false,name=sample-operator
