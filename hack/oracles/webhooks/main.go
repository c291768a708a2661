// Prints what controller-runtime answers to the reviews that runtime/tests/runtime/webhooks sends: a line a case, `name: verdict`.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	ctrlconversion "sigs.k8s.io/controller-runtime/pkg/conversion"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"
)

// A validator whose methods accept everything, as one that implements only the others must have them.
type accepting struct{}

func (accepting) ValidateCreate(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

func (accepting) ValidateUpdate(context.Context, *corev1.ConfigMap, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

func (accepting) ValidateDelete(context.Context, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, nil
}

// A validator that refuses each update.
type refusing struct{ accepting }

func (refusing) ValidateUpdate(context.Context, *corev1.ConfigMap, *corev1.ConfigMap) (admission.Warnings, error) {
	return nil, fmt.Errorf("never")
}

type coloring struct{}

func (coloring) Default(_ context.Context, object *corev1.ConfigMap) error {
	if object.Data == nil {
		object.Data = map[string]string{}
	}
	object.Data["color"] = "blue"
	return nil
}

// A defaulter of pods by a function.
type changing func(*corev1.Pod)

func (change changing) Default(_ context.Context, pod *corev1.Pod) error {
	change(pod)
	return nil
}

// A hub and a spoke of one kind.
type Hub struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (*Hub) Hub() {}

func (hub *Hub) DeepCopyObject() runtime.Object {
	copied := *hub
	return &copied
}

type Spoke struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
}

func (spoke *Spoke) DeepCopyObject() runtime.Object {
	copied := *spoke
	return &copied
}

func (spoke *Spoke) ConvertTo(hub ctrlconversion.Hub) error {
	hub.(*Hub).ObjectMeta = spoke.ObjectMeta
	return nil
}

func (spoke *Spoke) ConvertFrom(hub ctrlconversion.Hub) error {
	if hub.(*Hub).Name == "panics" {
		panic("as asked")
	}
	spoke.ObjectMeta = hub.(*Hub).ObjectMeta
	return nil
}

func review(kind, operation, object, old string) string {
	return fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":%q,"name":"a",
		"namespace":"n","kind":{"group":"","version":"v1","kind":%q},"resource":{"group":"","version":"v1","resource":"any"},
		"userInfo":{},"object":%s,"oldObject":%s}}`, operation, kind, object, old)
}

func post(handler http.Handler, body io.Reader) (int, string) {
	request := httptest.NewRequest(http.MethodPost, "/", body)
	request.Header.Set("content-type", "application/json")
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer.Code, strings.TrimSpace(answer.Body.String())
}

// The code of a refusal, "allowed", or the patch.
func verdict(handler http.Handler, body string) string {
	_, text := post(handler, strings.NewReader(body))
	var answer struct {
		Response struct {
			Allowed bool
			Status  struct{ Code int }
			Patch   []byte
		}
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		return "no review: " + text
	}
	switch {
	case !answer.Response.Allowed:
		return fmt.Sprint("refused with ", answer.Response.Status.Code)
	case len(answer.Response.Patch) > 0:
		return "patch " + ordered(answer.Response.Patch)
	default:
		return "allowed"
	}
}

// A patch of controller-runtime has its operations on different fields in any order.
func ordered(patch []byte) string {
	var operations []json.RawMessage
	if err := json.Unmarshal(patch, &operations); err != nil {
		return err.Error()
	}
	slices.SortFunc(operations, func(one, other json.RawMessage) int { return bytes.Compare(one, other) })
	sorted, err := json.Marshal(operations)
	if err != nil {
		return err.Error()
	}
	return string(sorted)
}

func oldObjects(scheme *runtime.Scheme) {
	validator := admission.WithValidator[*corev1.ConfigMap](scheme, accepting{})
	strict := admission.WithValidator[*corev1.ConfigMap](scheme, refusing{})
	defaulter := admission.WithDefaulter[*corev1.ConfigMap](scheme, coloring{})
	const odd = `{"metadata":{"name":"a"},"data":7}`
	const deleted = `{"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},"data":7}`
	const fine = `{"metadata":{"name":"a","deletionTimestamp":"2026-01-01T00:00:00Z"},"data":{}}`
	fmt.Println("validator, DELETE, old object does not decode:", verdict(validator, review("ConfigMap", "DELETE", "null", odd)))
	fmt.Println("validator, UPDATE, old object does not decode:", verdict(validator, review("ConfigMap", "UPDATE", `{"metadata":{"name":"a"}}`, odd)))
	fmt.Println("validator, UPDATE of a deleted object's metadata, neither decodes:", verdict(validator, review("ConfigMap", "UPDATE", deleted, deleted)))
	fmt.Println("validator that refuses, UPDATE of a deleted object's metadata:", verdict(strict, review("ConfigMap", "UPDATE", fine, fine)))
	fmt.Println("validator, CREATE, object does not decode:", verdict(validator, review("ConfigMap", "CREATE", odd, "null")))
	fmt.Println("validator, CONNECT, another kind:", verdict(validator, review("PodExecOptions", "CONNECT", `{"command":["sh"]}`, "null")))
	fmt.Println("defaulter, DELETE:", verdict(defaulter, review("ConfigMap", "DELETE", "null", odd)))
	fmt.Println("defaulter, UPDATE of a deleted object's metadata, neither decodes:", verdict(defaulter, review("ConfigMap", "UPDATE", deleted, deleted)))
}

