//! Roles and webhook configurations: the manifests that come from a crate's markers rather than from its types.
//!
//! The output is JSON; `emit/manifests` chooses files and writes YAML. Start reading at [`roles`],
//! [`user_roles`] and [`webhook_configurations`].

mod merge;
mod patch;
mod roles;
mod scope;
#[cfg(test)]
mod tests;
mod user_roles;
mod webhooks;

pub use roles::{RoleOptions, roles};
pub use user_roles::{UserRole, user_roles};
pub(crate) use webhooks::client_config;
pub use webhooks::webhook_configurations;
