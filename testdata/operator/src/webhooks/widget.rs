//! The webhooks of `Widget` in `batch.example.com/v1alpha1`.

use codegen_runtime::webhook;

use crate::apis::batch::v1alpha1::Widget;

// +kubebuilder:webhook:path=/mutate-batch-example-com-v1alpha1-widget,mutating=true,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=widgets,verbs=create;update,versions=v1alpha1,name=mwidget-v1alpha1.batch.example.com,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// Sets what an object leaves out. It may be called twice for a request, and must change nothing more then.
///
/// # Errors
///
/// The object is refused.
pub fn default(
    object: &mut Widget,
    _request: &webhook::AdmissionRequest,
) -> Result<(), webhook::Refusal> {
    // This label is an example: put your own defaults in its place.
    let labels = object.metadata.labels.get_or_insert_default();
    let label = labels.entry("app.kubernetes.io/managed-by".to_owned());
    label.or_insert_with(|| crate::app::NAME.to_owned());
    Ok(())
}

// +kubebuilder:webhook:path=/validate-batch-example-com-v1alpha1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=widgets,verbs=create;update;delete,versions=v1alpha1,name=vwidget-v1alpha1.batch.example.com,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// The annotation that keeps an object from being deleted: "true" or "false". It is an example: put your own rules in its place.
pub const PROTECTED: &str = "batch.example.com/protected";

/// The rules of objects beyond those of the schema.
#[derive(Clone, Copy, Debug)]
pub struct WidgetRules;

impl webhook::Validator<Widget> for WidgetRules {
    async fn create(
        &self,
        new: &Widget,
        _request: &webhook::AdmissionRequest,
        _warnings: &mut webhook::Warnings,
    ) -> Result<(), webhook::Refusal> {
        let annotations = new.metadata.annotations.as_ref();
        match annotations.and_then(|all| all.get(PROTECTED)) {
            Some(value) if value != "true" && value != "false" => {
                let field = format!("metadata.annotations[{PROTECTED}]");
                let values = ["true", "false"];
                Err(webhook::FieldError::unsupported(field, value.as_str(), &values).into())
            }
            _ => Ok(()),
        }
    }

    async fn update(
        &self,
        _old: &Widget,
        new: &Widget,
        request: &webhook::AdmissionRequest,
        warnings: &mut webhook::Warnings,
    ) -> Result<(), webhook::Refusal> {
        self.create(new, request, warnings).await
    }

    async fn delete(
        &self,
        old: &Widget,
        _request: &webhook::AdmissionRequest,
        _warnings: &mut webhook::Warnings,
    ) -> Result<(), webhook::Refusal> {
        let annotations = old.metadata.annotations.as_ref();
        match annotations.and_then(|all| all.get(PROTECTED)) {
            Some(value) if value == "true" => {
                let why = format!("the annotation {PROTECTED} keeps it");
                Err(webhook::Refusal::forbidden(why))
            }
            _ => Ok(()),
        }
    }
}

// The authority of the certificate in the definition of the kind.
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=widgets.batch.example.com,verbs=get;update

/// Adds the conversion between the versions of the kind, by way of this one, which is stored.
pub fn convert(webhooks: webhook::WebhooksBuilder) -> webhook::WebhooksBuilder {
    let converter = webhook::Converter::hub::<Widget>();
    let converter = converter.spoke::<crate::apis::batch::v1beta1::Widget>();
    webhooks.converter(converter)
}
