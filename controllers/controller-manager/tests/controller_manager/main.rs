//! The loops at work: one suite of scenarios that any implementation can be held to, and crash points of this one.

mod cluster;
mod scenario;
