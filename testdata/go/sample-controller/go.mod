module k8s.io/sample-controller

go 1.26.0

require k8s.io/apimachinery v0.36.3
