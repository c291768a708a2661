//! What `kube-codegen go` makes of the Go modules in `testdata/go`.

pub mod apis;
pub mod generated;
