// Runs one measurement of client-go's shared informer: main <stream|list> <handlers> <url> <objects> <updates>.
//
// It does the same as the Rust client: fills a cache of typed objects, without managedFields, reads the memory use, and counts
// updates until the last handler got the last one.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	k8sruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type Variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type Spec struct {
	Image    string     `json:"image"`
	Replicas int64      `json:"replicas"`
	Args     []string   `json:"args"`
	Env      []Variable `json:"env"`
}

type Status struct {
	Phase              string              `json:"phase"`
	ObservedGeneration int64               `json:"observedGeneration"`
	Conditions         []map[string]string `json:"conditions"`
}

type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              Spec    `json:"spec"`
	Status            *Status `json:"status,omitempty"`
}

type WidgetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []Widget `json:"items"`
}

// Shallow copies suffice, since this program does not modify objects.
func (w *Widget) DeepCopyObject() k8sruntime.Object     { c := *w; return &c }
func (l *WidgetList) DeepCopyObject() k8sruntime.Object { c := *l; return &c }

func memory() (resident, peak int64) {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		fields := strings.Fields(line)
		if len(fields) < 2 {
			continue
		}
		value, _ := strconv.ParseInt(fields[1], 10, 64)
		switch fields[0] {
		case "VmRSS:":
			resident = value
		case "VmHWM:":
			peak = value
		}
	}
	return
}

func number(text string) int64 {
	value, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	how, handlers, url := os.Args[1], number(os.Args[2]), os.Args[3]
	objects, updates := number(os.Args[4]), number(os.Args[5])
	version := schema.GroupVersion{Group: "bench.example.com", Version: "v1"}
	scheme := k8sruntime.NewScheme()
	scheme.AddKnownTypes(version, &Widget{}, &WidgetList{})
	metav1.AddToGroupVersion(scheme, version)
	client, err := rest.RESTClientFor(&rest.Config{
		Host: url, APIPath: "/apis", QPS: -1,
		ContentConfig: rest.ContentConfig{
			GroupVersion:         &version,
			NegotiatedSerializer: serializer.NewCodecFactory(scheme).WithoutConversion(),
		},
	})
	if err != nil {
		panic(err)
	}
	get := func(options metav1.ListOptions) *rest.Request {
		return client.Get().Resource("widgets").VersionedParams(&options, metav1.ParameterCodec)
	}
	source := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, options metav1.ListOptions) (k8sruntime.Object, error) {
			list := &WidgetList{}
			return list, get(options).Do(ctx).Into(list)
		},
		WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if how == "list" && options.SendInitialEvents != nil {
				return nil, fmt.Errorf("streamed lists are off")
			}
			options.Watch = true
			return get(options).Watch(ctx)
		},
	}
	before, _ := memory()
	informer := cache.NewSharedIndexInformer(source, &Widget{}, 0, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	if err := informer.SetTransform(func(object any) (any, error) {
		if widget, ok := object.(*Widget); ok {
			widget.ManagedFields = nil
		}
		return object, nil
	}); err != nil {
		panic(err)
	}
	var heard atomic.Int64
	last := make(chan struct{})
	synced := []cache.InformerSynced{}
	for range handlers {
		registration, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(any, any) {
			if heard.Add(1) == updates*handlers {
				close(last)
			}
		}})
		if err != nil {
			panic(err)
		}
		synced = append(synced, registration.HasSynced)
	}
	started := time.Now()
	go informer.RunWithContext(context.Background())
	for _, done := range synced {
		for !done() {
			time.Sleep(time.Millisecond)
		}
	}
	took := time.Since(started)
	if int64(len(informer.GetStore().ListKeys())) != objects {
		panic("not all objects are there")
	}
	_, peak := memory()
	// Do not count memory that the garbage collector would release eventually.
	runtime.GC()
	debug.FreeOSMemory()
	time.Sleep(time.Second)
	resident, _ := memory()
	began := time.Now()
	go func() {
		if _, err := http.Get(fmt.Sprintf("%s/updates?n=%d", url, updates)); err != nil {
			panic(err)
		}
	}()
	<-last
	updated := time.Since(began)
	each := func(kilobytes int64) int64 { return (kilobytes - before) * 1024 / objects }
	fmt.Printf("client-go\t%s\t%d\t%.0f\t%d\t%d\t%.0f\n", how, handlers, float64(objects)/took.Seconds(),
		each(resident), each(peak), float64(updates)/updated.Seconds())
}
