//! The controllers, a module each.
