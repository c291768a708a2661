//! The same for the crate alone, which uses none of it: no lint finds anything.

mod apis;
mod generated;
