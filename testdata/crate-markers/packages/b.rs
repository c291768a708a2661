//! The other one: names sort before those of the first, and rules merge with its rules.

// +kubebuilder:webhook:verbs=create;update,path=/validate-parcel,mutating=false,failurePolicy=fail,groups=shop.example.com,resources=parcels,versions=v1,name=parcels.shop.example.com,sideEffects=None,admissionReviewVersions=v1
// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get
// +kubebuilder:rbac:groups=shop.example.com,resources=parcels,verbs=get;list
