//! The labels and annotations that the runtime writes into objects: each declared once.
//!
//! Their prefix is the project's name. It has no dot, so that it is nobody's domain.

macro_rules! keys {
    ($($(#[$docs:meta])* $visibility:vis $name:ident = $key:literal;)*) => {
        $($(#[$docs])* $visibility const $name: &str = concat!("kube-codegen/", $key);)*
    };
}

keys! {
    /// The annotation of a Lease with the epoch of the leader's term.
    pub(crate) LEADER_EPOCH = "leader-epoch";
    /// The annotation of a Lease that distinguishes the leader from others with its identity.
    pub(crate) LEADER_INSTANCE = "leader-instance";
    /// The label of the Leases of a group of shards: its record's and its members'.
    pub(crate) SHARD_GROUP = "shard-group";
    /// The annotation of a Lease with the record of a group of shards.
    pub(crate) SHARD_RECORD = "shard-record";
    /// The annotation of a CustomResourceDefinition that holds the position of its migration.
    pub MIGRATION_PROGRESS = "migration-progress";
    /// The annotation of events with the id of the trace that they were recorded in.
    pub TRACE_ID = "trace-id";
}
