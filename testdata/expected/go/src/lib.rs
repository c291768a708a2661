//! The output of `kube-codegen go` for the Go modules in `testdata/go`.

pub mod apis;
pub mod generated;
