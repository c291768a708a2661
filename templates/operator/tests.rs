//! Tests of the operator against an embedded API server.

mod deploy;
mod end_to_end;
