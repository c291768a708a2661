//! The controllers, one module each.

pub mod deployment;
pub mod region;
pub mod widget;
