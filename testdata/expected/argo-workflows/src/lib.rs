//! What `kube-codegen crd` makes of `testdata/crds/argo-workflows`, in a crate that uses it.

pub mod apis;
pub mod generated;
