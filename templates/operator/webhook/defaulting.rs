// +kubebuilder:webhook:path={{mutate}},mutating=true,failurePolicy=fail,sideEffects=None,groups={{group}},resources={{plural}},verbs=create;update,versions={{version}},name=m{{lower}}-{{version}}.{{group}},admissionReviewVersions=v1,serviceNamespace={{name}}-system

/// Sets what an object leaves out. It may be called twice for a request, and must change nothing more then.
///
/// # Errors
///
/// The object is refused.
pub fn default(
    object: &mut {{kind}},
    _request: &webhook::AdmissionRequest,
) -> Result<(), webhook::Refusal> {
    // This label is an example: put your own defaults in its place.
    let labels = object.metadata.labels.get_or_insert_default();
    let label = labels.entry("app.kubernetes.io/managed-by".to_owned());
    label.or_insert_with(|| crate::app::NAME.to_owned());
    Ok(())
}
