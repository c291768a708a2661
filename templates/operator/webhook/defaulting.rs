{{failure_note}}// +kubebuilder:webhook:path={{mutate}},mutating=true,failurePolicy={{failure}},sideEffects=None,groups={{rule_group}},resources={{plural}},verbs=create;update,versions={{version}},name=m{{lower}}-{{version}}.{{webhook_domain}},admissionReviewVersions=v1,serviceNamespace={{name}}-system

/// Sets defaults. Must be idempotent: the API server may call it again for the same request.
///
/// # Errors
///
/// An error refuses the object.
pub fn default(
    object: &mut {{kind}},
    _request: &webhook::AdmissionRequest,
) -> Result<(), webhook::Refusal> {
    // An example: replace it with your own defaults.
    let labels = object.metadata.labels.get_or_insert_default();
    let label = labels.entry("app.kubernetes.io/managed-by".to_owned());
    label.or_insert_with(|| crate::app::NAME.to_owned());
    Ok(())
}
