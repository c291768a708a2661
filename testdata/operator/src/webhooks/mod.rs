//! The webhooks, a module for each kind.

pub mod widget;
mod widget_v1beta1_conversion;

use codegen_runtime::webhook::Webhooks;

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
