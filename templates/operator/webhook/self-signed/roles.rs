// The self-signed certificate: the Secret shared by the replicas, and the CA in the webhook configurations.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create,namespace={{name}}-system,roleName={{name}}
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=webhook-service-cert,verbs=get;update,namespace={{name}}-system,roleName={{name}}
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,verbs=list
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,resourceNames={{name}},verbs=get;update

