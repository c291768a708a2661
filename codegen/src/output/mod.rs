//! Output: from the emitters' code to files on disk.
//!
//! [`format`] renders the code of a file, a [`Tree`] holds all files of a generation, a [`Plan`]
//! compares it with the disk, and [`apply`] writes it. No other module writes output. A run that
//! writes holds a [`lock()`] from before it plans.

mod error;
pub(crate) mod format;
mod guard;
pub(crate) mod html;
mod interrupt;
pub(crate) mod json;
mod lock;
pub(crate) mod markdown;
mod orphans;
mod plan;
mod stage;
mod tree;
mod write;
#[doc(hidden)]
pub mod yaml;

pub use error::Error;
#[doc(hidden)]
pub use interrupt::{Interrupted, interrupt};
#[doc(hidden)]
pub use lock::{Locked, lock};
#[doc(hidden)]
pub use orphans::OrphanSearch;
pub use plan::{Change, ChangeKind, Owned, Plan};
pub use tree::{Mode, Tree};
pub use write::apply;
