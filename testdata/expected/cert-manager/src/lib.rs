//! What `kube-codegen crd` makes of `testdata/crds/cert-manager`, in a crate that uses it.

pub mod apis;
pub mod generated;
