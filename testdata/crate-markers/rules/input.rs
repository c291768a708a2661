//! Rules that are merged in every way: verbs, resources, groups, URLs; in Roles of other namespaces and names.

// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get;watch;create
// +kubebuilder:rbac:groups=shop.example.com,resources=orders/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=list;get
// +kubebuilder:rbac:groups=shop.example.com,resources=orders,resourceNames=c;a;b;a,verbs=get;watch

// One resource in several groups, in any order and twice.
// +kubebuilder:rbac:groups=beta;alpha;beta,resources=parcels/status,verbs=watch
// +kubebuilder:rbac:groups=alpha;beta,resources=parcels/status,verbs=create;get
// +kubebuilder:rbac:groups=beta;alpha,resources=parcels/status,verbs=get;create

// Resources of one group with the same verbs, and groups of one resource.
// +kubebuilder:rbac:groups=warehouse,resources=shelves,verbs=create
// +kubebuilder:rbac:groups=warehouse,resources=boxes;racks,verbs=create
// +kubebuilder:rbac:groups=west,resources=doors,verbs=patch
// +kubebuilder:rbac:groups=east,resources=doors,verbs=patch

// Same verbs only after their union.
// +kubebuilder:rbac:groups=union,resources=a;b,verbs=get;list
// +kubebuilder:rbac:groups=union,resources=a,verbs=get
// +kubebuilder:rbac:groups=union,resources=b,verbs=list

// Every verb beside single ones; a subresource with every verb stays apart.
// +kubebuilder:rbac:groups=every,resources=things,verbs=get;update
// +kubebuilder:rbac:groups=every,resources=things,verbs=*
// +kubebuilder:rbac:groups=every,resources=things/status,verbs=*

// What differs in two parts stays apart.
// +kubebuilder:rbac:groups=one,resources=same,verbs=get
// +kubebuilder:rbac:groups=two,resources=same,verbs=list
// +kubebuilder:rbac:groups=one;two,resources=other,verbs=get

// The core group by both of its names.
// +kubebuilder:rbac:groups=core,resources=pods;nodes,verbs=list
// +kubebuilder:rbac:groups="",resources=secrets,verbs=list
// +kubebuilder:rbac:groups=core;"";apps,resources=secrets,verbs=list;get

// +kubebuilder:rbac:urls=/metrics,verbs=get
// +kubebuilder:rbac:urls=/healthz;/metrics,verbs=get

// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get,namespace=zoo
// +kubebuilder:rbac:groups=other.example.com,resources=orders,verbs=get,namespace=zoo
// +kubebuilder:rbac:groups=shop.example.com,resources=orders,verbs=get,namespace=park
// +kubebuilder:rbac:groups=apps,namespace=zoo,roleName=keeper,resources=deployments,verbs=get;list
// +kubebuilder:rbac:groups=apps,namespace=zoo,roleName=keeper,resources=statefulsets,verbs=list;get
// +kubebuilder:rbac:groups=apps,roleName=another,resources=deployments,verbs=get;

/// Nothing else of this file is read.
pub fn reconcile() {
    // +kubebuilder:object:root=true
}
