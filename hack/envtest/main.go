// Command envtest runs etcd and the real kube-apiserver in one process on loopback, and on request
// kube-controller-manager, as the reference for the conformance suite.
//
// It stores all data in one directory (--dir, a temporary one by default), writes a kubeconfig with
// cluster-admin rights, prints "ready <kubeconfig>" once /readyz answers, and stops on SIGTERM, on SIGINT and,
// with --stop-with-stdin, when its standard input closes.
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

type flags struct {
	dir               string
	kubeconfig        string
	port              int
	controllerManager bool
	controllers       string
	stopWithStdin     bool
	apiServerArgs     string
	startTimeout      time.Duration
}

func parseFlags() flags {
	var f flags
	flag.StringVar(&f.dir, "dir", "", "where certificates, keys and data go; a temporary directory, removed at the end, unless set")
	flag.StringVar(&f.kubeconfig, "kubeconfig", "", "where to write the kubeconfig (default <dir>/kubeconfig)")
	flag.IntVar(&f.port, "port", 0, "kube-apiserver's port on 127.0.0.1; 0 picks a free one")
	flag.BoolVar(&f.controllerManager, "controller-manager", false, "also run kube-controller-manager")
	flag.StringVar(&f.controllers, "controllers", "garbage-collector-controller,namespace-controller", "the controllers that --controller-manager runs")
	flag.BoolVar(&f.stopWithStdin, "stop-with-stdin", false, "stop when standard input closes, so that a parent's death ends this process")
	flag.StringVar(&f.apiServerArgs, "apiserver-args", "", "further kube-apiserver flags, separated by spaces")
	flag.DurationVar(&f.startTimeout, "start-timeout", time.Minute, "how long to wait for /readyz")
	flag.Parse()
	return f
}

func main() {
	if err := run(parseFlags()); err != nil {
		fmt.Fprintln(os.Stderr, "envtest:", err)
		os.Exit(1)
	}
}

func run(f flags) (err error) {
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer cancel()
	if f.stopWithStdin {
		go func() {
			_, _ = io.Copy(io.Discard, bufio.NewReader(os.Stdin))
			cancel()
		}()
	}

	dir := f.dir
	if dir == "" {
		if dir, err = os.MkdirTemp("", "envtest-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	} else if err = os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if f.kubeconfig == "" {
		f.kubeconfig = filepath.Join(dir, "kubeconfig")
	}

	etcd, err := startEtcd(dir)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer etcd.Close()

	credentials, err := writeCredentials(dir)
	if err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	api, err := startAPIServer(ctx, f, credentials, etcd.Clients[0].Addr().String())
	if err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	if err = credentials.writeKubeconfig(f.kubeconfig, api.url); err != nil {
		return err
	}
	if err = api.waitReady(ctx, f.startTimeout); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	running := []<-chan error{api.stopped}
	if f.controllerManager {
		stopped, err := startControllerManager(ctx, f)
		if err != nil {
			return fmt.Errorf("kube-controller-manager: %w", err)
		}
		running = append(running, stopped)
	}
	fmt.Println("ready", f.kubeconfig)
	return waitUntilStopped(ctx, running)
}

// waitUntilStopped waits until the context ends and every component has stopped, or ten seconds later. It returns
// the error of the first component that stops by itself.
func waitUntilStopped(ctx context.Context, running []<-chan error) error {
	first := make(chan error, len(running))
	for _, stopped := range running {
		go func() { first <- <-stopped }()
	}
	select {
	case err := <-first:
		if ctx.Err() == nil {
			return errors.Join(errors.New("a component stopped by itself"), err)
		}
		running = running[1:]
	case <-ctx.Done():
	}
	timeout := time.After(10 * time.Second)
	for range running {
		select {
		case <-first:
		case <-timeout:
			return nil
		}
	}
	return nil
}

// splitArgs splits flags at white space.
func splitArgs(args string) []string { return strings.Fields(args) }
