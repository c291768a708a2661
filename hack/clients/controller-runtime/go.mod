// The version of controller-runtime whose suites run against the embedded server.
module clients/controller-runtime

go 1.26.0

require sigs.k8s.io/controller-runtime v0.24.1
