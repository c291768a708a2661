package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/rest"
	kubeapiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	apiserveroptions "k8s.io/kubernetes/cmd/kube-apiserver/app/options"
	kubecontrollermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	controllermanageroptions "k8s.io/kubernetes/cmd/kube-controller-manager/app/options"
)

type apiServer struct {
	url     string
	client  *http.Client
	stopped <-chan error
}

// startAPIServer runs kube-apiserver until the context ends. waitReady waits until it serves.
func startAPIServer(ctx context.Context, f flags, c *credentials, etcdAddress string) (*apiServer, error) {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", f.port))
	if err != nil {
		return nil, err
	}
	o := apiserveroptions.NewServerRunOptions()
	fs := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	namedFlagSets := o.Flags()
	for _, set := range namedFlagSets.FlagSets {
		fs.AddFlagSet(set)
	}
	args := append([]string{
		"--etcd-servers=http://" + etcdAddress,
		"--tls-cert-file=" + c.certFile,
		"--tls-private-key-file=" + c.keyFile,
		"--token-auth-file=" + c.tokenFile,
		"--service-account-issuer=https://envtest.invalid",
		"--service-account-key-file=" + c.serviceAccountKeyFile,
		"--service-account-signing-key-file=" + c.serviceAccountKeyFile,
		"--service-cluster-ip-range=10.0.0.0/16",
		"--authorization-mode=RBAC",
		"--anonymous-auth=false",
		"--endpoint-reconciler-type=none",
		"--allow-privileged=true",
		// The plug-in requires service accounts and tokens for every pod, which no controller creates here.
		"--disable-admission-plugins=ServiceAccount",
	}, splitArgs(f.apiServerArgs)...)
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	address := listener.Addr().(*net.TCPAddr)
	o.SecureServing.Listener = listener
	o.SecureServing.BindPort = address.Port
	o.SecureServing.BindAddress = address.IP
	o.SecureServing.ExternalAddress = address.IP
	if err := o.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return nil, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := o.Complete(ctx)
	if err != nil {
		return nil, err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return nil, utilerrors.NewAggregate(errs)
	}
	client, err := rest.HTTPClientFor(&rest.Config{
		BearerToken:     c.token,
		TLSClientConfig: rest.TLSClientConfig{CAData: c.ca},
	})
	if err != nil {
		return nil, err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- kubeapiserver.Run(ctx, completed) }()
	return &apiServer{url: fmt.Sprintf("https://%s", address), client: client, stopped: stopped}, nil
}

func (a *apiServer) waitReady(ctx context.Context, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		if response, err := a.client.Get(a.url + "/readyz"); err == nil {
			response.Body.Close()
			if response.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-a.stopped:
			return errors.Join(errors.New("stopped before it was ready"), err)
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w", ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// startControllerManager runs kube-controller-manager with the chosen controllers until the context ends.
func startControllerManager(ctx context.Context, f flags) (<-chan error, error) {
	o, err := controllermanageroptions.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	all, disabled, aliases := kubecontrollermanager.KnownControllers(), kubecontrollermanager.ControllersDisabledByDefault(), kubecontrollermanager.ControllerAliases()
	fs := pflag.NewFlagSet("kube-controller-manager", pflag.ContinueOnError)
	namedFlagSets := o.Flags(all, disabled, aliases)
	for _, set := range namedFlagSets.FlagSets {
		fs.AddFlagSet(set)
	}
	if err := fs.Parse([]string{
		"--kubeconfig=" + f.kubeconfig,
		"--controllers=" + f.controllers,
		"--leader-elect=false",
		"--secure-port=0",
		"--kube-api-qps=500",
		"--kube-api-burst=500",
	}); err != nil {
		return nil, err
	}
	o.ParsedFlags = &namedFlagSets
	config, err := o.Config(ctx, all, disabled, aliases)
	if err != nil {
		return nil, err
	}
	stopped := make(chan error, 1)
	go func() { stopped <- kubecontrollermanager.Run(ctx, config.Complete()) }()
	return stopped, nil
}
