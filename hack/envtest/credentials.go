package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"
)

// credentials are the files that kube-apiserver reads, created for each run.
type credentials struct {
	certFile, keyFile     string
	serviceAccountKeyFile string
	tokenFile             string
	ca                    []byte
	token                 string
}

func writeCredentials(dir string) (*credentials, error) {
	serving, servingKey, err := cert.GenerateSelfSignedCertKey("127.0.0.1", []net.IP{net.IPv4(127, 0, 0, 1)}, []string{"localhost"})
	if err != nil {
		return nil, err
	}
	serviceAccountKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serviceAccountPEM, err := keyutil.MarshalPrivateKeyToPEM(serviceAccountKey)
	if err != nil {
		return nil, err
	}
	random := make([]byte, 16)
	if _, err := rand.Read(random); err != nil {
		return nil, err
	}
	c := &credentials{
		certFile:              filepath.Join(dir, "apiserver.crt"),
		keyFile:               filepath.Join(dir, "apiserver.key"),
		serviceAccountKeyFile: filepath.Join(dir, "service-account.key"),
		tokenFile:             filepath.Join(dir, "tokens.csv"),
		ca:                    serving,
		token:                 hex.EncodeToString(random),
	}
	for path, data := range map[string][]byte{
		c.certFile:              serving,
		c.keyFile:               servingKey,
		c.serviceAccountKeyFile: serviceAccountPEM,
		c.tokenFile:             fmt.Appendf(nil, "%s,admin,admin,\"system:masters\"\n", c.token),
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *credentials) writeKubeconfig(path, server string) error {
	config := clientcmdapi.NewConfig()
	config.Clusters["envtest"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: c.ca}
	config.AuthInfos["admin"] = &clientcmdapi.AuthInfo{Token: c.token}
	config.Contexts["envtest"] = &clientcmdapi.Context{Cluster: "envtest", AuthInfo: "admin"}
	config.CurrentContext = "envtest"
	return clientcmd.WriteToFile(*config, path)
}
