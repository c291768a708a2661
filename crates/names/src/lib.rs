//! Kubernetes' rules for names: DNS labels and subdomains, label keys and values, plurals of kinds,
//! the order of versions, the regular expressions of schemas, properties in CEL, and the hashes of
//! sharded lists.
//!
//! The generator, the runtime and the embedded API server share them, so that what one writes the
//! other accepts. The crate has no dependencies. Faults are worded as the API server words them.

pub mod cel;
mod dns;
mod label;
mod object;
pub mod pattern;
mod plural;
pub mod shard;
mod version;

pub use dns::{
    is_label, is_label_1035, is_subdomain, label_1035_fault, label_fault, subdomain_fault,
};
pub use label::{label_key_faults, label_value_faults};
pub use object::{NameRule, generate_name_fault, name_fault};
pub use plural::{controller_gen_plural, kube_derive_plural, plural, resource_plural};
pub use version::{compare_versions, is_kubernetes_version};
