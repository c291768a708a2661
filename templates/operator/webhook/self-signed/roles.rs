// The certificate that the program makes: the Secret that its replicas share, and the authority in the webhook configurations.
// +kubebuilder:rbac:groups="",resources=secrets,verbs=create,namespace={{name}}-system,roleName={{name}}
// +kubebuilder:rbac:groups="",resources=secrets,resourceNames=webhook-service-cert,verbs=get;update,namespace={{name}}-system,roleName={{name}}
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,verbs=list
// +kubebuilder:rbac:groups=admissionregistration.k8s.io,resources=mutatingwebhookconfigurations;validatingwebhookconfigurations,resourceNames={{name}},verbs=get;update

