//! The controllers, a module each.

pub mod region;
pub mod widget;
