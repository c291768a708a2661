// Prints what client-go and apimachinery do where the runtime follows them: a line a case, `name: verdict`.
package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
)

// What equality.Semantic takes for equal.
func semantic() {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	cases := []struct {
		name       string
		one, other any
	}{
		{"quantities 1 and 1000m", resource.MustParse("1"), resource.MustParse("1000m")},
		{"quantities 1Gi and 1024Mi", resource.MustParse("1Gi"), resource.MustParse("1024Mi")},
		{"a time in two zones", metav1.NewTime(noon), metav1.NewTime(noon.In(time.FixedZone("", 3600)))},
		{"int-or-string 80 and \"80\"", intstr.FromInt32(80), intstr.FromString("80")},
		{"nil and empty list", []string(nil), []string{}},
		{"nil and empty map", map[string]string(nil), map[string]string{}},
		{"nil pointer and pointer to zero", (*int32)(nil), new(int32)},
	}
	for _, row := range cases {
		fmt.Printf("semantic equality of %s: %t\n", row.name, equality.Semantic.DeepEqual(row.one, row.other))
	}
}

func object(name, version, content string) corev1.ConfigMap {
	return corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name, UID: types.UID(name), ResourceVersion: version},
		Data:       map[string]string{"k": content},
	}
}

func list(version string, items ...corev1.ConfigMap) *corev1.ConfigMapList {
	return &corev1.ConfigMapList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: items}
}

// An informer whose API server was restored: a relist has the same uid and resourceVersion with other content.
func restored() {
	lists := []*corev1.ConfigMapList{
		list("100", object("a", "110", "old"), object("b", "50", "old")),
		list("112", object("a", "110", "new"), object("b", "105", "new")),
	}
	watches := make(chan *watch.FakeWatcher, 8)
	var lock sync.Mutex
	source := &cache.ListWatch{
		ListWithContextFunc: func(context.Context, metav1.ListOptions) (runtime.Object, error) {
			lock.Lock()
			defer lock.Unlock()
			next := lists[0]
			if len(lists) > 1 {
				lists = lists[1:]
			}
			return next, nil
		},
		WatchFuncWithContext: func(_ context.Context, options metav1.ListOptions) (watch.Interface, error) {
			if options.SendInitialEvents != nil {
				return nil, fmt.Errorf("streamed lists are not supported")
			}
			watcher := watch.NewFake()
			watches <- watcher
			return watcher, nil
		},
	}
	informer := cache.NewSharedInformer(source, &corev1.ConfigMap{}, 0)
	updates := make(chan string, 8)
	informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, new any) {
		if found := new.(*corev1.ConfigMap); found.Name == "a" {
			updates <- found.Data["k"]
		}
	}})
	stop := make(chan struct{})
	defer close(stop)
	go informer.Run(stop)
	(<-watches).Error(&metav1.Status{Code: 410, Reason: metav1.StatusReasonExpired})
	<-watches
	select {
	case content := <-updates:
		fmt.Println("relist of an object with the same version and other content: update to", content)
	case <-time.After(5 * time.Second):
		fmt.Println("relist of an object with the same version and other content: no update")
	}
}

func main() {
	semantic()
	restored()
}
