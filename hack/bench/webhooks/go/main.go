// Serves the same defaulter of pods with controller-runtime's webhook server: server <host> <port> <folder>.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

type defaulter struct{}

// Default sets a label, and the pull policy of each container.
func (defaulter) Default(_ context.Context, pod *corev1.Pod) error {
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	if _, found := pod.Labels["team"]; !found {
		pod.Labels["team"] = "none"
	}
	for i := range pod.Spec.Containers {
		if pod.Spec.Containers[i].ImagePullPolicy == "" {
			pod.Spec.Containers[i].ImagePullPolicy = corev1.PullIfNotPresent
		}
	}
	return nil
}

func main() {
	log.SetLogger(logr.Discard())
	port, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	server := webhook.NewServer(webhook.Options{Host: os.Args[1], Port: port, CertDir: os.Args[3]})
	server.Register("/mutate--v1-pod", admission.WithDefaulter[*corev1.Pod](clientgoscheme.Scheme, defaulter{}))
	fmt.Println("listening")
	if err := server.Start(context.Background()); err != nil {
		panic(err)
	}
}
