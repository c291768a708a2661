// Writes the CA of the certificate to the CRD of the kind.
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames={{plural}}.{{group}},verbs=get;update

