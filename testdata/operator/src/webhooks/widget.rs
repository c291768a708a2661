//! The webhooks of `Widget` in `batch.example.com/v1alpha1`.

use codegen_runtime::webhook;

use crate::apis::batch::v1alpha1::Widget;

// +kubebuilder:webhook:path=/mutate-batch-example-com-v1alpha1-widget,mutating=true,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=widgets,verbs=create;update,versions=v1alpha1,name=mwidget-v1alpha1.batch.example.com,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// Sets defaults. Must be idempotent: the API server may call it again for the same request.
///
/// # Errors
///
/// An error refuses the object.
pub fn default(
    object: &mut Widget,
    _request: &webhook::AdmissionRequest,
) -> Result<(), webhook::Refusal> {
    // An example: replace it with your own defaults.
    let labels = object.metadata.labels.get_or_insert_default();
    let label = labels.entry("app.kubernetes.io/managed-by".to_owned());
    label.or_insert_with(|| crate::app::NAME.to_owned());
    Ok(())
}

// +kubebuilder:webhook:path=/validate-batch-example-com-v1alpha1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.example.com,resources=widgets,verbs=create;update;delete,versions=v1alpha1,name=vwidget-v1alpha1.batch.example.com,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// The annotation that protects an object from deletion: "true" or "false". An example: replace it with your own rules.
pub const PROTECTED: &str = "batch.example.com/protected";

/// Validation rules beyond the schema.
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
                let why = format!("the annotation {PROTECTED} protects it");
                Err(webhook::Refusal::forbidden(why))
            }
            _ => Ok(()),
        }
    }
}

// Writes the CA of the certificate to the CRD of the kind.
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames=widgets.batch.example.com,verbs=get;update

/// Adds conversion between the versions of the kind. The hub is this one, the storage version; the
/// conversions are generated, in `zz_generated_conversion` of the other versions.
pub fn convert(webhooks: webhook::WebhooksBuilder) -> webhook::WebhooksBuilder {
    let converter = webhook::Converter::hub::<Widget>();
    let converter = converter.spoke::<crate::apis::batch::v1beta1::Widget>();
    webhooks.converter(converter)
}
