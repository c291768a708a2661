//! One of two files with webhooks.

// +kubebuilder:webhook:verbs=create;update,path=/validate-v1,mutating=false,failurePolicy=fail,groups=shop.example.com,resources=orders,versions=v1,name=validate.orders.shop.example.com,sideEffects=None,admissionReviewVersions=v1
// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=list
