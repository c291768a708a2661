// Command load measures an API server over HTTP: requests per second by verb, and watch fan-out. It prints one line per
// measurement: its name, a tab, and the rate per second.
//
//	load --kubeconfig FILE [--seconds 3] [--workers 8] [--watchers 1000] [--updates 50]
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

type target struct {
	client *http.Client
	maps   string
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "the server to load")
	seconds := flag.Float64("seconds", 3, "how long each rate is measured")
	workers := flag.Int("workers", 8, "requests at a time")
	watchers := flag.Int("watchers", 1000, "watches at a time")
	updates := flag.Int("updates", 50, "updates that every watch must see")
	flag.Parse()
	if err := run(*kubeconfig, time.Duration(*seconds*float64(time.Second)), *workers, *watchers, *updates); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

func run(kubeconfig string, duration time.Duration, workers, watchers, updates int) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return err
	}
	config.QPS = -1
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	namespace := fmt.Sprintf("load-%d", time.Now().UnixNano())
	t := &target{client: client, maps: config.Host + "/api/v1/namespaces/" + namespace + "/configmaps"}
	body := fmt.Sprintf(`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":%q}}`, namespace)
	if err := t.do("POST", config.Host+"/api/v1/namespaces", body); err != nil {
		return err
	}
	var next atomic.Int64
	create := func() error { return t.do("POST", t.maps, configMap(fmt.Sprintf("m%d", next.Add(1)), 0)) }
	for range 500 {
		if err := create(); err != nil {
			return err
		}
	}
	var turn atomic.Int64
	existing := func() string { return fmt.Sprintf("m%d", turn.Add(1)%500+1) }
	measurements := []struct {
		name    string
		request func() error
	}{
		{"get", func() error { return t.do("GET", t.maps+"/"+existing(), "") }},
		{"list of 500", func() error { return t.do("GET", t.maps+"?limit=500", "") }},
		{"update", func() error {
			name := existing()
			return t.do("PUT", t.maps+"/"+name, configMap(name, turn.Load()))
		}},
		{"create", create},
	}
	for _, m := range measurements {
		rate, err := measure(duration, workers, m.request)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Printf("%s\t%.0f\n", m.name, rate)
	}
	rate, err := t.fanOut(watchers, updates)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	fmt.Printf("events to %d watches\t%.0f\n", watchers, rate)
	return t.do("DELETE", config.Host+"/api/v1/namespaces/"+namespace, "")
}

// configMap returns an object of about 2 KB.
func configMap(name string, value int64) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q},"data":{"v":"%d","filler":%q}}`, name, value, strings.Repeat("x", 2000))
}

func (t *target) do(method, url, body string) error {
	request, err := http.NewRequest(method, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := t.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(response.Body)
		return fmt.Errorf("%s %s: %s %s", method, url, response.Status, text)
	}
	return discard(response.Body)
}

// buffers are kept: reading a list into a new one takes the client four times as long as the server takes to write it.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// discard reads a body to its end.
func discard(body io.Reader) error {
	buffer := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buffer)
	for {
		if _, err := body.Read(buffer[:]); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// measure repeats a request from several workers and returns the rate per second.
func measure(duration time.Duration, workers int, request func() error) (float64, error) {
	var count atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, workers)
	start := time.Now()
	for range workers {
		group.Go(func() {
			for time.Since(start) < duration {
				if err := request(); err != nil {
					failures <- err
					return
				}
				count.Add(1)
			}
		})
	}
	group.Wait()
	select {
	case err := <-failures:
		return 0, err
	default:
		return float64(count.Load()) / time.Since(start).Seconds(), nil
	}
}

// fanOut opens watches of one object, updates it, and returns the events per second, summed over all watches.
func (t *target) fanOut(watchers, updates int) (float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	url := t.maps + "?watch=true&fieldSelector=metadata.name%3Dm1"
	var opened, done sync.WaitGroup
	failures := make(chan error, watchers)
	opened.Add(watchers)
	for range watchers {
		done.Go(func() {
			if err := t.watch(ctx, url, 1+updates, opened.Done); err != nil {
				failures <- err
				cancel()
			}
		})
	}
	opened.Wait()
	start := time.Now()
	for n := range updates {
		if err := t.do("PUT", t.maps+"/m1", configMap("m1", int64(n)+1_000_000_000)); err != nil {
			return 0, err
		}
	}
	done.Wait()
	select {
	case err := <-failures:
		return 0, err
	default:
		return float64(watchers*updates) / time.Since(start).Seconds(), nil
	}
}

// watch reads the given number of events. It calls opened after the first one, which is the current object, or when it fails.
func (t *target) watch(ctx context.Context, url string, events int, opened func()) error {
	once := sync.OnceFunc(opened)
	defer once()
	request, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return err
	}
	response, err := t.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, response.Status)
	}
	buffer := make([]byte, 32<<10)
	for seen := 0; seen < events; {
		n, err := response.Body.Read(buffer)
		seen += bytes.Count(buffer[:n], []byte{'\n'})
		if seen > 0 {
			once()
		}
		if err != nil && seen < events {
			return fmt.Errorf("after %d of %d events: %w", seen, events, err)
		}
	}
	return nil
}
