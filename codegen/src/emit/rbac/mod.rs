//! Roles: for the controller, from the RBAC markers of a crate, and for users of the API, from its kinds.
//!
//! Start reading at `roles` and `user_roles`, which return JSON.

mod cluster;
mod merge;
pub(super) mod roles;
pub(super) mod user_roles;

pub use roles::roles;
pub use user_roles::{UserRole, user_roles};
