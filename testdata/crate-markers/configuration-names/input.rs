//! Configurations with names of their own.

// +kubebuilder:webhookconfiguration:mutating=true,name=shop-mutating
// +kubebuilder:webhookconfiguration:mutating=false,name=shop-validating

// +kubebuilder:webhook:verbs=create,path=/a,mutating=true,failurePolicy=fail,groups=a,resources=a,versions=v1,name=a.shop.example.com,sideEffects=None,admissionReviewVersions=v1
// +kubebuilder:webhook:verbs=create,path=/b,mutating=false,failurePolicy=fail,groups=b,resources=b,versions=v1,name=b.shop.example.com,sideEffects=None,admissionReviewVersions=v1
