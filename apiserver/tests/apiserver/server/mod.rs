//! The server's features beside the API: sockets, faults, reactors, the record, bounds.

mod bounds;
mod controllers;
mod conversion;
mod faults;
mod listener;
mod rbac;
mod serving;
mod webhook_races;
mod webhooks;
