//! Features besides the API: sockets, faults, reactors, the record of requests, limits.

mod authorization;
mod bounds;
mod certificates;
mod controllers;
mod conversion;
mod envtest;
mod faults;
mod large;
mod listener;
mod rbac;
mod serving;
mod webhook_races;
mod webhooks;
