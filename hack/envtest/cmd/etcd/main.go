// Command etcd is the original etcd, with the flags that envtest passes, for suites that envtest runs.
package main

import (
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
)

func main() {
	cfg := embed.NewConfig()
	cfg.LogLevel = "error"
	flag.StringVar(&cfg.Dir, "data-dir", "", "where data goes")
	flag.BoolVar(&cfg.UnsafeNoFsync, "unsafe-no-fsync", false, "whether data need not survive a crash")
	clients := flag.String("listen-client-urls", "", "where clients are answered")
	flag.String("advertise-client-urls", "", "as listen-client-urls")
	peers := flag.String("listen-peer-urls", "", "where peers are answered")
	flag.Parse()
	if err := run(cfg, *clients, *peers); err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(1)
	}
}

func run(cfg *embed.Config, clients, peers string) error {
	client, err := url.Parse(clients)
	if err != nil {
		return err
	}
	peer, err := url.Parse(peers)
	if err != nil {
		return err
	}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	etcd, err := embed.StartEtcd(cfg)
	if err != nil {
		return err
	}
	defer etcd.Close()
	select {
	case <-stop:
		return nil
	case err := <-etcd.Err():
		return err
	}
}
