//! The kube-codegen command.
fn main() {}
