package main

import (
	"context"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

type WebsiteReconciler struct {
	client.Client
}

// +kubebuilder:rbac:groups=example.com,resources=websites,verbs=get;list;watch
// +kubebuilder:rbac:groups=example.com,resources=websites/status,verbs=update
// +kubebuilder:rbac:groups=example.com,resources=websites/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=get;list;watch;create;update
func (r *WebsiteReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var site Website
	if err := r.Get(ctx, req.NamespacedName, &site); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}

	page := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: site.Name + "-html", Namespace: site.Namespace,
	}}
	if _, err := controllerutil.CreateOrUpdate(ctx, r.Client, page, func() error {
		page.Data = map[string]string{"index.html": site.Spec.HTML}
		return ctrl.SetControllerReference(&site, page, r.Scheme())
	}); err != nil {
		return ctrl.Result{}, fmt.Errorf("cannot write the page: %w", err)
	}

	ready := metav1.Condition{
		Type: "Ready", Status: metav1.ConditionTrue, Reason: "Published",
		Message: "the page is served", ObservedGeneration: site.Generation,
	}
	if meta.SetStatusCondition(&site.Status.Conditions, ready) {
		if err := r.Status().Update(ctx, &site); err != nil {
			return ctrl.Result{}, fmt.Errorf("cannot write the status: %w", err)
		}
	}
	return ctrl.Result{}, nil
}

func main() {
	manager, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{})
	if err != nil {
		os.Exit(1)
	}
	addToScheme(manager.GetScheme())
	err = ctrl.NewControllerManagedBy(manager).
		For(&Website{}).
		Owns(&corev1.ConfigMap{}).
		Complete(&WebsiteReconciler{Client: manager.GetClient()})
	if err != nil {
		os.Exit(1)
	}
	if manager.Start(ctrl.SetupSignalHandler()) != nil {
		os.Exit(1)
	}
}
