// Runs the analyzers that kube-api-linter turns on by default, as its plugin for golangci-lint does, without golangci-lint.
package main

import (
	"log"

	"golang.org/x/tools/go/analysis/multichecker"
	"sigs.k8s.io/kube-api-linter/pkg/analysis/registry"
	"sigs.k8s.io/kube-api-linter/pkg/config"
	_ "sigs.k8s.io/kube-api-linter/pkg/registration"
)

func main() {
	analyzers, err := registry.DefaultRegistry().InitializeLinters(config.Linters{}, config.LintersConfig{})
	if err != nil {
		log.Fatal(err)
	}
	multichecker.Main(analyzers...)
}
