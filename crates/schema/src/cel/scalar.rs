//! The scalar types of CEL.

/// A type of scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `null`
    Null,
    /// `true`, `false`
    Bool,
    /// `1`
    Int,
    /// `1u`
    Uint,
    /// `1.5`
    Double,
    /// `'a'`
    String,
    /// `b'a'`
    Bytes,
    /// `duration('1s')`
    Duration,
    /// `timestamp('2026-01-31T15:04:05Z')`
    Timestamp,
    /// The type of types.
    Type,
}