func unknownFields(scheme *runtime.Scheme) {
	const pod = `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"a","future":"of a"},{"name":"b","image":"i","future":"of b"}]}}`
	remove := changing(func(pod *corev1.Pod) {
		pod.Spec.Containers = pod.Spec.Containers[1:]
		pod.Spec.Containers[0].Image = "mirror/i"
	})
	handler := admission.WithDefaulter[*corev1.Pod](scheme, remove)
	fmt.Println("defaulter that removes the first container and changes the second:", verdict(handler, review("Pod", "CREATE", pod, "null")))
}

func sizes(scheme *runtime.Scheme) {
	handler := admission.WithValidator[*corev1.ConfigMap](scheme, accepting{})
	for _, size := range []int{7<<20 - 1, 7 << 20} {
		_, text := post(handler, bytes.NewReader(bytes.Repeat([]byte(" "), size)))
		fmt.Printf("body of %d blanks: %s\n", size, text)
	}
}

func conversions() {
	scheme := runtime.NewScheme()
	group := schema.GroupVersion{Group: "example.com", Version: "v1"}
	scheme.AddKnownTypeWithName(group.WithKind("Thing"), &Spoke{})
	group.Version = "v2"
	scheme.AddKnownTypeWithName(group.WithKind("Thing"), &Hub{})
	handler := conversion.NewWebhookHandler(scheme, conversion.NewRegistry())
	convert := func(object string) string {
		body := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u","desiredAPIVersion":"example.com/v1","objects":[` + object + `]}}`
		_, text := post(handler, strings.NewReader(body))
		return text
	}
	fmt.Println("conversion without metadata:", convert(`{"apiVersion":"example.com/v2","kind":"Thing"}`))
	fmt.Println("conversion that panics:", convert(`{"apiVersion":"example.com/v2","kind":"Thing","metadata":{"name":"panics"}}`))
	fmt.Println("conversion to the same version:", convert(`{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"}}`))
}

func predicates() {
	object := func(uid string, label string) client.Object {
		return &autoscalingv1.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{
			Name: "a", UID: types.UID(uid), Labels: map[string]string{"k": label}, Annotations: map[string]string{"k": label}, Generation: 1,
		}}
	}
	table := []struct {
		name      string
		predicate predicate.Predicate
	}{
		{"labels", predicate.LabelChangedPredicate{}},
		{"annotations", predicate.AnnotationChangedPredicate{}},
		{"generation", predicate.GenerationChangedPredicate{}},
	}
	for _, row := range table {
		recreated := event.UpdateEvent{ObjectOld: object("1", "v"), ObjectNew: object("2", "v")}
		changed := event.UpdateEvent{ObjectOld: object("1", "v"), ObjectNew: object("1", "w")}
		fmt.Printf("predicate of %s: recreated %t, changed %t\n", row.name, row.predicate.Update(recreated), row.predicate.Update(changed))
	}
}

func main() {
	log.SetLogger(logr.Discard())
	// They log stack traces.
	utilruntime.PanicHandlers = nil
	scheme := clientgoscheme.Scheme
	oldObjects(scheme)
	unknownFields(scheme)
	sizes(scheme)
	conversions()
	predicates()
}
