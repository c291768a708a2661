//! Tests of the operator against an embedded API server.

mod deploy;
