//! Roles: for the controller, from the RBAC markers of a crate, and for users of the API, from its kinds.
//!
//! The output is JSON; `emit/manifests` chooses files and writes YAML. Start reading at `roles` and `user_roles`.

mod cluster;
mod merge;
mod roles;
mod user_roles;

pub use roles::roles;
pub use user_roles::{UserRole, user_roles};
