//! The controllers, one module each.

pub mod region;
pub mod widget;
