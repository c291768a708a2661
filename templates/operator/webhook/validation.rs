{{failure_note}}// +kubebuilder:webhook:path={{validate}},mutating=false,failurePolicy={{failure}},sideEffects=None,groups={{rule_group}},resources={{plural}},verbs=create;update;delete,versions={{version}},name=v{{lower}}-{{version}}.{{webhook_domain}},admissionReviewVersions=v1,serviceNamespace={{name}}-system

/// The annotation that protects an object from deletion: "true" or "false". An example: replace it with your own rules.
pub const PROTECTED: &str = "{{annotations}}/protected";

/// Validation rules beyond the schema.
#[derive(Clone, Copy, Debug)]
pub struct {{kind}}Rules;

{{validator_impl}}
    async fn create(
        &self,
        new: &{{kind}},
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
        _old: &{{kind}},
        new: &{{kind}},
        request: &webhook::AdmissionRequest,
        warnings: &mut webhook::Warnings,
    ) -> Result<(), webhook::Refusal> {
        self.create(new, request, warnings).await
    }

    async fn delete(
        &self,
        old: &{{kind}},
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
