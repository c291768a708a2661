//! A service of another name, namespace and port.

// +kubebuilder:webhook:verbs=create;update,path=/validate-orders,mutating=false,failurePolicy=fail,groups=shop.example.com,resources=orders,versions=v1,name=validate.orders.shop.example.com,sideEffects=None,serviceName=hooks,serviceNamespace=shop-system,servicePort=443,admissionReviewVersions=v1
// +kubebuilder:webhook:verbs=create;update,path=/mutate-orders,mutating=true,failurePolicy=fail,groups=shop.example.com,resources=orders,versions=v1,name=default.orders.shop.example.com,sideEffects=None,serviceNamespace=shop-system,admissionReviewVersions=v1
