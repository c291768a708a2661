//! What `kube-codegen` wrote in an earlier release, for one kind of each input, over today's runtime.

/// From annotated Rust.
pub mod rust {
    pub mod apis;
    pub mod generated;
}

/// From kube-derive types.
pub mod derive {
    pub mod apis;
    pub mod generated;
}

/// From CRDs.
pub mod crds {
    pub mod apis;
    pub mod generated;
}

/// From Go.
pub mod go {
    pub mod apis;
    pub mod generated;
}
