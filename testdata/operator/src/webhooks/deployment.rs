//! The webhooks of `Deployment` in `apps/v1`.

use codegen_runtime::webhook;

use codegen_runtime::k8s_openapi::api::apps::v1::Deployment;

// Objects pass while the program is down. With failurePolicy=fail all are refused then, even those that start the program.
// +kubebuilder:webhook:path=/mutate-apps-v1-deployment,mutating=true,failurePolicy=ignore,sideEffects=None,groups=apps,resources=deployments,verbs=create;update,versions=v1,name=mdeployment-v1.apps.sample-operator,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// Sets defaults. Must be idempotent: the API server may call it again for the same request.
///
/// # Errors
///
/// An error refuses the object.
pub fn default(
    object: &mut Deployment,
    _request: &webhook::AdmissionRequest,
) -> Result<(), webhook::Refusal> {
    // An example: replace it with your own defaults.
    let labels = object.metadata.labels.get_or_insert_default();
    let label = labels.entry("app.kubernetes.io/managed-by".to_owned());
    label.or_insert_with(|| crate::app::NAME.to_owned());
    Ok(())
}

// Objects pass while the program is down. With failurePolicy=fail all are refused then, even those that start the program.
// +kubebuilder:webhook:path=/validate-apps-v1-deployment,mutating=false,failurePolicy=ignore,sideEffects=None,groups=apps,resources=deployments,verbs=create;update;delete,versions=v1,name=vdeployment-v1.apps.sample-operator,admissionReviewVersions=v1,serviceNamespace=sample-operator-system

/// The annotation that protects an object from deletion: "true" or "false". An example: replace it with your own rules.
pub const PROTECTED: &str = "sample-operator.example.com/protected";

/// Validation rules beyond the schema.
#[derive(Clone, Copy, Debug)]
pub struct DeploymentRules;

impl webhook::Validator<Deployment> for DeploymentRules {
    async fn create(
        &self,
        new: &Deployment,
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
        _old: &Deployment,
        new: &Deployment,
        request: &webhook::AdmissionRequest,
        warnings: &mut webhook::Warnings,
    ) -> Result<(), webhook::Refusal> {
        self.create(new, request, warnings).await
    }

    async fn delete(
        &self,
        old: &Deployment,
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
