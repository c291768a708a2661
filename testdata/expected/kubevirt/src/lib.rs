//! What `kube-codegen crd` makes of `testdata/crds/kubevirt`, in a crate that uses it.

pub mod apis;
pub mod generated;
