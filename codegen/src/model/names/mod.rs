//! Names: all plural, case and identifier rules of the generator.
//!
//! They are in one place so that a kind has the same names in the client, the lister, the manifest
//! and the error message, and so that a name depends only on the item it names: adding an item
//! elsewhere never renames it.
//!
//! Kinds keep their author's case (`HTTPRoute` stays `HTTPRoute`). Module, method and field names
//! are in snake case that respects acronyms (`http_route`).

mod case;
mod group;
mod ident;
pub mod schema;
mod serde_case;

pub(crate) use case::is_same_field;
pub use case::{snake_case, upper_camel, words};
pub(crate) use group::checksum;
pub use group::{
    go_name, is_module_of, module_name, module_names, qualified_module_name, version_module,
};
pub use ident::{ident, is_keyword, plain_ident};
pub use kube_names::{
    compare_versions, controller_gen_plural, is_kubernetes_version, is_label_1035, is_subdomain,
    kube_derive_plural, plural, resource_plural,
};
pub use serde_case::{Renamed, apply_case};
