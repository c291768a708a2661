//! A version as a file beside the folder of its modules.

pub mod cabin;
