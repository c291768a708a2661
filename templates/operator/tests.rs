//! The operator at work on an embedded API server.

mod deploy;
