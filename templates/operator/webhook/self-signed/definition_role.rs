// The authority of the certificate in the definition of the kind.
// +kubebuilder:rbac:groups=apiextensions.k8s.io,resources=customresourcedefinitions,resourceNames={{plural}}.{{group}},verbs=get;update

