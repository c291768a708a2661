//! The output of `kube-codegen crd` for `testdata/crds/features`, in a crate that uses it.

pub mod apis;
pub mod generated;
