//! The controllers, one module each.
