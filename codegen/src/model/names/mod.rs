//! Names: every plural, case and identifier rule of the generator.
//!
//! They stand in one place so that a kind has the same names in the client, the lister, the manifest and the error message, and
//! so that a name depends on nothing but what it names: adding something elsewhere never renames it.
//!
//! Kinds keep the case that their author gave them (`HTTPRoute` stays `HTTPRoute`); module, method and field names are snake
//! case and know acronyms (`http_route`).

mod case;
mod group;
mod ident;
pub mod schema;
mod serde_case;

pub use case::{snake_case, upper_camel, words};
pub use group::{go_name, is_module_of, module_name, module_names, qualified_module_name};
pub use ident::{ident, is_keyword, plain_ident};
pub use kube_names::{
    compare_versions, controller_gen_plural, is_kubernetes_version, is_label_1035, is_subdomain,
    kube_derive_plural, plural, resource_plural,
};
pub use serde_case::{Renamed, apply_case};
