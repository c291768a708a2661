// Certificates prints the verdicts of Go's TLS client on the certificates in a folder: one case per subfolder, with the chain that a
// server presents (presented.pem), the pool of its client (bundle.pem) and the requested host (host).
package main

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
)

var currentTime = regexp.MustCompile(`current time \S+`)

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

// verdict does what crypto/tls does with the certificates of a server.
func verdict(folder string) string {
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(folder, name))) }
	roots, intermediates := x509.NewCertPool(), x509.NewCertPool()
	roots.AppendCertsFromPEM(read("bundle.pem"))
	var leaf *x509.Certificate
	for rest := read("presented.pem"); ; {
		var block *pem.Block
		block, rest = pem.Decode(rest)
		if block == nil {
			break
		}
		certificate := must(x509.ParseCertificate(block.Bytes))
		if leaf == nil {
			leaf = certificate
		} else {
			intermediates.AddCert(certificate)
		}
	}
	options := x509.VerifyOptions{Roots: roots, Intermediates: intermediates, DNSName: string(read("host"))}
	if _, err := leaf.Verify(options); err != nil {
		return currentTime.ReplaceAllString(err.Error(), "current time T")
	}
	return "trusted"
}

func main() {
	for _, entry := range must(os.ReadDir(os.Args[1])) {
		fmt.Printf("%s\t%s\n", entry.Name(), verdict(filepath.Join(os.Args[1], entry.Name())))
	}
}
