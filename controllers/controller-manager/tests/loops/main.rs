//! The loops on the embedded server.
